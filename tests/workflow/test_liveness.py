"""Whether a lane that has silently died is told, and why."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.workflow.planted import GOOD, POLICY
from tests.workflow.projects import NOW

from jetproof.errors import UsageError
from jetproof.policy.load import parse
from jetproof.render import lane as render
from jetproof.render.style import PLAIN
from jetproof.workflow.liveness import Evidence, Liveness, Run, Sign, judge, runs_from

RULES_OF, _ = parse((GOOD / POLICY).read_bytes(), what=POLICY)
JETSON, ARM = "jetson-cuda-runtime", "linux-arm64-preflight"


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def evidence(days: float, gate: str = JETSON, passed: bool = True) -> Evidence:
    return Evidence(gate=gate, finished=ago(days), passed=passed)


def ran(days: float, conclusion: str = "success", status: str = "completed") -> Run:
    return Run(created=ago(days), status=status, conclusion=conclusion)


def told(found: Liveness) -> set[Sign]:
    return {one.sign for one in found.told}


ALIVE = (evidence(1), evidence(1, ARM))


def test_a_lane_that_lives() -> None:
    found = judge(RULES_OF, ALIVE, [ran(1)], ago(2), NOW)
    assert found.told == ()
    assert found.exit_code == 0


@pytest.mark.parametrize(
    ("known", "runs", "commit", "sign", "code"),
    [
        ((evidence(1, ARM),), None, 1, Sign.NEVER_PROVEN, 1),
        ((evidence(8), evidence(1, ARM)), None, 1, Sign.LATE, 1),
        ((evidence(31), evidence(1, ARM)), None, 1, Sign.STALE, 7),
        ((evidence(2), evidence(1, passed=False), evidence(1, ARM)), None, 1, Sign.FAILING, 1),
        (ALIVE, [], 1, Sign.NEVER_RAN, 1),
        (ALIVE, [ran(8)], 1, Sign.RUN_LATE, 1),
        (ALIVE, [ran(1, "failure"), ran(2, "cancelled"), ran(3, "failure")], 1, Sign.RUNS_FAILING, 1),
        (ALIVE, [ran(3, "", "queued"), ran(1)], 1, Sign.QUEUED, 1),
        (ALIVE, [ran(1)], 60, Sign.SWITCHED_OFF, 1),
        (ALIVE, [ran(1)], 50, Sign.SOON_OFF, 0),
    ],
)
def test_each_sign(known: tuple[Evidence, ...], runs: list[Run] | None, commit: float, sign: Sign, code: int) -> None:
    found = judge(RULES_OF, known, runs, ago(commit), NOW)
    assert told(found) == {sign}
    assert found.exit_code == code
    text = render.liveness(found, NOW, PLAIN)
    assert sign.value in text
    assert text.startswith("the lane lives" if code == 0 else "the lane has died or is dying")


@pytest.mark.parametrize("runs", [None, []])
def test_a_lane_that_has_never_run_is_not_called_dead(runs: list[Run] | None) -> None:
    found = judge(RULES_OF, (), runs, ago(1), NOW)
    assert found.exit_code == 4
    assert render.liveness(found, NOW, PLAIN).startswith("the lane has never run")
    assert render.liveness_json(found)["alive"] is None


def test_a_new_lane_whose_run_waits_for_the_board_is_dying() -> None:
    found = judge(RULES_OF, (), [ran(3, "", "queued")], ago(1), NOW)
    assert found.exit_code == 1


def test_day_thirty_counts_and_day_thirty_one_does_not() -> None:
    assert Sign.STALE not in told(judge(RULES_OF, (evidence(30), *ALIVE[1:]), None, None, NOW))
    assert Sign.STALE in told(judge(RULES_OF, (evidence(31), *ALIVE[1:]), None, None, NOW))


def test_evidence_from_the_future_keeps_nothing_alive() -> None:
    found = judge(RULES_OF, (evidence(-2), evidence(40), evidence(1, ARM)), None, None, NOW)
    assert told(found) == {Sign.STALE}


def test_an_alias_speaks_for_its_gate_and_a_rehearsal_for_none() -> None:
    found = judge(
        RULES_OF, (evidence(1, "jetson-runtime"), evidence(1, "model-download"), evidence(1, ARM)), None, None, NOW
    )
    assert found.told == ()
    assert set(found.last_evidence) == {JETSON, ARM}


def test_runs_that_were_not_looked_at_are_not_guessed() -> None:
    found = judge(RULES_OF, ALIVE, None, None, NOW)
    assert "not looked at" in render.liveness(found, NOW, PLAIN)
    assert render.liveness_json(found)["runs_known"] is False


@given(st.lists(st.tuples(st.floats(0, 100), st.booleans()), max_size=6), st.floats(0, 100))
def test_removing_or_ageing_passes_never_revives(rows: list[tuple[float, bool]], older: float) -> None:
    known = [evidence(days, passed=passed) for days, passed in rows] + [evidence(0, ARM)]
    before = judge(RULES_OF, known, None, None, NOW).exit_code
    aged = [Evidence(gate=one.gate, finished=one.finished - timedelta(days=older), passed=one.passed) for one in known]
    if before != 0:
        assert judge(RULES_OF, aged, None, None, NOW).exit_code != 0
        assert judge(RULES_OF, [one for one in known if not one.passed], None, None, NOW).exit_code != 0


def listed(**members: object) -> dict[str, object]:
    return {"createdAt": "2026-11-29T03:17:00Z", "status": "completed", "conclusion": "success", **members}


def test_runs_of_another_workflow_are_left_out() -> None:
    data = json.dumps([listed(workflowName="ci"), listed(workflowName="conditional tests"), listed()]).encode()
    assert len(runs_from(data, "runs.json", "conditional tests")) == 2
    assert len(runs_from(data, "runs.json", None)) == 3


@pytest.mark.parametrize(
    "value",
    [
        {},
        [1],
        [listed(createdAt=None)],
        [listed(status=3)],
        [listed(createdAt="yesterday")],
        [listed(createdAt="2026-13-01T00:00:00Z")],
        [listed()] * 10_001,
    ],
)
def test_what_is_no_list_of_runs(value: object) -> None:
    with pytest.raises(UsageError):
        runs_from(json.dumps(value).encode(), "runs.json", None)


def test_a_run_that_has_not_ended_has_no_conclusion() -> None:
    found = runs_from(json.dumps([listed(conclusion=None)]).encode(), "runs.json", None)
    assert found[0].conclusion == ""
