"""The job that says whether everything ran does not look at each gate.

Why it matters
    What it does not need may fail or be skipped, and the lane stays green.

How it is decided
    A job whose evidence may carry a claim is not among the `needs` of the job that reads the results.

What to do
    Add it to `needs`.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow import verdict_job
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW310", name="verdict-forgets-gate")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each gate job that is left out."""
    for found in lane.claim_jobs:
        verdicts = verdict_job.of(found.workflow)
        if verdicts and not any(found.job.id in job.needs for job in verdicts):
            yield ABOUT.at(
                lane.in_workflow(found.workflow, verdicts[0].table.at("needs")),
                f"{verdicts[0].id} does not look at {found.job.id}.",
                f"Add {found.job.id} to its `needs:`.",
            )


RULE = ABOUT.rule(check)
