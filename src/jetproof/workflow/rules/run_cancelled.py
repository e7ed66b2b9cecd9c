"""A newer run cancels the one on the board.

Why it matters
    A run that is cut off leaves no evidence, and a board in the middle of something.

How it is decided
    `cancel-in-progress` that is not `false`, on the workflow of a device gate or on its job.

What to do
    Write `cancel-in-progress: false`.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW505", name="run-cancelled")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such setting."""
    for workflow in lane.lane_workflows:
        tables = (workflow.root, *(found.job.table for found in lane.gate_jobs if found.workflow.path == workflow.path))
        for table in tables:
            group = table.table("concurrency")
            if group is not None and (group.text("cancel-in-progress") or "false").strip().lower() != "false":
                yield ABOUT.at(
                    lane.in_workflow(workflow, group.at("cancel-in-progress")),
                    "A newer run cuts off the one on the board, with its evidence.",
                    "Write `cancel-in-progress: false`.",
                )


RULE = ABOUT.rule(check)
