"""What a process came to: the journal decides, and an exit status that says otherwise is told as broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.qualify.runs import ran
from tests.qualify.streams import Scripted, a_plan, good_stream, rehearsal

from jetproof.fleet.ended import ended, from_journal
from jetproof.fleet.state import Status
from jetproof.qualify.folder import Folder
from jetproof.qualify.plan_model import Plan
from jetproof_worker.process import Completed

GATE = "jetson-cuda-runtime"


def folder(tmp_path: Path, *, lines: int | None = None, plan: Plan | None = None) -> Folder:
    """Return the places of a run that ended well, or was cut after some records."""
    found = Folder(out=tmp_path, gate=GATE)
    found.side.mkdir()
    ran(Scripted(good_stream()[:lines]), found.side, plan=plan or a_plan())
    found.record.write_text("{}")
    return found


def process(code: int | None = 0, status: str = "exited", stderr: bytes = b"") -> Completed:
    return Completed(["jetproof"], status, code, b"", stderr, 2.0, detail="no such program")


def test_green_is_what_the_journal_says(tmp_path: Path) -> None:
    found = ended(folder(tmp_path), process(0))

    assert (found.status, found.reason, found.proves, found.seconds) == (Status.GREEN, "ok", True, 2.0)


def test_a_green_that_proves_nothing_says_why(tmp_path: Path) -> None:
    found = ended(folder(tmp_path, plan=rehearsal()), process(0))

    assert (found.status, found.proves, found.message) == (Status.GREEN, False, "asked for with --rehearsal")


@pytest.mark.parametrize(("code", "lines"), [(0, -1), (1, None)])
def test_an_exit_status_against_its_journal(tmp_path: Path, code: int, lines: int | None) -> None:
    assert ended(folder(tmp_path, lines=lines), process(code)).reason == "exit-differs"


def test_a_run_nobody_waited_for_is_judged_alike(tmp_path: Path) -> None:
    whole = folder(tmp_path)

    found = from_journal(whole)
    assert found is not None
    assert found.status is Status.GREEN
    whole.record.unlink()
    assert from_journal(whole) is None  # it had not come to its end


@pytest.mark.parametrize(
    ("stderr", "reason", "message"),
    [
        (b'x\n{"schema": "jetproof/error/1", "reason": "ssh-refused", "message": "m"}\nwarning\n', "ssh-refused", "m"),
        (
            b'{"schema": "jetproof/error/1", "reason": "r", "message": "it lacks\\n  a (for b)"}\n',
            "r",
            "it lacks a (for b)",
        ),
        (b'{"schema": "other"}\n[1]\nlast words\n', "run-exited", "last words"),
        (b"{" * 100000, "run-exited", "{" * 600),
        (b"\xff\xfe", "run-exited", "\ufffd\ufffd"),
        (b"", "run-exited", "no such program"),
    ],
)
def test_what_a_run_said_of_itself(tmp_path: Path, stderr: bytes, reason: str, message: str) -> None:
    found = ended(Folder(out=tmp_path, gate=GATE), process(4, stderr=stderr))

    assert (found.status, found.reason, found.message) == (Status.NOT_CHECKED, reason, message)


def test_no_journal_and_no_answer(tmp_path: Path) -> None:
    assert ended(Folder(out=tmp_path, gate=GATE), process(1)).reason == "no-journal"
    assert ended(Folder(out=tmp_path, gate=GATE), process(None, "missing")).status is Status.BROKE
    assert ended(Folder(out=tmp_path, gate=GATE), process(None, "timed-out")).status is Status.TIMED_OUT
