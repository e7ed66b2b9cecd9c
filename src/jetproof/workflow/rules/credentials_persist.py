"""The checkout leaves a token on the machine.

Why it matters
    The token stays in the checkout's git configuration, where every later step, and on an own machine a later
    job, can read it.

How it is decided
    A checkout in a lane's workflow without `persist-credentials: false`.

What to do
    Add it.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW605", name="credentials-persist")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such checkout."""
    for workflow in lane.lane_workflows:
        for job in workflow.jobs:
            for step in job.checkouts():
                if (step.inputs.text("persist-credentials") or "true").strip().lower() != "false":
                    yield ABOUT.at(
                        lane.in_workflow(workflow, step.table),
                        f"The checkout of {job.id} leaves a token in .git/config.",
                        "Add `persist-credentials: false`.",
                    )


RULE = ABOUT.rule(check)
