"""The thin launcher hands over to `jetproof run`, and says so when jetproof is not there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

LAUNCHER = Path(__file__).parent.parent.parent / "scripts" / "run_conditional_gate.py"


@pytest.mark.process
def test_it_is_the_same_as_jetproof_run(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, LAUNCHER, "no-such-gate", "--python", sys.executable],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )

    assert done.returncode == 2
    assert b"has no gate no-such-gate" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.process
def test_without_jetproof_it_says_what_to_install(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-I", LAUNCHER, "a-gate"], cwd=tmp_path, capture_output=True, check=False
    )

    assert done.returncode == 2
    assert done.stderr.startswith(b"error: jetproof is not installed")
