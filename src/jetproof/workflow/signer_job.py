"""The hosted job that signs what a device hands in."""

from __future__ import annotations

import re

from jetproof.workflow.model import Job, Workflow

_COUNTERSIGN = re.compile(r"\bevidence\s+countersign\b")


def of(workflow: Workflow) -> tuple[Job, ...]:
    """Return the hosted jobs that countersign or attest."""
    return tuple(
        job
        for job in workflow.jobs
        if job.hosted
        and (
            any(step.uses.startswith("actions/attest") for step in job.steps)
            or any(_COUNTERSIGN.search(command.text) for _, command in job.scripts)
        )
    )
