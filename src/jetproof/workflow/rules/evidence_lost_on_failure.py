"""Evidence is kept only when the gate passed.

Why it matters
    A failure leaves no trace, and the good run can be picked out of many.

How it is decided
    The upload of a job whose evidence may carry a claim has no `if: always()`.

What to do
    Add it.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow import condition
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW402", name="evidence-lost-on-failure")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such upload."""
    for found in lane.claim_jobs:
        for step in found.job.uploads():
            if not condition.only_always(step.condition):
                yield ABOUT.at(
                    lane.in_workflow(found.workflow, step.table),
                    f"A failed run of {found.job.id} leaves no evidence.",
                    "Add `if: always()` to the upload.",
                )


RULE = ABOUT.rule(check)
