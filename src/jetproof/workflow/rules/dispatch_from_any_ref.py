"""The job on a device can be started from any branch.

Why it matters
    A dispatch names a branch; without a condition on it, unreviewed code runs on the board and may be signed.

How it is decided
    Neither the job's `if` nor that of a job it needs asks for a protected branch or a tag
    (`github.ref_protected`, `github.ref == 'refs/heads/…'`, `startsWith(github.ref, 'refs/tags/')`).

What to do
    Add the condition; protect the main branch and the release tags.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow import condition
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW108", name="dispatch-from-any-ref")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each gate job without such a condition."""
    for found in lane.gate_jobs:
        if not found.job.self_hosted or found.workflow.trigger("workflow_dispatch") is None:
            continue
        if not condition.trusted_ref(found.workflow, found.job):
            yield ABOUT.at(
                lane.in_workflow(found.workflow, found.job.name_at),
                f"The job {found.job.id} can be dispatched from any branch.",
                "Add `github.ref_protected` to its `if:`.",
            )


RULE = ABOUT.rule(check)
