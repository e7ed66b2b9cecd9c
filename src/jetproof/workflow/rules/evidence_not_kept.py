"""A device job does not keep its evidence.

Why it matters
    What the gate wrote is gone when the job ends, and nothing can be claimed.

How it is decided
    A job whose evidence may carry a claim has no `actions/upload-artifact`.

What to do
    Upload the evidence folder, also on failure.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW401", name="evidence-not-kept")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such job."""
    for found in lane.claim_jobs:
        if not found.job.uploads():
            yield ABOUT.at(
                lane.in_workflow(found.workflow, found.job.name_at),
                f"The job {found.job.id} keeps no evidence.",
                "Add actions/upload-artifact with `if: always()` and `path: conditional-evidence/`.",
            )


RULE = ABOUT.rule(check)
