"""A model is downloaded without anybody asking for it.

Why it matters
    A schedule or a release then needs the hub, and uses somebody's account each time.

How it is decided
    The job of a gate with the probe `hub-model` can run without an input that chooses it.

What to do
    Ask for the input in its `if`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.lane import Lane, downloads
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW717", name="model-download-unasked")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such job."""
    for found in lane.gate_jobs:
        if not downloads(found.gate):
            continue
        alone = {trigger.name for trigger in found.workflow.triggers} <= {"workflow_dispatch"}
        if not alone and not re.search(r"\binputs\.[\w-]+", found.job.condition):
            yield ABOUT.at(
                lane.in_workflow(found.workflow, found.job.name_at),
                f"{found.job.id} downloads a model although nobody asked for it.",
                f"Add `inputs.gate == '{found.gate.id}'` to its `if:`.",
            )


RULE = ABOUT.rule(check)
