"""A model is downloaded in a gate that may carry a claim.

Why it matters
    The claim then hangs on a service, an account and a quota; the hardware gate must run without them.

How it is decided
    A gate with the probe `hub-model` has `carries_claim`.

What to do
    Put the probe into a gate of its own that carries no claim.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW716", name="model-download-mixed")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such gate."""
    for number, gate in lane.hub_gates:
        if gate.carries_claim:
            yield ABOUT.at(
                lane.in_policy("gates", number, "carries_claim"),
                f"{gate.id} may carry a claim and downloads a model.",
                "Put `hub-model` into a gate of its own.",
            )


RULE = ABOUT.rule(check)
