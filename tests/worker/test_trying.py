"""Torches that crash, hang, leave or shout: each is told as such, and the rest still comes."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from jetproof_worker import step_watch, trying

from . import fake_torch

pytestmark = pytest.mark.process


def tried(
    folder: Path, monkeypatch: pytest.MonkeyPatch, patience: float = 1.0
) -> tuple[dict[str, Any], dict[str, Any]]:
    monkeypatch.setenv("PYTHONPATH", str(folder))
    about, trials = trying.run(sys.executable, "--python", True, patience)
    assert about["status"] == "ok"
    assert about["interpreter"]["executable"] == sys.executable
    return trials, {step["name"]: step for step in trials["steps"]}


def test_a_torch_without_a_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trials, steps = tried(fake_torch.write(tmp_path), monkeypatch)
    assert trials["status"] == "ok"
    data = steps["import torch"]["data"]
    assert (data["torch"], data["cuda"], data["arch_list"]) == ("9.9.9a0+fake", "12.6", ["sm_87", "compute_87"])
    assert data["cudnn_compiled"] == 90300
    available = steps["cuda available"]["data"]
    assert available["available"] is False
    assert "too old" in available["warnings"][0]
    assert available["error"] == "RuntimeError: no NVIDIA driver"
    assert steps["cuda device"]["message"] == "no CUDA device answers"
    assert (steps["matmul"]["outcome"], steps["matmul"]["message"]) == ("failed", "RuntimeError: Illegal arguments")
    assert "Traceback" in steps["matmul"]["traceback"]
    assert steps["import torchvision"]["message"] == "torchvision is not installed"


def test_a_torch_that_crashes_at_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = fake_torch.write(tmp_path, fake_torch.CRASH, numpy="__version__ = '1.0'\n", cv2=fake_torch.LEAVE)
    trials, steps = tried(folder, monkeypatch)
    assert (trials["status"], trials["signal"]) == ("crashed", signal.SIGSEGV)
    assert steps["import torch"]["outcome"] == "crashed"
    assert "signal 11" in steps["import torch"]["message"]
    assert steps["matmul"]["outcome"] == "not-run"
    assert steps["matmul"]["message"] == "import torch did not succeed"
    assert steps["import numpy"]["data"]["numpy"] == "1.0"
    assert steps["import cv2"]["outcome"] == "crashed"
    assert "exit status 7" in steps["import cv2"]["message"]
    assert steps["import tensorrt"]["outcome"] == "not-run"


@pytest.mark.parametrize("source", [fake_torch.HANG, fake_torch.NATIVE_HANG])
def test_a_torch_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    trials, steps = tried(fake_torch.write(tmp_path, source), monkeypatch, patience=0.01)
    assert trials["status"] == "timed-out"
    assert steps["import torch"]["outcome"] == "timed-out"
    assert "Timeout" in trials["stderr"]
    assert steps["import cv2"]["message"] == "cv2 is not installed"


def test_a_torch_that_exits_or_lacks_a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, steps = tried(fake_torch.write(tmp_path / "a", fake_torch.SYSTEM_EXIT), monkeypatch)
    assert steps["import torch"]["outcome"] == "failed"
    assert steps["import torch"]["message"] == "SystemExit: 0"
    _, steps = tried(fake_torch.write(tmp_path / "b", fake_torch.MISSING_LIBRARY), monkeypatch)
    assert steps["import torch"]["message"].startswith("ImportError: libcudnn.so.8")


def test_a_torch_that_shouts_ten_megabytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trials, steps = tried(fake_torch.write(tmp_path, fake_torch.CHATTER + fake_torch.GOOD), monkeypatch)
    assert steps["import torch"]["outcome"] == "ok"
    assert len(trials["stderr"]) < 20_000
    assert "bytes left out" in trials["stderr"]


def test_a_torch_that_leaves_a_daemon_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trials, _ = tried(fake_torch.write(tmp_path, fake_torch.FORKS + fake_torch.GOOD), monkeypatch)
    assert trials["status"] == "ok"


def test_no_torch_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trials, steps = tried(tmp_path, monkeypatch)
    assert trials["status"] == "ok"
    assert (steps["import torch"]["outcome"], steps["import torch"]["message"]) == ("not-run", "torch is not installed")
    assert {step["outcome"] for step in trials["steps"]} == {"not-run"}


def test_a_package_of_the_working_folder_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise RuntimeError('taken from the working folder')\n")
    fake_torch.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    about, trials = trying.run(sys.executable, "PATH")
    assert about["status"] == "ok", about["detail"]
    assert trials["steps"][0]["message"] == "torch is not installed"


def interpreter(path: Path, script: str) -> str:
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("script", "status", "told"),
    [
        ("kill -SEGV $$\n", "crashed", "signal 11"),
        ("echo 'No module named encodings' >&2; exit 1\n", "failed", "No module named encodings"),
        ("exit 0\n", "failed", "without an answer"),
        ("head -c 10000000 /dev/zero; exit 0\n", "failed", "without an answer"),
    ],
)
def test_an_interpreter_that_does_not_work(tmp_path: Path, script: str, status: str, told: str) -> None:
    about, trials = trying.run(interpreter(tmp_path / "python", script), "--python")
    assert about["status"] == status
    assert told in about["detail"]
    assert about["interpreter"] is None
    assert trials["status"] in (status, "failed")
    assert {step["outcome"] for step in trials["steps"]} == {"not-run"}


def test_an_interpreter_that_is_gone(tmp_path: Path) -> None:
    about, trials = trying.run(str(tmp_path / "gone"), "--python")
    assert about["status"] == "missing"
    assert trials["status"] == "failed"


def test_an_interpreter_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trying, "_SPARE", 0.2)
    about, trials = trying.run(interpreter(tmp_path / "python", "sleep 600\n"), "--python", True, 0.0001)
    assert about["status"] == "timed-out"
    assert trials["status"] == "timed-out"


def test_only_reading_starts_no_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(fake_torch.write(tmp_path, fake_torch.CRASH)))
    about, trials = trying.run(sys.executable, "PATH", with_trials=False)
    assert about["status"] == "ok"
    assert trials == {"status": "not-run", "signal": None, "stderr": "not asked for", "steps": []}


def test_a_child_that_cannot_be_started_is_told() -> None:
    watched = step_watch.watch(["/nowhere/python"], 5)
    assert (watched.status, watched.steps) == ("missing", [])


def _program(folder: Path, text: str) -> str:
    path = folder / "python3"
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("text", "status", "told"),
    [
        ("kill -SEGV $$\n", "crashed", "signal 11"),
        ("exit 0\n", "failed", "without an answer"),
        ("echo garbage; echo JP1 5 0123456789abcdef; exit 3\n", "failed", "without an answer"),
        ("sleep 600\n", "timed-out", "no answer within"),
        ("echo noise; sleep 600\n", "timed-out", "no answer within"),
    ],
)
def test_what_only_calls_itself_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, status: str, told: str
) -> None:
    monkeypatch.setattr(trying, "START_LIMIT", 0.5)
    about, trials = trying.run(_program(tmp_path, text), "--python")
    assert (about["status"], about["interpreter"]) == (status, None)
    assert told in about["detail"]
    assert {step["outcome"] for step in trials["steps"]} == {"not-run"}


def test_an_interpreter_that_lies_about_itself(tmp_path: Path) -> None:
    lie = (
        f"exec {sys.executable} -c 'from jetproof_worker import frames as f;"
        'f.write(1, {"step": "interpreter", "limit": 1});'
        'f.write(1, {"end": "interpreter", "outcome": "ok", "data": {"version": [1], "executable": "x"}});'
        'f.write(1, {"step": "matmul", "limit": 1});'
        'f.write(1, {"end": "matmul", "outcome": "splendid", "data": 7})\'\n'
    )
    about, trials = trying.run(_program(tmp_path, lie), "--python")
    assert (about["status"], about["interpreter"]) == ("failed", None)
    assert "names no version" in about["detail"]
    matmul = next(step for step in trials["steps"] if step["name"] == "matmul")
    assert (matmul["outcome"], matmul["message"]) == ("failed", "its answer is not understood")
