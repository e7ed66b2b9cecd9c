"""The gate's status is lost in a pipe.

Why it matters
    Without `pipefail` a pipe succeeds when its last command does; `tee` always does.

How it is decided
    The gate's command has a `|`, and neither the step, the job nor the workflow says `shell: bash` and the
    script does not set pipefail.

What to do
    Write `shell: bash`, which sets pipefail; or redirect into a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.workflow.lane import Lane
from jetproof.workflow.model import default_shell
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW305", name="status-lost-in-pipe")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such command."""
    for found in lane.gate_jobs:
        shells = (default_shell(found.job.table), default_shell(found.workflow.root))
        default = next((shell.value for shell in shells if shell is not None), None)
        for step, command in found.gate_commands:
            shell = step.table.text("shell") or default
            piped = re.search(r"(?<!\|)\|(?!\|)", command.text)
            sets = any("pipefail" in other.text for other in step.commands)
            if piped and not sets and shell != "bash" and "pipefail" not in (shell or ""):
                yield ABOUT.at(
                    lane.at_command(found.workflow, command),
                    "The pipe's last command decides, not the gate.",
                    "Add `shell: bash` to the step.",
                )


RULE = ABOUT.rule(check)
