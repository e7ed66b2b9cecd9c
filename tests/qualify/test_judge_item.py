"""What an item's own records are worth: each form that no honest worker sends, and each bound that is not kept."""

from __future__ import annotations

from typing import Any

import pytest
from tests.qualify.streams import end

from jetproof.qualify.judge_item import judged
from jetproof.qualify.outcome import Outcome
from jetproof.qualify.plan_model import ProbeStep, PytestStep, Selection

PROBE = ProbeStep(id="probe::numerics", probe="numerics", params={}, timeout=30.0, seed=5)
TESTS = PytestStep(id="pytest::own", timeout=60.0, seed=5, pytest=Selection(args=("t.py",), expected=("t.py::a",)))
FLOOR = PytestStep(id="pytest::own", timeout=60.0, seed=5, pytest=Selection(args=("t.py",), at_least=2))
START = {"record": "start", "item": PROBE.id}


def outcome(*records: dict[str, Any], step: ProbeStep | PytestStep = PROBE, **known: Any) -> tuple[Outcome, str]:
    found = judged(step, records, 1, **{"interrupted": False, **known})
    return found.outcome, found.reason


def measured(*entries: Any) -> tuple[Outcome, str]:
    return outcome(START, {**end(PROBE.id, seed=5), "measurements": list(entries)})


def test_what_never_came_to_an_end_is_named() -> None:
    assert outcome(START) == (Outcome.ERROR, "unfinished")
    assert outcome(START, interrupted=True) == (Outcome.ERROR, "interrupted")
    assert outcome() == (Outcome.MISS, "not-started")
    assert outcome(interrupted=True) == (Outcome.MISS, "interrupted-before")
    assert outcome(refused=True) == (Outcome.MISS, "worker-refused")


def test_doubled_ends_and_passes_from_nowhere_are_errors() -> None:
    assert outcome(START, end(PROBE.id, seed=5), end(PROBE.id, seed=5)) == (Outcome.ERROR, "doubled-record")
    assert outcome(end(PROBE.id, seed=5)) == (Outcome.ERROR, "pass-without-start")
    assert outcome(START, end(PROBE.id, seed=6)) == (Outcome.ERROR, "seed-differs")
    assert outcome(START, end(PROBE.id, "PASS", "unsupported", seed=5)) == (Outcome.MISS, "unsupported")


@pytest.mark.parametrize(
    "entry",
    [
        "not an object",
        {"name": "a", "value": "much"},
        {"name": "a", "value": True},
        {"name": "a", "value": 1.0, "bound": 2.0},
        {"name": "a", "value": 1.0, "sense": "at-most"},
        {"name": "a", "value": 1.0, "bound": "2", "sense": "at-most"},
        {"name": "a", "value": 1.0, "bound": 2.0, "sense": "about"},
    ],
)
def test_a_measurement_in_another_form_is_no_pass(entry: Any) -> None:
    assert measured(entry) == (Outcome.ERROR, "bad-measurement")


def test_measurements_that_are_no_list_are_no_pass() -> None:
    assert outcome(START, {**end(PROBE.id, seed=5), "measurements": {"a": 1}}) == (Outcome.ERROR, "bad-measurement")


def test_the_controller_holds_every_bound_itself() -> None:
    assert measured({"name": "a", "value": 1.0, "bound": 1.0, "sense": "at-most"}) == (Outcome.PASS, "ok")
    assert measured({"name": "a", "value": 1.1, "bound": 1.0, "sense": "at-most"}) == (Outcome.FAIL, "bound-exceeded")
    assert measured({"name": "a", "value": 1.0, "bound": 1.0, "sense": "at-least"}) == (Outcome.PASS, "ok")
    assert measured({"name": "a", "value": 0.9, "bound": 1.0, "sense": "at-least"}) == (Outcome.FAIL, "bound-exceeded")
    assert measured({"name": "a", "value": "nan", "bound": 1.0, "sense": "at-most"}) == (Outcome.FAIL, "not-finite")


def session(*phases: tuple[str, str], step: PytestStep = TESTS, **last: Any) -> tuple[Outcome, str]:
    """Judge a session with these (test, outcome) told for each phase."""
    told = [
        {"record": "test", "item": step.id, "id": name, "phase": phase, "outcome": found, "reason": "ok"}
        for name, found in phases
        for phase in ("setup", "call", "teardown")
    ]
    names = list(dict.fromkeys(name for name, _ in phases))
    finish = {"record": "pytest-finish", "item": step.id, "status": 0, **last}
    start, collected = {**START, "item": step.id}, {"record": "collected", "item": step.id, "ids": names}
    return outcome(start, collected, *told, finish, end(step.id, seed=5), step=step)


def test_a_sessions_pass_is_held_against_its_tests() -> None:
    assert session(("t.py::a", "PASS")) == (Outcome.PASS, "ok")
    assert session(("t.py::a", "PASS"), status=1) == (Outcome.ERROR, "exit-status-differs")
    assert session(("t.py::a", "PASS"), status=False) == (Outcome.ERROR, "exit-status-differs")
    assert session(("t.py::a", "PASS"), ("t.py::b", "PASS")) == (Outcome.ERROR, "unexpected-test")
    assert session(("t.py::a", "PASS"), ("t.py::a", "PASS"))[1] == "ran-twice"
    assert session()[0] is Outcome.MISS


def test_a_floor_is_counted_by_the_controller() -> None:
    assert session(("t.py::a", "PASS"), ("t.py::b", "PASS"), step=FLOOR) == (Outcome.PASS, "ok")
    assert session(("t.py::a", "PASS"), step=FLOOR) == (Outcome.MISS, "below-floor")
    assert session(step=FLOOR) == (Outcome.MISS, "below-floor")
