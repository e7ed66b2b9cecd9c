"""A job on the project's own machine checks out what an event or an input chooses.

Why it matters
    The board runs code that nobody reviewed, and the evidence names another commit than the workflow's.

How it is decided
    `ref` or `repository` of a checkout in such a job comes from the event, an input, a variable or another job.

What to do
    Check out `github.sha`, which is also what is checked out when nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow import untrusted
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW107", name="untrusted-checkout")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such checkout."""
    for workflow, job in lane.device_jobs:
        for step in job.checkouts():
            for name in ("ref", "repository"):
                value = step.inputs.text(name) or ""
                if untrusted.ref(value):
                    yield ABOUT.at(
                        lane.in_workflow(workflow, step.inputs.at(name)),
                        f"The job {job.id} checks out {value}, which is chosen from outside.",
                        "Write `ref: ${{ github.sha }}`.",
                    )


RULE = ABOUT.rule(check)
