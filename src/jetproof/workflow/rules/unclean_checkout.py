"""The checkout on a device keeps what an earlier run left.

Why it matters
    Files of another commit stay beside this one's, and tests may pass on them.

How it is decided
    `clean: false` on a checkout in a job on an own machine.

What to do
    Remove it: cleaning is the default.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW208", name="unclean-checkout")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such checkout."""
    for workflow, job in lane.device_jobs:
        for step in job.checkouts():
            if (step.inputs.text("clean") or "true").strip().lower() == "false":
                yield ABOUT.at(
                    lane.in_workflow(workflow, step.inputs.at("clean")),
                    f"The checkout of {job.id} keeps files that earlier runs left on the machine.",
                    "Remove `clean: false`.",
                )


RULE = ABOUT.rule(check)
