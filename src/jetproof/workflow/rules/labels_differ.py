"""A gate's job asks for another runner than the policy says.

Why it matters
    The gate may run on a machine that is no Jetson, or wait for a runner that does not exist.

How it is decided
    The job's `runs-on` lacks a label of the gate's `runner.labels`, or has one more that is no tier label
    (orin, thor, xavier, nano, jetpack-N, cuda).

What to do
    Make both say the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW205", name="labels-differ")

_TIER = re.compile(r"orin|thor|xavier|nano|cuda|gpu|jetpack-\d[\d.]*|l4t-\d[\d.]*|agx-.+|orin-.+")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each job whose labels differ."""
    for found in lane.gate_jobs:
        if found.job.dynamic:
            continue
        here = {label.lower() for label in found.job.labels}
        wanted = {label.lower() for label in found.gate.runner.labels}
        lacking = sorted(wanted - here)
        further = sorted(label for label in here - wanted if not _TIER.fullmatch(label))
        if lacking or further:
            told = [f"lacks {', '.join(lacking)}"] if lacking else []
            told += [f"has {', '.join(further)}"] if further else []
            yield ABOUT.at(
                lane.in_workflow(found.workflow, found.job.table.at("runs-on")),
                f"The runner of {found.job.id} {' and '.join(told)}; "
                f"the policy says {', '.join(found.gate.runner.labels)}.",
                f"Write `runs-on: [{', '.join(found.gate.runner.labels)}]`.",
            )


RULE = ABOUT.rule(check)
