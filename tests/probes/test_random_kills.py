"""Whatever is killed at whatever moment: no pass that was none, no process left, and what is missing is missed."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from jetproof_worker import frames, process, start

from .conftest import FAKE_TORCH

pytestmark = pytest.mark.process

_CONTROLLER = """
import json, os, sys
sys.path.insert(0, sys.argv[1])
from jetproof_worker import process, start
request = sys.stdin.buffer.read()
out = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
argv = start.command(sys.executable, "serve")
process.run(argv, 60, stdin=request, cwd="/", on_stdout=lambda data: os.write(out, data))
"""

_RESOLVER = """
import os, subprocess, time
def resolve(name):
    subprocess.Popen(["sleep", "600"], start_new_session=True)
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
    time.sleep(0.15)
    return "cpu"
"""


def marked(mark: str) -> dict[int, bytes]:
    """Every process that carries the mark in its environment, and its state."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if f"JETPROOF_TEST_MARK={mark}".encode() in (path / "environ").read_bytes().split(b"\0"):
                found[int(path.name)] = (path / "stat").read_bytes().rpartition(b")")[2].split()[0]
        except OSError:
            continue
    return {pid: state for pid, state in found.items() if state != b"Z"}


def kill_once(folder: Path, seed: int, choose: random.Random) -> list[dict[str, Any]]:
    """Run a controller with a worker and six items, kill one of their processes at some moment; return the records."""
    package = folder / "killedhost.py"
    package.write_text(_RESOLVER)
    mark = f"{os.getpid()}-{seed}"
    records_file = folder / f"records-{seed}"
    items = [
        {"id": f"item {n}", "probe": "device-resolver", "params": {"expected": "cpu"}, "timeout": 20} for n in range(5)
    ]
    items.append({"id": "plain", "probe": "architecture", "params": {"machine": [os.uname().machine]}})
    request = {
        "nonce": "n",
        "items": items,
        "resolver": "killedhost:resolve",
        "project_root": str(folder),
        "parallel": 3,
    }
    env = {**os.environ, "JETPROOF_TEST_MARK": mark, "PYTHONPATH": str(FAKE_TORCH)}
    controller = subprocess.Popen(
        [sys.executable, "-c", _CONTROLLER, start.HOME, str(records_file)], stdin=subprocess.PIPE, env=env
    )
    assert controller.stdin is not None
    controller.stdin.write(json.dumps(request).encode())
    controller.stdin.close()
    time.sleep(choose.uniform(0.05, 0.9))
    victims = sorted(pid for pid in marked(mark) if pid != controller.pid)
    victim = choose.choice([controller.pid, *victims]) if choose.random() < 0.8 else controller.pid
    for pid in {victim, controller.pid} if choose.random() < 0.2 else {victim}:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    controller.wait(timeout=60)
    for _ in range(100):
        left = marked(mark)
        if not left:
            break
        time.sleep(0.05)
    commands = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in left if Path(f"/proc/{pid}").exists()}
    for pid in left:
        process.kill_tree(pid)
    assert not left, (seed, commands)
    data = records_file.read_bytes() if records_file.exists() else b""
    return frames.Reader().feed(data)


def check(records: list[dict[str, Any]]) -> str:
    """No item ends twice; without a finish nothing is complete; with one, every item has an end."""
    ends = [record["item"] for record in records if record["record"] == "end"]
    assert len(ends) == len(set(ends))
    for record in records:
        if record["record"] == "end":
            assert (record["outcome"] == "PASS") == (record["reason"] == "ok")
    finished = any(record["record"] == "finish" for record in records)
    if finished:
        assert len(ends) == 6
        return "green" if all(record["outcome"] == "PASS" for record in records if record["record"] == "end") else "red"
    return "unfinished"


def kills(folder: Path, count: int, seed: int) -> dict[str, int]:
    choose = random.Random(seed)
    seen: dict[str, int] = {}
    for turn in range(count):
        found = check(kill_once(folder, seed * 1000 + turn, choose))
        seen[found] = seen.get(found, 0) + 1
    return seen


def test_twenty_kills_at_random_moments(tmp_path: Path) -> None:
    seen = kills(tmp_path, 20, random.SystemRandom().randrange(10**6))
    assert sum(seen.values()) == 20
    assert seen.get("unfinished", 0) + seen.get("red", 0) >= 8, "the kills hit something"


@pytest.mark.soak
def test_two_hundred_kills_at_random_moments(tmp_path: Path) -> None:
    seen = kills(tmp_path, 200, random.SystemRandom().randrange(10**6))
    assert sum(seen.values()) == 200
