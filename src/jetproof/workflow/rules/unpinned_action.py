"""An action is named by a tag or a branch.

Why it matters
    Whoever can move the tag runs code in the lane, with its permissions and on its machines.

How it is decided
    `uses` without a commit of 40 hex digits, in a workflow that has a gate; local actions (`./`) and images are
    other rules' matter.

What to do
    Name the commit and keep the release in a comment behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW601", name="unpinned-action")

_COMMIT = re.compile(r"[0-9a-f]{40}")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such action."""
    for workflow in lane.gate_workflows:
        for job in workflow.jobs:
            for table in (job.table, *(step.table for step in job.steps)):
                uses = table.text("uses") or ""
                if not uses or uses.startswith(("./", "docker://")):
                    continue
                if not _COMMIT.fullmatch(uses.partition("@")[2]):
                    yield ABOUT.at(
                        lane.in_workflow(workflow, table.at("uses")),
                        f"{uses} can be moved to other code by whoever owns it.",
                        f"Write `{uses.partition('@')[0]}@<40 hex digits> # {uses.partition('@')[2] or 'release'}`.",
                    )


RULE = ABOUT.rule(check)
