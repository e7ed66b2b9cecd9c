"""No job runs a gate that may carry a claim.

Why it matters
    The policy promises what nobody does.

How it is decided
    No workflow has a job with the name that the gate's `job` gives. A gate that carries no claim may do without.

What to do
    Add the job, or remove the gate.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW707", name="gate-without-job")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such gate."""
    if lane.broken_workflows:  # the job may stand in what could not be read
        return
    for number, gate in enumerate(lane.policy.gates if lane.policy else ()):
        if gate.carries_claim and not any(found.gate.id == gate.id for found in lane.gate_jobs):
            yield ABOUT.at(
                lane.in_policy("gates", number, "job"),
                f"No workflow has a job {gate.job}, which is to run {gate.id}.",
                f"Add the job {gate.job}, or remove the gate; jetproof init writes one.",
            )


RULE = ABOUT.rule(check)
