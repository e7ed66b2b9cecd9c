"""An expression chooses the runner of a gate's job.

Why it matters
    An input or a variable can send the gate to a machine that is no Jetson, and nobody sees it in the file.

How it is decided
    `runs-on` of a gate's job holds `${{ }}`.

What to do
    Write the labels out; one job for each kind of device.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW206", name="runner-by-expression")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such job."""
    for found in lane.gate_jobs:
        if found.job.dynamic:
            yield ABOUT.at(
                lane.in_workflow(found.workflow, found.job.table.at("runs-on")),
                f"An expression chooses where {found.job.id} runs.",
                f"Write `runs-on: [{', '.join(found.gate.runner.labels)}]`.",
            )


RULE = ABOUT.rule(check)
