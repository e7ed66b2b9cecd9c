"""No job says whether everything ran.

Why it matters
    A skipped gate leaves the workflow green. Only a job that always runs and looks at each result can be a
    required check.

How it is decided
    No job on a hosted runner reads `needs.….result` of the lane's jobs.

What to do
    Add a job with `if: always()` that needs them and fails unless every result is `success`.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow import verdict_job
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW308", name="no-verdict-job")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each workflow of the lane without such a job."""
    for workflow in lane.lane_workflows:
        if any(found.workflow.path == workflow.path for found in lane.claim_jobs) and not verdict_job.of(workflow):
            yield ABOUT.at(
                lane.in_workflow(workflow, workflow.root.at("jobs")),
                "No job looks at the results of the others, so a skipped gate leaves the workflow green.",
                "Add a job with `if: always()` that fails unless every `needs.*.result` is `success`.",
            )


RULE = ABOUT.rule(check)
