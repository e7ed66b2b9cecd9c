"""The job that is to say whether everything ran can be skipped itself.

Why it matters
    A job that needs others is skipped when one of them fails, and a skipped job counts as success for a
    required check.

How it is decided
    The `if` of the job that reads the results is not `always()`, alone or with the comparison of the
    repository.

What to do
    Write `if: always()`.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow import condition, verdict_job
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW309", name="verdict-job-skippable")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such job."""
    for workflow in lane.lane_workflows:
        for job in verdict_job.of(workflow):
            if not condition.only_always(job.condition):
                yield ABOUT.at(
                    lane.in_workflow(workflow, job.name_at),
                    f"{job.id} is skipped, and looks green, when a job that it needs fails.",
                    "Write `if: always()`.",
                )


RULE = ABOUT.rule(check)
