"""Whatever ends jetproof from outside, nothing that it started is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.process


def running(mark: str) -> list[int]:
    """Return the processes that carry a mark in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are looked for in /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_kill_leaves_no_process_behind(tmp_path: Path, number: signal.Signals) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\n(setsid sleep 300 &)\ntouch '" + str(tmp_path) + "/started'\nsleep 300\n")
    python.chmod(0o755)
    mark = f"JETPROOF_TEST_MARK={tmp_path}"
    environment = {**os.environ, "JETPROOF_TEST_MARK": str(tmp_path)}
    argv = [sys.executable, "-m", "jetproof", "doctor", "--python", str(python)]

    def as_in_a_terminal() -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)

    asked = subprocess.Popen(
        argv,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=as_in_a_terminal,  # noqa: PLW1509 - the test has one thread
    )
    deadline = time.monotonic() + 30
    while not (tmp_path / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    asked.send_signal(number)

    assert asked.wait(timeout=30) == 130
    assert running(mark) == []
