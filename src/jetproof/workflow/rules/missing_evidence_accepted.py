"""An upload of nothing is accepted.

Why it matters
    When the gate wrote no file the step warns and the job goes on, and nobody notices that there is no
    evidence.

How it is decided
    `if-no-files-found` of an evidence upload is not `error`.

What to do
    Write `if-no-files-found: error`.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW412", name="missing-evidence-accepted")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such upload."""
    for found in lane.claim_jobs:
        for step in found.job.uploads():
            if step.inputs.text("if-no-files-found") != "error":
                yield ABOUT.at(
                    lane.in_workflow(found.workflow, step.inputs.at("if-no-files-found")),
                    f"{found.job.id} goes on when there is no evidence to keep.",
                    "Write `if-no-files-found: error`.",
                )


RULE = ABOUT.rule(check)
