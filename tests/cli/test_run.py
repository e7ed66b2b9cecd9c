"""`jetproof run` and `replay` as programs: real worker, real pytest, real signals; no torch."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from jetproof.cli.main import main
from jetproof.errors import ExitCode
from jetproof.qualify.journal import read
from jetproof.target.interface import CollectRequest
from jetproof.target.local import LocalTarget

pytestmark = pytest.mark.process

TESTS = """
import os, time

def test_one():
    assert True

def test_two():
    time.sleep(float(os.environ.get('NAP', '0')))
"""


def policy(**gate: Any) -> dict[str, Any]:
    """Return a policy with one gate that needs no torch."""
    return {
        "schema_version": 1,
        "owner": "t",
        "cadence": "weekly",
        "evidence_retention_days": 31,
        "host": {
            "name": "h",
            "pytest": [
                {
                    "id": "own",
                    "paths": ["test_own.py"],
                    "tests": ["test_own.py::test_one", "test_own.py::test_two"],
                    "timeout": 60.0,
                }
            ],
        },
        "gates": [
            {
                "id": "own-gate",
                "description": "d",
                "job": "j",
                "tracking_issue": "#1",
                "runner": {"labels": ["linux"]},
                "platform": "any",
                "items": [
                    {"probe": "architecture", "params": {"machine": platform.machine()}},
                    {"pytest": "own"},
                ],
                "expected_cost": {"minutes": 1},
                **gate,
            }
        ],
    }


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a committed project, which is also the working folder."""
    folder = tmp_path / "project"
    (folder / "ci").mkdir(parents=True)
    write_policy(folder, policy())
    (folder / "test_own.py").write_text(TESTS)
    (folder / ".gitignore").write_text("__pycache__/\n")
    commit(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("JETPROOF_GPU_LOCK", str(tmp_path / "gpu.lock"))
    return folder


def write_policy(folder: Path, value: Any) -> None:
    (folder / "ci" / "conditional-test-policy.json").write_text(json.dumps(value, indent=2))


def commit(folder: Path) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True)


RUN = ["run", "own-gate", "--python", sys.executable]


def test_a_real_run_is_green_and_replays_to_the_same_bytes(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(RUN) == ExitCode.OK
    told = capsys.readouterr()

    assert told.out.startswith("own-gate: green, and proves nothing (2 of 2 passed) [")
    assert "[2/2]" in told.err
    side = project / "conditional-evidence" / "own-gate"
    assert {path.name for path in side.iterdir()} == {
        "journal.jsonl",
        "plan.json",
        "snapshot.json",
        "junit.xml",
        "report.tap",
        "report.sarif",
        "annotations.txt",
        "summary.md",
    }
    assert main(["replay", str(side), "--check", "--json"]) == ExitCode.OK
    replayed = capsys.readouterr().out
    assert replayed == (project / "conditional-evidence" / "own-gate.json").read_text()
    record = json.loads(replayed)
    assert record["green"] is True
    assert record["proves"] is False
    assert [test["outcome"] for test in record["items"][1]["attempts"][0]["tests"]] == ["PASS", "PASS"]
    assert record["source"]["commit"]
    assert str(Path.home()) not in replayed

    # and again: what the first run left is no change of the project
    assert main(RUN) == ExitCode.OK


def test_a_failing_test_and_a_changed_tree_are_a_no_and_a_changed_report_is_found(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fails = TESTS.replace("assert True", "assert 1 == 2")
    (project / "test_own.py").write_text(fails + "    open('left-behind.py', 'w').close()\n")
    commit(project)

    assert main(RUN) == ExitCode.NO
    told = capsys.readouterr().out
    assert "FAIL test_own.py::test_one: test-failed" in told
    assert "tree-changed" in told
    annotations = (project / "conditional-evidence" / "own-gate" / "annotations.txt").read_text()
    assert annotations.startswith("::error file=test_own.py,")

    record = project / "conditional-evidence" / "own-gate.json"
    record.write_text(record.read_text().replace('"green": false', '"green": true'))
    assert main(["replay", "conditional-evidence/own-gate"]) == ExitCode.EVIDENCE_INVALID
    assert "own-gate.json" in capsys.readouterr().err


@pytest.fixture(scope="module")
def read_once(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return a run's arguments with a read-out of this machine that was saved: what is refused needs no fresh one."""
    file = tmp_path_factory.mktemp("read") / "machine.json"
    snapshot = LocalTarget(sys.executable).collect(CollectRequest(trials=False))
    file.write_text(snapshot.dumps())
    return ["run", "own-gate", "--from", str(file)]


def test_an_unclean_checkout_needs_a_rehearsal(
    project: Path, read_once: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "more.py").write_text("")

    assert main(read_once) == ExitCode.UNDECIDED
    assert "untracked: more.py" in capsys.readouterr().err
    assert main([*RUN, "--rehearsal"]) == ExitCode.OK
    assert "checkout-not-clean" in capsys.readouterr().out


IGNORED = {
    "a package in the place of a module": ("mod/__init__.py", "mod/__init__.py"),
    "a module that the commit only imports": ("generated.py", "generated.py"),
}


@pytest.mark.parametrize("way", IGNORED)
def test_code_that_git_ignores_is_never_green(way: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, told = IGNORED[way]
    (project / "mod.py").write_text("try:\n    import generated\nexcept ImportError:\n    pass\nVALUE = 1\n")
    (project / "test_own.py").write_text("import mod\n" + TESTS.replace("assert True", "assert mod.VALUE"))
    commit(project)
    assert main(RUN) == ExitCode.OK
    (project / ".git" / "info" / "exclude").write_text(f"{name.partition('/')[0]}\n")
    (project / name).parent.mkdir(exist_ok=True)
    (project / name).write_text("VALUE = 2\n")
    capsys.readouterr()

    assert main(RUN) == ExitCode.NO

    said = capsys.readouterr().out
    assert "code-not-in-commit" in said
    assert f"the commit does not hold {told}" in said
    assert main([*RUN, "--rehearsal"]) == ExitCode.OK
    assert "code-not-in-commit" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("gate", "code"),
    [
        ({"items": []}, ExitCode.NOTHING_PLANNED),
        ({"items": [{"probe": "levitation"}]}, ExitCode.POLICY_INVALID),
        ({"platform": "mars"}, ExitCode.POLICY_INVALID),
        ({"items": [{"probe": "cuda-available"}]}, ExitCode.UNDECIDED),
    ],
)
def test_what_cannot_be_run_is_said(
    gate: dict[str, Any], code: ExitCode, project: Path, read_once: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    write_policy(project, policy(**gate))
    commit(project)

    assert main(read_once) == code
    told = capsys.readouterr()
    assert told.err.startswith("error: ")
    assert "hint: " in told.err
    assert "Traceback" not in told.err
    assert not (project / "conditional-evidence").exists()


def test_errors_are_json_when_asked_for(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "nowhere", "--json", "--python", sys.executable]) == ExitCode.USAGE
    assert json.loads(capsys.readouterr().err)["reason"] == "unknown-gate"


def started(project: Path, nap: str = "30") -> subprocess.Popen[bytes]:
    """Start a run as a program and wait until its long test has begun."""
    controller = subprocess.Popen(
        [sys.executable, "-m", "jetproof", *RUN],
        cwd=project,
        env={**os.environ, "NAP": nap},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    journal = project / "conditional-evidence" / "own-gate" / "journal.jsonl"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and controller.poll() is None:
        if journal.exists() and b"test_own.py::test_one" in journal.read_bytes().partition(b'"kind":"attempt"')[2]:
            return controller
        time.sleep(0.02)
    raise AssertionError((controller.poll(), controller.stderr and controller.stderr.read()))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_finishes_its_journal(number: signal.Signals, project: Path) -> None:
    controller = started(project)

    controller.send_signal(number)
    out, _ = controller.communicate(timeout=60)

    assert controller.returncode == ExitCode.INTERRUPTED
    assert b"interrupted" in out
    journal = read((project / "conditional-evidence" / "own-gate" / "journal.jsonl").read_bytes())
    assert journal.finished
    assert len(journal.of("interrupted")) == 1


def test_a_killed_run_leaves_no_process_and_is_told_by_its_journal(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    controller = started(project, nap="299.125")

    controller.kill()
    controller.communicate(timeout=60)

    assert main(["replay", "conditional-evidence/own-gate"]) == ExitCode.INTERNAL
    first = (project / "conditional-evidence" / "own-gate.json").read_bytes()
    assert b'"green": false' in first
    assert main(["replay", "conditional-evidence/own-gate", "--check"]) == ExitCode.INTERNAL
    assert (project / "conditional-evidence" / "own-gate.json").read_bytes() == first
    assert "unfinished" in capsys.readouterr().out
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and napping():
        time.sleep(0.1)
    assert napping() == []


def napping() -> list[int]:
    """Return the processes that still take the long nap."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if b"NAP=299.125" in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
        except (OSError, ValueError):
            continue
    return found
