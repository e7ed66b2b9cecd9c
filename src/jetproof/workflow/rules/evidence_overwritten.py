"""Evidence of an earlier attempt is overwritten.

Why it matters
    A failure can be replaced by a later pass, and the record of the run is no longer whole.

How it is decided
    `overwrite` that is not `false` on an evidence upload.

What to do
    Remove it: each attempt has a name of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW413", name="evidence-overwritten")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such upload."""
    for found in lane.claim_jobs:
        for step in found.job.uploads():
            if (step.inputs.text("overwrite") or "false").strip().lower() != "false":
                yield ABOUT.at(
                    lane.in_workflow(found.workflow, step.inputs.at("overwrite")),
                    f"The evidence of {found.job.id} replaces that of an earlier attempt.",
                    "Remove `overwrite`.",
                )


RULE = ABOUT.rule(check)
