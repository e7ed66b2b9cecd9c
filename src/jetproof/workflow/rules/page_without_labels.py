"""The pages do not name the labels of a gate's runner.

Why it matters
    Who wants to attach a board cannot tell how.

How it is decided
    docs/conditional-testing.md and docs/jetson-support.md lack a label of a gate that may carry a claim.

What to do
    Name them.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW714", name="page-without-labels")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each gate whose labels are not all named."""
    for number, gate in enumerate(lane.policy.gates if lane.policy else ()):
        lacking = [label for label in gate.runner.labels if not lane.mentions(label)]
        if gate.carries_claim and lane.documented and lacking:
            yield ABOUT.at(
                lane.in_policy("gates", number, "runner"),
                f"The pages do not name the runner's labels of {gate.id}: {', '.join(lacking)}.",
                "Name them in docs/conditional-testing.md.",
            )


RULE = ABOUT.rule(check)
