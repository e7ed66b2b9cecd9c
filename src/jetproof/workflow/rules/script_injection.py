"""A text that a stranger chooses becomes part of a script.

Why it matters
    The expression is put into the script before the shell reads it, so a title or a branch name can be a
    command.

How it is decided
    `${{ }}` with an event's text, a head ref or an input inside `run`.

What to do
    Hand it over in `env:` and write "$NAME" in the script.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.workflow import untrusted
from jetproof.workflow.lane import Lane
from jetproof.workflow.model import expressions
from jetproof.workflow.rule import About, Finding

ABOUT = About(id="JW109", name="script-injection")


def check(lane: Lane) -> Iterator[Finding]:
    """Yield each such expression."""
    for workflow in lane.workflows:
        for job in workflow.jobs:
            for _, command in job.scripts:
                for expression in expressions(command.text):
                    if untrusted.text(expression):
                        yield ABOUT.at(
                            lane.at_command(workflow, command),
                            f"${{{{ {expression} }}}} is chosen from outside and becomes part of this script.",
                            "Put it into `env:` and use the variable in quotes.",
                        )


RULE = ABOUT.rule(check)
