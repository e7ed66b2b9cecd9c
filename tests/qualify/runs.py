"""Runs a scripted worker through the real runner into a real journal, with clocks that tick by themselves."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path

from tests.qualify.streams import CLEAN, a_plan

from jetproof.errors import JetproofError
from jetproof.qualify.clock import Instant
from jetproof.qualify.code import Code
from jetproof.qualify.journal import Journal, Writer, read
from jetproof.qualify.judge import verdict
from jetproof.qualify.outcome import Verdict
from jetproof.qualify.plan_model import Plan, Source
from jetproof.qualify.run import After, Serves, Surroundings, run

START = datetime(2026, 11, 30, 12, 0, 0, tzinfo=timezone.utc)


def ticking(step: float = 0.01, jump_at: int | None = None, jump: float = 0.0) -> Callable[[], Instant]:
    """Return a pair of clocks; the wall clock jumps by `jump` seconds at reading number `jump_at`."""
    readings = 0

    def now() -> Instant:
        nonlocal readings
        readings += 1
        shift = jump if jump_at is not None and readings >= jump_at else 0.0
        wall = START + timedelta(seconds=readings * step + shift)
        utc = wall.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        return Instant(utc=utc, monotonic=round(100 + readings * step, 6), boot="0" * 16)

    return now


def ran(
    target: Serves,
    folder: Path,
    *,
    plan: Plan | None = None,
    after: Source | JetproofError = CLEAN,
    now: Callable[[], Instant] | None = None,
) -> bytes:
    """Run and return the journal's bytes."""
    path = folder / "journal.jsonl"
    writer = Writer(path, now or ticking(), sync=lambda file: None)
    try:
        run(
            target,
            plan or a_plan(),
            writer,
            context={"device_id": "f" * 32, "facts": {}, "state": {}},
            surroundings=Surroundings(project_root="/project"),
            after=lambda _: _after(after),
        )
    finally:
        writer.close()
    return path.read_bytes()


def _after(found: Source | JetproofError) -> After:
    if isinstance(found, JetproofError):
        raise found
    return After(source=found, state={}, code=Code().as_json())


def judged(data: bytes) -> Verdict:
    """Return the verdict of a journal's bytes."""
    return verdict(read(data))


def journal_of(data: bytes) -> Journal:
    """Return the journal of the bytes."""
    return read(data)
