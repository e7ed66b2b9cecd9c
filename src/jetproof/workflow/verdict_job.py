"""The job that looks at the results of the others and so can be a required check."""

from __future__ import annotations

import re

from jetproof.workflow.document import walk
from jetproof.workflow.model import Job, Workflow

_RESULT = re.compile(r"\bneeds(?:\.[\w*-]+)?\.result\b|toJSON\(\s*needs\s*\)", re.IGNORECASE)


def of(workflow: Workflow) -> tuple[Job, ...]:
    """Return the hosted jobs whose steps read the results of the jobs that they need."""
    return tuple(
        job
        for job in workflow.jobs
        if job.hosted and any(_RESULT.search(text.value) for step in job.steps for text in walk(step.table))
    )
