"""Nobody but the device signs the evidence.

Why it matters
    The device's own key says who ran it; that the run belongs to this workflow and commit is said by a hosted
    job that holds nothing of the project.

How it is decided
    No job on a hosted runner that needs the Jetson gate's job runs `jetproof evidence countersign` or
    `actions/attest`.

What to do
    Add one.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow import signer_job
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW408", name="no-isolated-signer")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each Jetson gate's job whose evidence no hosted job signs."""
    for found in lane.jetson_jobs:
        signers = [job for job in signer_job.of(found.workflow) if job.id != found.job.id]
        if not any(found.job.id in job.needs for job in signers):
            yield ABOUT.at(
                lane.in_workflow(found.workflow, found.job.name_at),
                f"No hosted job countersigns the evidence of {found.job.id}.",
                "Add a hosted job that needs it and runs `jetproof evidence countersign` and actions/attest.",
            )


RULE = ABOUT.rule(check)
