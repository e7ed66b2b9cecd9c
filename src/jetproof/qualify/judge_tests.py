"""What became of each of the host's tests, from the phases that the worker told.

A test passed when its setup, call and teardown each passed exactly once, in a session that came to its end.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from jetproof.qualify.outcome import Outcome, TestResult
from jetproof.qualify.plan_model import PytestStep

Record = Mapping[str, Any]
_PHASES = ("setup", "call", "teardown")


def judged_tests(step: PytestStep, records: Sequence[Record]) -> tuple[TestResult, ...]:
    """Return one result for each planned test, and one for each that ran without being planned.

    With a count floor in place of ids, what was collected is what must pass.
    """
    collected = _collected(records)
    finished = session_status(records) is not None
    phases: dict[str, dict[str, list[Record]]] = {}
    for record in records:
        if record["record"] == "test":
            phases.setdefault(str(record["id"]), {}).setdefault(str(record["phase"]), []).append(record)
    floor = step.pytest.at_least
    expected = tuple(collected or ()) if floor is not None else tuple(step.pytest.expected)
    results = [_one(name, phases.get(name, {}), collected, finished) for name in expected]
    planned = set(expected)
    results += [
        TestResult(id=name, outcome=Outcome.ERROR, reason="unexpected-test", message="it ran and is not in the plan")
        for name in phases
        if name not in planned
    ]
    if floor is not None and len(expected) < floor:
        message = f"{len(expected)} tests were collected, at least {floor} were asked for"
        results.append(TestResult(id=f"{step.id}::count", outcome=Outcome.MISS, reason="below-floor", message=message))
    return tuple(results)


def _one(
    name: str, phases: Mapping[str, Sequence[Record]], collected: tuple[str, ...] | None, finished: bool
) -> TestResult:
    told = [record for phase in _PHASES for record in phases.get(phase, ())]
    seconds = round(sum(_seconds(record) for record in told), 6)

    def result(outcome: Outcome, reason: str, message: str) -> TestResult:
        return TestResult(id=name, outcome=outcome, reason=reason, message=message, seconds=seconds)

    if any(len(phases.get(phase, ())) > 1 for phase in _PHASES):
        return result(Outcome.ERROR, "ran-twice", "a phase was told more than once")
    bad = [record for record in told if record["outcome"] != "PASS"]
    if bad:
        worst = max(bad, key=lambda record: Outcome(record["outcome"]).weight)
        message = worst.get("message")
        reason = worst.get("reason")
        return result(
            Outcome(worst["outcome"]),
            reason if isinstance(reason, str) and reason else "no-reason",
            message if isinstance(message, str) else "",
        )
    if not told:
        if collected is None:
            return result(Outcome.MISS, "not-started", "the session ended before it collected the test")
        if name not in collected:
            return result(
                Outcome.MISS, "not-collected", "pytest did not collect it: skipped as a module, renamed, or removed"
            )
        return result(Outcome.MISS, "not-started", "the session ended before it")
    if len(told) < len(_PHASES):
        return result(Outcome.MISS, "not-finished", f"only {', '.join(str(r['phase']) for r in told)} ran")
    if collected is None or collected.count(name) != 1:
        return result(Outcome.ERROR, "journal-broken", "it ran without having been collected exactly once")
    if not finished:
        return result(Outcome.ERROR, "no-finish", "pytest's session never came to its end")
    return result(Outcome.PASS, "ok", "")


def _collected(records: Sequence[Record]) -> tuple[str, ...] | None:
    for record in records:
        if record["record"] == "collected" and isinstance(record.get("ids"), list):
            return tuple(str(name) for name in record["ids"])
    return None


def session_status(records: Sequence[Record]) -> object:
    """Return the exit status that pytest's session ended with, None when it never came to its end."""
    ends = [record for record in records if record["record"] == "pytest-finish"]
    return ends[0].get("status") if len(ends) == 1 else None


def _seconds(record: Record) -> float:
    value = record.get("seconds")
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else 0.0
