"""The pages do not name a gate.

Why it matters
    A reader cannot tell what is run where the word "tested" stands.

How it is decided
    Neither docs/conditional-testing.md nor docs/jetson-support.md holds the id of a gate that may carry a
    claim.

What to do
    Name the gate and how to run it.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW709", name="page-without-gate")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each gate that is not named."""
    for number, gate in enumerate(lane.policy.gates if lane.policy else ()):
        if gate.carries_claim and lane.documented and not lane.mentions(gate.id):
            yield ABOUT.at(
                lane.in_policy("gates", number, "id"),
                f"The pages do not name the gate {gate.id}.",
                "Name it in docs/conditional-testing.md.",
            )


RULE = ABOUT.rule(check)
