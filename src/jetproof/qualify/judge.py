"""What a journal says about its gate: a pure function of the lines, whoever reads them and whenever.

Green means: the plan is the one that was written down, every planned item passed, each exactly once, the worker
told its last record and ended well, the tree was the same before and after, and the journal has its finish.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jetproof.errors import ExitCode
from jetproof.qualify import clock
from jetproof.qualify.acceptance import Acceptance, Fault
from jetproof.qualify.journal import SCHEMA, Journal
from jetproof.qualify.judge_item import judged
from jetproof.qualify.outcome import Attempt, ItemResult, Objection, Outcome, Verdict
from jetproof.qualify.plan_model import Plan, ProbeStep, PytestStep, from_json
from jetproof.qualify.reach import reach
from jetproof.qualify.sessions import sessions
from jetproof.qualify.shape import misshapen


def verdict(journal: Journal) -> Verdict:
    """Return the outcome of every planned item and whether the gate is green. Never raises, whatever the lines hold."""
    wrong = next((fault for fault in map(misshapen, journal.entries) if fault is not None), None)
    plan = plan_of(journal) if wrong is None else None
    if plan is None:
        reason = Objection(reason="no-plan", message=wrong or "the journal does not begin with a plan")
        return Verdict(gate="unknown", green=False, items=(), objections=(reason,), not_proven=(reason,))
    items = tuple(_item(step, journal) for step in plan.items)
    objections = tuple(_objections(journal, plan))
    green = bool(items) and all(item.outcome is Outcome.PASS for item in items) and not objections
    return Verdict(
        gate=plan.gate.id,
        green=green,
        items=items,
        objections=objections,
        not_proven=(*_not_proven(plan), *_around(journal), *(_code(journal) if plan.rehearsal else ())),
        reach=reach(plan.gate.platform),
    )


def plan_of(journal: Journal) -> Plan | None:
    """Return the plan that the journal begins with, None when there is none."""
    if not journal.entries or journal.entries[0].kind != "begin":
        return None
    try:
        return from_json(journal.entries[0].body.get("plan"))
    except (ValueError, RecursionError):
        return None


@dataclass(frozen=True, kw_only=True)
class _Told:
    """What one worker told: only records that fit are judged."""

    number: int
    items: Sequence[str]
    records: tuple[Mapping[str, Any], ...]
    faults: tuple[Fault, ...]
    finished: bool
    refused: bool


def _attempts(journal: Journal) -> Iterator[_Told]:
    """Yield what the worker of each attempt told."""
    for opening in journal.of("attempt"):
        number = opening.body["number"]
        acceptance = Acceptance(opening.body["items"])
        records, faults = [], []
        for entry in journal.of("record"):
            if entry.body["attempt"] == number:
                fault = acceptance.fault(entry.body["record"])
                if fault is None:
                    records.append(entry.body["record"])
                else:
                    faults.append(fault)
        yield _Told(
            number=number,
            items=opening.body["items"],
            records=tuple(records),
            faults=tuple(faults),
            finished=acceptance.finished,
            refused=acceptance.refused,
        )


def _item(step: ProbeStep | PytestStep, journal: Journal) -> ItemResult:
    interrupted = bool(journal.of("interrupted"))
    tries: list[Attempt] = []
    for told in _attempts(journal):
        if step.id in told.items:
            own = [record for record in told.records if record.get("item") == step.id]
            tries.append(judged(step, own, told.number, interrupted=interrupted, refused=told.refused))
    if not tries:
        tries.append(judged(step, (), 1, interrupted=interrupted))
    last = tries[-1]
    outcome, reason, message = last.outcome, last.reason, last.message
    if outcome is Outcome.PASS and len(tries) > 1:
        outcome, reason = Outcome.FLAKY, f"passed-on-attempt-{last.number}"
        message = f"attempt 1 was {tries[0].outcome.value} ({tries[0].reason})"
    return ItemResult(id=step.id, outcome=outcome, reason=reason, message=message, attempts=tuple(tries))


def _objections(journal: Journal, plan: Plan) -> Iterator[Objection]:
    if journal.broken is not None:
        yield Objection(reason="journal-broken", message=f"the journal was changed: {journal.broken}")
    elif not journal.finished:
        yield Objection(reason="unfinished", message="the run has no finish: it was killed, or the power failed")
    begin = journal.entries[0]
    if len(journal.of("begin")) != 1 or begin.body.get("schema") != SCHEMA:
        yield Objection(reason="journal-broken", message="the journal does not begin with exactly one beginning")
    if begin.body.get("plan_digest") != plan.digest:
        yield Objection(reason="plan-differs", message="the plan is not the one whose digest was written down")
    if not plan.items:
        yield Objection(reason="nothing-planned", message="the plan is empty")
    for entry in journal.of("interrupted"):
        yield Objection(reason="interrupted", message=f"the run was interrupted ({entry.body['by']})")
    for entry in journal.of("fault"):
        yield Objection(reason=entry.body["code"], message=entry.body["detail"])
    yield from _workers(journal, plan)
    yield from _tree(journal, plan)
    if not plan.rehearsal:  # a rehearsal is for such code, and proves nothing
        yield from _code(journal)
    yield from _clocks(journal)


def _workers(journal: Journal, plan: Plan) -> Iterator[Objection]:
    openings = journal.of("attempt")
    ends = {entry.body["attempt"]: entry.body for entry in journal.of("worker-end")}
    if not openings:
        yield Objection(reason="worker-not-started", message="no worker was started")
    known = [opening.body["number"] for opening in openings]
    if known != list(range(1, len(known) + 1)) or len(ends) != len(journal.of("worker-end")):
        yield Objection(reason="journal-broken", message="the attempts are not told one after the other")
    if openings and sorted(openings[0].body["items"]) != sorted(step.id for step in plan.items):
        yield Objection(reason="plan-differs", message="the first attempt is not of all planned items")
    for told in _attempts(journal):
        number = told.number
        yield from (Objection(reason=fault.code, message=fault.detail) for fault in told.faults)
        if told.refused:
            said = next((str(r.get("message")) for r in told.records if r["record"] == "refused"), "")
            yield Objection(reason="worker-refused", message=f"the worker did not take the request: {said}")
        elif not told.finished:
            message = f"attempt {number}: the worker never told its last record"
            yield Objection(reason="worker-unfinished", message=message)
        end = ends.get(number)
        if end is None:
            yield Objection(reason="worker-unfinished", message=f"attempt {number}: the end of the worker is not told")
        elif end.get("status") != "exited" or end.get("code") != 0:
            message = f"attempt {number}: the worker {end.get('status')} ({end.get('code')})"
            yield Objection(reason=f"worker-{end.get('status')}", message=message)


def _tree(journal: Journal, plan: Plan) -> Iterator[Objection]:
    after = journal.of("after")
    if len(after) != 1:
        yield Objection(reason="tree-not-read-again", message="the project's tree was not read again after the run")
    elif after[0].body["source"] != plan.as_json()["source"]:
        yield Objection(reason="tree-changed", message="the project's tree is not the same after the run")


def _code(journal: Journal) -> Iterator[Objection]:
    """Yield what was held against the commit and is not in it; a journal that does not tell it was not held to it."""
    for entry in journal.of("after"):
        told = entry.body.get("code")
        listed = told.get("not_in_commit") if isinstance(told, dict) and "unchecked" in told else None
        if not isinstance(told, dict) or not isinstance(listed, list):
            yield Objection(reason="code-not-checked", message="the code that was imported is not told as it should be")
            continue
        if told.get("unchecked") is not None:
            message = f"whether the commit holds the code that was imported cannot be checked: {told['unchecked']}"
            yield Objection(reason="code-not-checked", message=message[:1000])
        if listed:
            more = f" and {len(listed) - 3} more" if len(listed) > 3 else ""
            message = (
                f"the commit does not hold {', '.join(str(path)[:200] for path in listed[:3])}{more}: "
                "commit or remove these (git status --ignored shows them)"
            )
            yield Objection(reason="code-not-in-commit", message=message)


def _clocks(journal: Journal) -> Iterator[Objection]:
    for before, after in zip(journal.entries, journal.entries[1:], strict=False):
        if before.at.boot != after.at.boot:
            yield Objection(reason="restarted", message="the machine was started again during the run")
        elif after.at.monotonic < before.at.monotonic:
            yield Objection(reason="clock-jumped", message="the monotonic clock went backwards")
        else:
            moved = clock.jump(before.at, after.at)
            if moved is not None:
                message = f"the wall clock was moved by {moved} s during the run: set the clock (NTP), then run again"
                yield Objection(reason="clock-jumped", message=message)


def _not_proven(plan: Plan) -> Iterator[Objection]:
    for note in plan.rehearsal:
        yield Objection(reason=note.reason, message=note.message)
    if plan.origin != "live":
        message = f"the machine is {plan.origin}, not a live one: this can prove nothing"
        yield Objection(reason=f"origin-{plan.origin}", message=message)
    if not plan.gate.carries_claim:
        yield Objection(reason="no-claim", message="the policy gives this gate no claim to carry")
    if plan.gate.platform == "jetson" and plan.tier is None:
        yield Objection(reason="no-tier", message="no tier of the policy is this board with this L4T release")


def _around(journal: Journal) -> Iterator[Objection]:
    """Yield what the host's tests ran with that the commit does not hold."""
    found = sessions(journal)
    if found.outside:
        message = f"code of the project was not that of its tree: {', '.join(found.outside[:3])}"
        yield Objection(reason="code-outside-tree", message=message)
    if found.unclean:
        message = f"the tests ran with what could hide or change them: {', '.join(found.unclean[:3])}"
        yield Objection(reason="environment-unclean", message=message)


def exit_code(judged: Verdict) -> ExitCode:
    """Return the exit code that goes with a verdict: green 0, interrupted 130, no 1, a record that broke off 3."""
    reasons = {entry.reason for entry in judged.objections}
    if judged.green:
        return ExitCode.OK
    if "interrupted" in reasons:
        return ExitCode.INTERRUPTED
    if "nothing-planned" in reasons:
        return ExitCode.NOTHING_PLANNED
    if reasons & {"journal-broken", "plan-differs"}:
        return ExitCode.EVIDENCE_INVALID
    return ExitCode.INTERNAL if reasons & {"unfinished", "no-plan"} else ExitCode.NO
