"""A job whose evidence may carry a claim can be skipped by another job or a variable.

Why it matters
    A skipped job counts as success for a required check, and nobody sees that nothing ran.

How it is decided
    The `if` of such a job reads an output of another job, a variable or the environment, or asks for a failure.

What to do
    Let the trigger and an input that a person gives decide, and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW307", name="gate-job-skippable")

_SKIPS = re.compile(
    r"\bneeds\.|\bvars\.|\benv\.|\bsecrets\.|\bhashFiles\s*\(|\bfailure\s*\(|\bcontains\s*\(\s*github\.event\.head_commit|(?:^|&&)\s*false\b"
)


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such condition."""
    for found in lane.claim_jobs:
        match = _SKIPS.search(found.job.condition)
        if match is not None:
            yield ABOUT.at(
                lane.in_workflow(found.workflow, found.job.table.at("if")),
                f"{found.job.id} is skipped, and looks green, unless this holds: {found.job.condition[:90].rstrip()}",
                f"Remove `{match.group().strip()}…` from the condition.",
            )


RULE = ABOUT.rule(check)
