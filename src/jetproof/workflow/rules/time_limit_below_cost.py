"""A gate's job is stopped before the gate can end.

Why it matters
    The run is cut off, its evidence is never complete, and the lane is red without a fault.

How it is decided
    `timeout-minutes` is not above the gate's `expected_cost.minutes` in the policy.

What to do
    Raise the limit, or mend the expected cost.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW204", name="time-limit-below-cost")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each limit that is too short."""
    for found in lane.gate_jobs:
        limit = (found.job.table.text("timeout-minutes") or "").strip()
        if limit.isdigit() and int(limit) <= found.gate.expected_cost.minutes:
            yield ABOUT.at(
                lane.in_workflow(found.workflow, found.job.table.at("timeout-minutes")),
                f"{found.gate.id} is stopped after {limit} minutes, and takes {found.gate.expected_cost.minutes:g}.",
                f"Write at least `timeout-minutes: {int(found.gate.expected_cost.minutes * 2)}`.",
            )


RULE = ABOUT.rule(check)
