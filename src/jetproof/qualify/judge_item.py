"""What one attempt of an item comes to, from the records that the worker sent of it.

The worker's own word is believed when it says that something went wrong. Its PASS is checked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from jetproof.qualify.judge_tests import judged_tests, session_status
from jetproof.qualify.outcome import Attempt, Measurement, Outcome, TestResult
from jetproof.qualify.plan_model import ProbeStep, PytestStep

Record = Mapping[str, Any]


def judged(
    step: ProbeStep | PytestStep, records: Sequence[Record], number: int, *, interrupted: bool, refused: bool = False
) -> Attempt:
    """Return the outcome of attempt `number` of a planned item.

    `interrupted` says that the run was ended from outside, `refused` that the worker took no request.
    """
    started = [record for record in records if record["record"] == "start"]
    ends = [record for record in records if record["record"] == "end"]
    tests = judged_tests(step, records) if isinstance(step, PytestStep) else ()
    if not ends:
        if started:
            message = "it had started and its end was never told"
            return Attempt(
                number=number, outcome=Outcome.ERROR, reason="interrupted" if interrupted else "unfinished",
                message=message, tests=tests,
            )  # fmt: skip
        reason = "worker-refused" if refused else "interrupted-before" if interrupted else "not-started"
        message = "it was planned and never started"
        return Attempt(number=number, outcome=Outcome.MISS, reason=reason, message=message, tests=tests)
    if len(ends) > 1 or len(started) > 1:
        message = f"{len(started)} starts and {len(ends)} ends were told"
        return Attempt(number=number, outcome=Outcome.ERROR, reason="doubled-record", message=message, tests=tests)
    end = ends[0]
    measurements = _measurements(end)
    outcome, reason, message = Outcome(end["outcome"]), _text(end.get("reason")), _text(end.get("message"))
    if outcome is Outcome.PASS:
        outcome, reason, message = _checked(step, end, bool(started), measurements, message)
        worst = max(tests, key=lambda test: test.outcome.weight, default=None)
        if outcome is Outcome.PASS and worst is not None and worst.outcome is not Outcome.PASS:
            outcome, reason, message = worst.outcome, worst.reason, f"{worst.id}: {worst.message}"
        elif outcome is Outcome.PASS and isinstance(step, PytestStep):
            outcome, reason, message = _session(tests, records)
    detail = end.get("detail")
    return Attempt(
        number=number,
        outcome=outcome,
        reason=reason,
        message=message,
        seconds=_seconds(end),
        peak_memory_bytes=_whole(end.get("peak_memory_bytes")),
        signal=_text(end.get("signal")) or None,
        stderr=_text(end.get("stderr")),
        traceback=_text(end.get("traceback")),
        kernel=_text(end.get("kernel")),
        measurements=measurements or (),
        tests=tests,
        detail=detail if isinstance(detail, dict) else {},
    )


def _checked(
    step: ProbeStep | PytestStep, end: Record, started: bool, measurements: tuple[Measurement, ...] | None, message: str
) -> tuple[Outcome, str, str]:
    """Return what a PASS is worth."""
    if not started:
        return Outcome.ERROR, "pass-without-start", "it passed without having started"
    if end.get("reason") != "ok":
        return Outcome.MISS, _text(end.get("reason")), "it ended well without proving anything"
    detail = end.get("detail")
    if isinstance(step, ProbeStep) and (not isinstance(detail, dict) or detail.get("seed") != step.seed):
        return Outcome.ERROR, "seed-differs", "it did not run with the inputs that were planned"
    if measurements is None:
        return Outcome.ERROR, "bad-measurement", "a measurement is not in the form of the protocol"
    for measurement in measurements:
        value, bound = measurement.value, measurement.bound
        if isinstance(value, str):
            return Outcome.FAIL, "not-finite", f"{measurement.name} is {value}"
        low = measurement.sense == "at-least"
        if bound is not None and (value < bound if low else value > bound):
            relation = "below" if low else "above"
            return Outcome.FAIL, "bound-exceeded", f"{measurement.name} {value:g} is {relation} its bound {bound:g}"
    return Outcome.PASS, "ok", message


def _session(tests: tuple[TestResult, ...], records: Sequence[Record]) -> tuple[Outcome, str, str]:
    """Return what a session is worth whose tests all passed."""
    if not tests:
        return Outcome.MISS, "no-tests", "no test of the selection ran"
    status = session_status(records)
    if status != 0 or isinstance(status, bool):
        return Outcome.ERROR, "exit-status-differs", f"every test passed, and pytest ended with status {status!r}"
    return Outcome.PASS, "ok", f"{len(tests)} test{'s' * (len(tests) != 1)} passed"


def _measurements(end: Record) -> tuple[Measurement, ...] | None:
    """Return the measurements of an end record, None when they are not in the protocol's form."""
    told = end.get("measurements")
    if told is None:
        return ()
    if not isinstance(told, list):
        return None
    measurements = []
    for entry in told:
        if not isinstance(entry, dict):
            return None
        value, bound, sense = entry.get("value"), entry.get("bound"), entry.get("sense")
        if value not in ("nan", "inf", "-inf") and not _number(value):
            return None
        if (bound is None) != (sense is None) or (bound is not None and not _number(bound)):
            return None
        if sense not in (None, "at-most", "at-least"):
            return None
        assert isinstance(value, int | float | str)  # noqa: S101 - checked above, for the type checker
        measurements.append(
            Measurement(
                name=_text(entry.get("name")), value=value, unit=_text(entry.get("unit")), bound=bound, sense=sense
            )
        )
    return tuple(measurements)


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _seconds(record: Record) -> float:
    value = record.get("seconds")
    return float(value) if isinstance(value, int | float) and _number(value) else 0.0


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
