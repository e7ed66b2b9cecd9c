"""A maintainer cannot start the lane.

Why it matters
    A reviewed commit, or a board that has come back, then waits for the clock.

How it is decided
    A workflow with a device gate has no `workflow_dispatch`.

What to do
    Add it.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW504", name="no-dispatch")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such workflow."""
    for workflow in lane.lane_workflows:
        if lane.policy is not None and workflow.trigger("workflow_dispatch") is None:
            yield ABOUT.at(
                lane.in_workflow(workflow, workflow.root.at("on")),
                "A maintainer cannot start the lane by hand.",
                "Add `workflow_dispatch:` to `on:`.",
            )


RULE = ABOUT.rule(check)
