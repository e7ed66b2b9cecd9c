"""
A green result that its own plan does not bear out, and tests that were hidden from the count.

Green needs: something was planned, every planned item passed, each exactly once, nothing else was taken away.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.evidence.circumstances import Circumstances, Evidence
from jetproof.evidence.reason import Reason, Refusal
from jetproof.evidence.statement import Statement


def check(evidence: Evidence, _around: Circumstances) -> Iterator[Refusal]:
    """Yield each contradiction between result and plan, and each sign that tests were hidden."""
    said = evidence.statement
    yield from _contradictions(said)
    if said.planned == 0:
        yield Refusal(reason=Reason.PLAN_EMPTY, message="nothing was planned, so nothing was proven")
    if said.deselected:
        yield Refusal(
            reason=Reason.TESTS_HIDDEN,
            message=f"{len(said.deselected)} planned tests were deselected: {said.deselected[0]}",
        )
    environment = said.body["predicate"]["jetproof"].get("environment")
    if environment is not None:
        unclean = environment.get("unclean") if isinstance(environment, dict) else ["?"]
        for name in unclean if isinstance(unclean, list) else ["?"]:
            yield Refusal(reason=Reason.ENVIRONMENT_UNCLEAN, message=f"{str(name)[:80]} can hide or change tests")


def _contradictions(said: Statement) -> Iterator[Refusal]:
    green = said.result == "PASSED"
    whole = said.planned == said.executed == said.passed_count == len(said.passed)
    clean = whole and not (said.failed or said.warned or said.not_run or said.deselected or said.retried or said.waived)
    counters = said.body["predicate"]
    if green and not clean:
        yield Refusal(
            reason=Reason.RESULT_CONTRADICTS_PLAN,
            message=f"it says PASSED, but {said.passed_count} of {said.planned} planned items passed",
        )
    elif green != (said.outcome == "PASS"):
        yield Refusal(
            reason=Reason.RESULT_CONTRADICTS_PLAN, message=f"result {said.result} beside outcome {said.outcome}"
        )
    elif len(set(said.passed)) != len(said.passed) or set(said.passed) & {*said.failed, *said.warned}:
        yield Refusal(reason=Reason.RESULT_CONTRADICTS_PLAN, message="an item is counted more than once")
    elif not said.passed_count <= said.executed <= said.planned:
        yield Refusal(reason=Reason.RESULT_CONTRADICTS_PLAN, message="more passed or ran than was planned")
    elif (counters.get("successes"), counters.get("failures")) != (len(said.passed), len(said.failed)):
        yield Refusal(reason=Reason.RESULT_CONTRADICTS_PLAN, message="the counters differ from the lists of tests")


def shortfalls(said: Statement) -> Iterator[Refusal]:
    """Yield why a statement that stands proves nothing: it tells a failure, a retry or a waiver."""
    if said.outcome == "FLAKY" or said.retried:
        first = said.retried[0] if said.retried else "an item"
        yield Refusal(reason=Reason.FLAKY, message=f"passed only on a later attempt: {first}")
    elif said.waived:
        yield Refusal(reason=Reason.WAIVED, message=f"a waived item is not proven: {said.waived[0]}")
    elif said.result != "PASSED":
        first = (*said.failed, *said.not_run, *said.warned, "no item")[0]
        yield Refusal(
            reason=Reason.NOT_PASSED,
            message=f"outcome {said.outcome}: {said.passed_count} of {said.planned} items passed; first not: {first}",
        )
