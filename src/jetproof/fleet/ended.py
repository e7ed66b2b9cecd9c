"""What a board's run came to: its journal decides what is green, an exit status alone never does."""

from __future__ import annotations

import json
from dataclasses import dataclass

from jetproof.errors import ExitCode, JetproofError
from jetproof.fleet.state import Status
from jetproof.qualify.folder import Folder
from jetproof.qualify.journal import Journal, load, read
from jetproof.qualify.judge import verdict
from jetproof.qualify.outcome import Outcome, Verdict
from jetproof_worker.process import Completed


@dataclass(frozen=True, kw_only=True)
class Ended:
    """How one run ended."""

    status: Status
    reason: str
    exit_code: int | None
    seconds: float
    message: str = ""
    hint: str = ""
    proves: bool = False


def ended(folder: Folder, completed: Completed) -> Ended:
    """Return what a process left that ran a gate into `folder`."""
    seconds = completed.seconds
    if completed.status == "timed-out":
        message = f"no end after {seconds:.0f} s"
        return Ended(
            status=Status.TIMED_OUT, reason="fleet-time-limit", exit_code=None, seconds=seconds, message=message
        )
    code = completed.code if completed.status == "exited" else None
    if code in (ExitCode.OK, ExitCode.NO):
        return _judged(folder, green=code == ExitCode.OK, seconds=seconds)
    reason, message, hint = _error(completed)
    status = Status.NOT_CHECKED if code == ExitCode.UNDECIDED else Status.BROKE
    return Ended(status=status, reason=reason, exit_code=code, seconds=seconds, message=message, hint=hint)


def from_journal(folder: Folder) -> Ended | None:
    """Return what a finished journal says of a run that nobody waited for, None when there is none."""
    try:
        journal = read(load(folder.journal))
    except JetproofError:
        return None
    if not journal.finished or not folder.record.is_file():
        return None
    return _of(verdict(journal), _length(journal))


def _judged(folder: Folder, *, green: bool, seconds: float) -> Ended:
    try:
        judged = verdict(read(load(folder.journal)))
    except JetproofError as error:
        message = f"the run ended and left no journal: {error.message}"
        return Ended(
            status=Status.BROKE, reason="no-journal", exit_code=int(not green), seconds=seconds, message=message
        )
    if judged.green is not green:
        message = "the run's exit status and its journal do not agree"
        return Ended(
            status=Status.BROKE, reason="exit-differs", exit_code=int(not green), seconds=seconds, message=message
        )
    return _of(judged, seconds)


def _of(judged: Verdict, seconds: float) -> Ended:
    return Ended(
        status=Status.GREEN if judged.green else Status.NOT_GREEN,
        reason=_reason(judged),
        exit_code=int(ExitCode.OK if judged.green else ExitCode.NO),
        seconds=seconds,
        message=_message(judged),
        proves=judged.proves,
    )


def _length(journal: Journal) -> float:
    return journal.entries[-1].at.monotonic - journal.entries[0].at.monotonic


def _reason(judged: Verdict) -> str:
    worst = max(judged.items, key=lambda item: item.outcome.weight, default=None)
    if worst is not None and worst.outcome is not Outcome.PASS:
        return worst.reason
    return judged.objections[0].reason if judged.objections else "ok"


def _message(judged: Verdict) -> str:
    """Return what did not pass, or why a green proves nothing."""
    told = [
        f"{item.id} {item.outcome.value} ({item.reason})" for item in judged.items if item.outcome is not Outcome.PASS
    ]
    told += [entry.message for entry in (judged.not_proven if judged.green else judged.objections)]
    more = f" and {len(told) - 3} more" if len(told) > 3 else ""
    return "; ".join(told[:3])[:600] + more


def _error(completed: Completed) -> tuple[str, str, str]:
    """Return reason, message and hint of the error that a run told on its standard error."""
    lines = completed.stderr.decode("utf-8", "replace").strip().splitlines()
    for line in reversed(lines[-20:]):
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(told, dict) and told.get("schema") == "jetproof/error/1":
            message = " ".join(str(told.get("message"))[:1000].split())
            return str(told.get("reason"))[:100], message, str(told.get("hint") or "")[:1000]
    said = lines[-1][:600] if lines else completed.detail
    return f"run-{completed.status}", said or f"the run {completed.status} ({completed.code}) and said nothing", ""
