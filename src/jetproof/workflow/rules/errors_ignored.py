"""The shell goes on after a failing command.

Why it matters
    Only the last command's status counts then, and the gate is seldom the last.

How it is decided
    `set +e` in a job of the lane, or a `shell` that is given without `-e` (like `bash {0}`).

What to do
    Remove it, or write `shell: bash`, which stops at the first failure and at a failing pipe.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.model import default_shell
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW303", name="errors-ignored")

_OFF = re.compile(r"\bset\s+\+(?:\w*e\w*|o\s+(?:errexit|pipefail))\b")
_CUSTOM = re.compile(r"^(?:/bin/|/usr/bin/)?(?:ba|z|da)?sh\b.*\{0\}")


def _goes_on(shell: str) -> bool:
    return bool(_CUSTOM.search(shell)) and not re.search(r"\s-\w*e", shell)


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such place."""
    for workflow in lane.lane_workflows:
        for shell in filter(None, (default_shell(workflow.root), *(default_shell(job.table) for job in workflow.jobs))):
            if _goes_on(shell.value):
                place = lane.in_workflow(workflow, shell)
                yield ABOUT.at(place, f"`{shell.value}` goes on after a failing command.", "Write `shell: bash`.")
        for job in workflow.jobs:
            for step in job.steps:
                named = step.table.text("shell") or ""
                if _goes_on(named):
                    place = lane.in_workflow(workflow, step.table.at("shell"))
                    yield ABOUT.at(place, f"`{named}` goes on after a failing command.", "Write `shell: bash`.")
            for _, command in job.scripts:
                if _OFF.search(command.text):
                    place = lane.at_command(workflow, command)
                    yield ABOUT.at(place, "The script goes on after a failing command from here.", "Remove `set +e`.")


RULE = ABOUT.rule(check)
