"""A gate's job does not run the gate.

Why it matters
    A job with the right name that calls pytest or nothing at all is green without a record, and skips count as
    success there.

How it is decided
    No command of the job is `jetproof run` or `scripts/run_conditional_gate.py`.

What to do
    Run the gate by one of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane, runs_a_gate
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW311", name="gate-not-run")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such job."""
    for found in lane.gate_jobs:
        if not any(runs_a_gate(command) for _, command in found.job.scripts):
            yield ABOUT.at(
                lane.in_workflow(found.workflow, found.job.name_at),
                f"The job {found.job.id} never runs the gate {found.gate.id}.",
                f"Add `python scripts/run_conditional_gate.py {found.gate.id}`.",
            )


RULE = ABOUT.rule(check)
