"""A job on a device would also run in a fork.

Why it matters
    In a fork with runners of its own, or none, the lane queues for ever or makes evidence under the fork's
    name.

How it is decided
    Neither the job's `if` nor that of a job it needs compares `github.repository`.

What to do
    Add `github.repository == 'owner/name'` to its `if`.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow import condition
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW202", name="no-repository-guard")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each gate job on an own machine without the comparison."""
    for found in lane.gate_jobs:
        if found.job.self_hosted and not condition.guarded(found.workflow, found.job):
            yield ABOUT.at(
                lane.in_workflow(found.workflow, found.job.name_at),
                f"The job {found.job.id} runs in every fork.",
                "Add `github.repository == 'owner/name' &&` to its `if:`.",
            )


RULE = ABOUT.rule(check)
