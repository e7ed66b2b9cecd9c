"""A gate's job checks out another commit than the run's.

Why it matters
    The evidence then names a commit that the workflow's own record does not, and cannot be countersigned.

How it is decided
    `ref` of a checkout in a gate's job is given and is not `${{ github.sha }}`; or another repository is
    checked out in its place.

What to do
    Remove it, or write `github.sha`.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow import untrusted
from jetproof.workflow.lane import Lane
from jetproof.workflow.model import expressions
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW405", name="another-commit-checked-out")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such checkout."""
    for found in lane.gate_jobs:
        for step in found.job.checkouts():
            for name, right in (("ref", ("github.sha",)), ("repository", ("github.repository",))):
                value = step.inputs.text(name)
                if value is None or untrusted.ref(value) or "path" in step.inputs.members:
                    continue
                if not expressions(value) or expressions(value)[0] not in right:
                    yield ABOUT.at(
                        lane.in_workflow(found.workflow, step.inputs.at(name)),
                        f"{found.job.id} checks out {value}, and the run is for another commit.",
                        "Write `ref: ${{ github.sha }}`.",
                    )


RULE = ABOUT.rule(check)
