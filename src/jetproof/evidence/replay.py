"""Makes the record and the statement again from the journal, and tells each difference to what was signed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jetproof.evidence.from_run import predicate_of
from jetproof.evidence.reason import Reason, Refusal
from jetproof.evidence.statement import Statement
from jetproof.qualify import journal as journals
from jetproof.qualify.judge import plan_of
from jetproof.qualify.record import record, to_bytes

JOURNAL = "journal.jsonl"
"""The journal's place among the side files."""
RECORD = "record.json"
_PLACED = ("seq", "attempt", "previousEvidence", "replaces")
"""Members of `run` that the signer adds: the journal cannot know them."""


def contradictions(said: Statement, contents: Mapping[str, bytes]) -> Iterator[Refusal]:
    """Yield what the journal contradicts. `contents` are side files whose digests were checked already."""
    if JOURNAL not in contents:
        if not any(item.name == JOURNAL for item in said.artifacts):
            yield Refusal(
                reason=Reason.ARTIFACT_MISSING, message=f"the statement binds no {JOURNAL}, so nothing can be replayed"
            )
        return
    journal = journals.read(contents[JOURNAL])
    if journal.broken is not None:
        yield Refusal(reason=Reason.JOURNAL_BROKEN, message=f"the journal's chain does not hold: {journal.broken}")
        return
    if not journal.finished and said.result == "PASSED":
        yield Refusal(
            reason=Reason.JOURNAL_UNFINISHED, message="the journal has no finish, and the statement says PASSED"
        )
        return
    if RECORD in contents and to_bytes(record(journal)) != contents[RECORD]:
        yield Refusal(
            reason=Reason.RECORD_NOT_REPLAYED, message=f"{RECORD} is not what the journal gives, byte for byte"
        )
    plan = plan_of(journal)
    if plan is None:
        yield Refusal(reason=Reason.JOURNAL_BROKEN, message="the journal does not begin with a plan")
        return
    told = said.configuration.get("plan", {}).get("sha256")
    if told != plan.digest:
        yield Refusal(
            reason=Reason.PLAN_DIGEST,
            message=f"the statement is for the plan {str(told)[:12]}, the journal ran {plan.digest[:12]}",
        )
    if (plan.source.commit, plan.source.tree) != (said.commit, said.tree):
        yield Refusal(
            reason=Reason.STATEMENT_CONTRADICTS_RECORD, message="the statement names another commit than the journal"
        )
    for name in _differences(said.body["predicate"], predicate_of(journal, plan)):
        yield Refusal(reason=Reason.STATEMENT_CONTRADICTS_RECORD, message=f"{name} is not what the journal gives")


def _differences(told: Mapping[str, Any], made: Mapping[str, Any]) -> Iterator[str]:
    """Yield the members of the predicate that differ; members that the signer adds are left out."""
    extension = told.get("jetproof", {})
    for name, value in made.items():
        if name != "jetproof" and told.get(name) != value:
            yield name
    for name, value in made["jetproof"].items():
        found = extension.get(name)
        if name == "run" and isinstance(found, dict):
            found = {member: content for member, content in found.items() if member not in _PLACED}
        if found != value:
            yield f"jetproof.{name}"
