"""
Evidence that is too old, or whose clock cannot be right.

A board without a battery starts in 1970. Its clock counts only as a lower bound: what another party saw is stronger.
Where it was not synchronised, a challenge that was kept before the run takes its place: the age counts from its issue.
The age is counted in whole UTC days: with a limit of 30, day 30 counts and day 31 does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timezone

from jetproof.evidence.bracket import earliest
from jetproof.evidence.circumstances import Circumstances, Evidence
from jetproof.evidence.reason import Reason, Refusal
from jetproof.evidence.statement import Statement

_SLACK_SECONDS = 5.0
_SLACK_SHARE = 0.01


def effective(said: Statement, around: Circumstances) -> datetime:
    """Return the time from which the age counts: never later than another party saw the evidence.

    A pass whose clock was not synchronised counts from the earliest moment at which it can have begun. A failure does
    not: the later it was, the fewer passes clear it.
    """
    when = said.finished if around.trusted_time is None else min(said.finished, around.trusted_time)
    if said.ntp_synced is True or said.result != "PASSED":
        return when
    began = earliest(said, around)
    return when if isinstance(began, Refusal) else min(when, began)


def age_days(when: datetime, now: datetime) -> int:
    """Return the age in whole UTC days."""
    return (_day(now) - _day(when)).days


def _day(when: datetime) -> date:
    return (when if when.tzinfo is timezone.utc else when.astimezone(timezone.utc)).date()


def check(evidence: Evidence, around: Circumstances) -> Iterator[Refusal]:
    """Yield what is wrong with the time."""
    said = evidence.statement
    yield from _contradictions(said, around)
    when = effective(said, around)
    age = age_days(when, around.now)
    if age > around.maximum_age_days:
        yield Refusal(
            reason=Reason.STALE,
            message=f"{age} days old ({when:%Y-%m-%d}), at most {around.maximum_age_days} count",
            hint="run the gate again on the board",
        )


def _contradictions(said: Statement, around: Circumstances) -> Iterator[Refusal]:
    if said.finished > around.now + around.leeway:
        yield Refusal(
            reason=Reason.FUTURE, message=f"it says it finished at {said.finished:%Y-%m-%d %H:%M}Z, later than now"
        )
    committed = around.repository.committed(said.commit) if around.repository is not None else None
    if committed is not None and said.finished < committed:
        yield Refusal(
            reason=Reason.BEFORE_COMMIT,
            message=f"it finished {said.finished:%Y-%m-%d %H:%M}Z, before the commit of {committed:%Y-%m-%d %H:%M}Z",
            hint="set the board's clock (timedatectl set-ntp true), then run the gate again",
        )
    seconds = (said.finished - said.started).total_seconds()
    if seconds < 0:
        yield Refusal(reason=Reason.MONOTONIC_MISMATCH, message="it says it finished before it started")
    elif said.monotonic_seconds is None:
        yield Refusal(
            reason=Reason.MONOTONIC_MISMATCH,
            message="no clock ran through from start to finish: the board was restarted, or nobody counted",
        )
    elif abs(seconds - said.monotonic_seconds) > max(_SLACK_SECONDS, _SLACK_SHARE * seconds):
        yield Refusal(
            reason=Reason.MONOTONIC_MISMATCH,
            message=f"the wall clock moved {seconds:.0f} s during a run of {said.monotonic_seconds:.0f} s",
        )
    if said.ntp_synced is not True:
        yield from _unsynchronised(said, around)


def _unsynchronised(said: Statement, around: Circumstances) -> Iterator[Refusal]:
    began = earliest(said, around)
    if not isinstance(began, Refusal):
        return
    state = "was not synchronised" if said.ntp_synced is False else "is not known to have been synchronised"
    if began.reason is Reason.CLOCK_UNTRUSTED:
        began = replace(began, message=f"the board's clock {state}, and {began.message}")
    yield began
