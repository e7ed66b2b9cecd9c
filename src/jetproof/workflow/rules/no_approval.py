"""A job on a device needs nobody's approval.

Why it matters
    An environment with required reviewers is what makes a person look at the commit before it runs on the
    board.

How it is decided
    A job that runs a gate on the project's own machine has no `environment`.

What to do
    Add `environment:`, and give it required reviewers and allowed branches in the repository's settings.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW201", name="no-approval")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each gate job on an own machine without an environment."""
    for found in lane.gate_jobs:
        if found.job.self_hosted and not found.job.table.members.get("environment"):
            yield ABOUT.at(
                lane.in_workflow(found.workflow, found.job.name_at),
                f"Nobody must approve a run of {found.job.id} on the project's own machine.",
                "Add `environment: jetson` and give that environment required reviewers.",
            )


RULE = ABOUT.rule(check)
