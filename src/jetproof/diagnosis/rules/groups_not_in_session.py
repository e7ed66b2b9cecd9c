"""The user was added to a group, and the running session does not have it yet.

Why it matters
    usermod changes the user database; sessions, services and terminals that run keep the groups they started with.

How it is decided
    The user database lists video or render for the user, the running process does not have them.

What to do
    Log out and in again, or reboot.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.remedies import LOG_IN_AGAIN
from jetproof.diagnosis.rule import LITERAL, About, Confidence, Finding, Layer, Remedy, because
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD041", name="groups-not-in-session", root_cause="user-not-in-video-group", layer=Layer.ACCESS)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    """Yield a finding when only the database has the groups."""
    held, on_file = facts.permissions.groups, facts.permissions.groups_on_file
    if (
        held.value is None
        or on_file.value is None
        or facts.permissions.is_root.value
        or facts.platform.is_jetson.value is False
    ):
        return
    late = [name for name in ("video", "render") if name in on_file.value and name not in held.value]
    if late:
        yield ABOUT.finding(
            f"The user is in {' and '.join(late)}, but this session started before that.",
            because=(because(held), because(on_file)),
            remedy=(LOG_IN_AGAIN, Remedy(text="Check.", command="id -nG")),
            confidence=Confidence.CERTAIN,
            specificity=LITERAL,
        )


RULE = ABOUT.rule(check)
