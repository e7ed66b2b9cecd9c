"""The lane sets a variable that steers the tests.

Why it matters
    PYTEST_ADDOPTS can deselect tests, PYTHONPATH and LD_PRELOAD can put another module or library in the place
    of the one that is proven.

How it is decided
    One of these variables in `env` of the workflow, of a gate's job or of its steps, or written to GITHUB_ENV.

What to do
    Remove it; what a test needs belongs into the project's own configuration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW212", name="steered-environment")

_STEERS = re.compile(r"PYTEST_\w+|PYTHONPATH|PYTHONHOME|PYTHONSTARTUP|LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT")
_EXPORTS = re.compile(rf"\b({_STEERS.pattern})=")
_FIX = "Remove it."


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such variable."""
    for found in lane.gate_jobs:
        tables = (found.workflow.env, found.job.env, *(step.env for step in found.job.steps))
        for env in tables:
            for name in env.members:
                if _STEERS.fullmatch(name):
                    place = lane.in_workflow(found.workflow, env.at(name))
                    yield ABOUT.at(place, f"{name} steers what {found.job.id} proves.", _FIX)
        for _, command in found.job.scripts:
            match = _EXPORTS.search(command.text)
            if match is not None:
                place = lane.at_command(found.workflow, command)
                yield ABOUT.at(place, f"{match.group(1)} steers what {found.job.id} proves.", _FIX)


RULE = ABOUT.rule(check)
