"""Run a plan on a target and write the journal: the controller alone decides what stands in it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Protocol

from jetproof.errors import JetproofError
from jetproof.qualify.acceptance import Acceptance, Fault
from jetproof.qualify.journal import GENESIS, SCHEMA, Entry, Journal, Writer
from jetproof.qualify.judge import verdict
from jetproof.qualify.outcome import Outcome
from jetproof.qualify.plan_model import Plan, ProbeStep, PytestStep, Source
from jetproof.qualify.privacy import redactor
from jetproof_worker.process import Completed

IMPORT_TIMEOUT = 300
"""Seconds that the one import of torch may take."""
MOST_RECORDS = 300_000
"""Records that one worker may send; a worker that sends more is ended."""
MOST_FAULTS = 100
_EXCERPT = 2000
_TRANSIENT = frozenset({"beat"})
"""Records that only say that the worker is alive: shown, not written down."""


class Serves(Protocol):
    """The part of a target that runs items (see `jetproof.target.interface`)."""

    def serve(
        self, request: Mapping[str, object], on_record: Callable[[dict[str, object]], None], timeout: float
    ) -> Completed:
        """Start the worker, feed it the request and hand on each record that bears its nonce."""
        ...


class WorkerTalksTooMuch(Exception):
    """Ends a worker that floods the journal."""


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What the worker needs to know that is no part of the plan, because it is true of this machine alone."""

    project_root: str | None
    side_folder: str | None = None
    """A folder with a pinned pytest, for interpreters that have none."""
    python_env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class After:
    """What is read again when the items are done."""

    source: Source
    state: Mapping[str, Any]
    code: Mapping[str, Any]
    """What of the code that was imported the commit does not hold."""


def run(
    target: Serves,
    plan: Plan,
    writer: Writer,
    *,
    context: Mapping[str, Any],
    surroundings: Surroundings,
    after: Callable[[Journal], After],
    on_entry: Callable[[Entry], None] | None = None,
) -> Journal:
    """Run every item of the plan and return the journal; `after` is given what was written until then.

    Ctrl-C and errors of the target are written down, and the journal gets its finish. Raises `JournalUnwritable`
    when a line cannot be written: then nothing more is run, and what was written stays.
    """
    pen = _Pen(writer, on_entry)
    pen.write("begin", {"schema": SCHEMA, "plan": plan.as_json(), "plan_digest": plan.digest, "context": context})
    try:
        todo: Sequence[str] = [step.id for step in plan.items]
        for number in range(1, plan.gate.attempts + 1):
            _attempt(target, plan, pen, number, todo, surroundings)
            missed = [item.id for item in verdict(pen.journal()).items if item.outcome is not Outcome.PASS]
            todo = [name for name in missed if name in todo]
            if not todo:
                break
    except KeyboardInterrupt as error:
        pen.write("interrupted", {"by": str(error) or "Ctrl-C"})
    except WorkerTalksTooMuch:
        pass  # its fault is written down already
    try:
        read_again = after(pen.journal())
    except JetproofError as error:
        pen.write("fault", {"code": "tree-not-read-again", "detail": error.message})
    else:
        source = read_again.source.model_dump(mode="json")
        pen.write("after", {"source": source, "state": dict(read_again.state), "code": dict(read_again.code)})
    pen.write("finish", {"complete": True})
    return pen.journal()


class _Pen:
    """Writes lines and keeps them, so that the run can be judged while it goes on."""

    def __init__(self, writer: Writer, on_entry: Callable[[Entry], None] | None) -> None:
        self._writer = writer
        self._on_entry = on_entry
        self._entries: list[Entry] = []

    def write(self, kind: str, body: Mapping[str, Any]) -> None:
        entry = self._writer.append(kind, body)
        self._entries.append(entry)
        if self._on_entry is not None:
            self._on_entry(entry)

    def show(self, kind: str, body: Mapping[str, Any]) -> None:
        """Hand on what is not written down."""
        if self._on_entry is not None:
            self._on_entry(Entry(number=-1, kind=kind, body=body, at=self._entries[-1].at))

    def journal(self) -> Journal:
        return Journal(entries=tuple(self._entries), sha256=GENESIS)


def _attempt(
    target: Serves, plan: Plan, pen: _Pen, number: int, todo: Sequence[str], surroundings: Surroundings
) -> None:
    nonce = secrets.token_hex(16)
    steps = [step for step in plan.items if step.id in todo]
    redacted = redactor(surroundings.project_root)
    listener = _Listener(pen, number, nonce, [step.id for step in steps], redacted)
    digest = sha256(nonce.encode()).hexdigest()
    pen.write("attempt", {"number": number, "items": [step.id for step in steps], "nonce_sha256": digest})
    status: dict[str, Any] = {"status": "stopped", "code": None, "detail": "", "stderr": ""}
    try:
        done = target.serve(request(plan, steps, nonce, surroundings), listener, time_limit(steps))
        stderr = done.stderr.decode("utf-8", "replace")
        status = redacted({"status": done.status, "code": done.code, "detail": done.detail, "stderr": stderr[-16384:]})
    except JetproofError as error:
        if error.reason == "journal-unwritable":
            raise
        status = {"status": "failed", "code": None, "detail": error.message, "stderr": ""}
    finally:
        if not listener.unwritable:
            pen.write("worker-end", {"attempt": number, **status})


class _Listener:
    """Takes the worker's records as they come and writes down each, or why it was not accepted."""

    def __init__(
        self, pen: _Pen, number: int, nonce: str, items: Sequence[str], redacted: Callable[[Any], Any]
    ) -> None:
        self._redacted = redacted
        self._pen = pen
        self._number = number
        self._nonce = nonce
        self._acceptance = Acceptance(items)
        self._records = 0
        self._faults = 0
        self.unwritable = False

    def __call__(self, record: dict[str, object]) -> None:
        self._records += 1
        told, fault = self._read(record)
        try:
            self._take(told, fault)
        except JetproofError:
            self.unwritable = True
            raise

    def _read(self, record: Mapping[str, object]) -> tuple[dict[str, object], Fault | None]:
        """Return a record fit to be written down, and why it is not accepted, if it is not."""
        try:
            told = self._redacted({name: value for name, value in record.items() if name != "nonce"})
            json.dumps(told, allow_nan=False)
        except (ValueError, RecursionError):
            fault = Fault(code="malformed-record", detail="a record that JSON cannot hold, or nested too deep")
            return {}, fault
        if record.get("nonce") != self._nonce:
            return told, Fault(code="foreign-record", detail="a record without this run's nonce")
        if self._records > MOST_RECORDS:
            return told, Fault(code="too-many-records", detail=f"the worker sent more than {MOST_RECORDS} records")
        return told, self._acceptance.fault(told)

    def _take(self, told: dict[str, object], fault: Fault | None) -> None:
        if fault is not None:
            self._faults += 1
            excerpt = json.dumps(told, default=str)[:_EXCERPT]
            body = {"attempt": self._number, "code": fault.code, "detail": fault.detail, "excerpt": excerpt}
            self._pen.write("fault", body)
            if self._faults >= MOST_FAULTS or fault.code == "too-many-records":
                raise WorkerTalksTooMuch
        elif told["record"] in _TRANSIENT:
            self._pen.show("record", {"attempt": self._number, "record": told})
        else:
            self._pen.write("record", {"attempt": self._number, "record": told})


def request(
    plan: Plan, steps: Sequence[ProbeStep | PytestStep], nonce: str, surroundings: Surroundings
) -> dict[str, object]:
    """Return what the worker is asked (docs/worker-protocol.md)."""
    return {
        "schema": "jetproof/serve-request/1",
        "nonce": nonce,
        "items": [_item(step, surroundings) for step in steps],
        "parallel": "auto",
        "mode": "auto",
        "import_timeout": IMPORT_TIMEOUT,
        "python_env": dict(surroundings.python_env),
        "resolver": plan.resolver,
        "project_root": surroundings.project_root,
    }


def time_limit(steps: Sequence[ProbeStep | PytestStep]) -> float:
    """Return the seconds after which the worker itself is ended: all items one after the other, and some for itself."""
    return IMPORT_TIMEOUT * 2 + sum(step.timeout + 10 for step in steps) + 60


def _item(step: ProbeStep | PytestStep, surroundings: Surroundings) -> dict[str, object]:
    members: dict[str, object] = {"id": step.id, "timeout": step.timeout, "seed": step.seed}
    if step.exclusive is not None:
        members["exclusive"] = step.exclusive
    if isinstance(step, ProbeStep):
        return {**members, "probe": step.probe, "params": step.params}
    selection: dict[str, object] = {
        "root": surroundings.project_root,
        "args": list(step.pytest.args),
        "allow_plugins": list(step.pytest.plugins),
    }
    if surroundings.side_folder is not None:
        selection["side_folder"] = surroundings.side_folder
    if step.pytest.at_least is not None:
        selection["expected_at_least"] = step.pytest.at_least
    else:
        selection["expected"] = list(step.pytest.expected)
    return {**members, "pytest": selection}
