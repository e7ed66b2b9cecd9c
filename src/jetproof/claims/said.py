"""What a document says is supported: the few facts that a managed block is made of, and that its marker carries."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from jetproof.claims.calculus import Claims, State

_NOTHING = "nothing"
_SAYING = re.compile(
    r"(?P<scope>[a-z0-9]+(?:-[a-z0-9]+)*):(?P<commit>[0-9a-f]{40}(?:[0-9a-f]{24})?):(?P<until>\d{4}-\d{2}-\d{2})"
)
_MOST = 200


@dataclass(frozen=True, kw_only=True)
class Saying:
    """One thing that is said to be supported."""

    scope: str
    """Id of the tier or gate."""
    commit: str
    """The commit that was run."""
    until: date
    """Last day in UTC on which it holds."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """All that is said to be supported, and the day on which it was said."""

    as_of: date
    sayings: tuple[Saying, ...] = ()

    @property
    def until(self) -> date | None:
        """Return the day on which the first of them lapses; None when nothing is said."""
        return min((saying.until for saying in self.sayings), default=None)

    def of(self, scope: str) -> Saying | None:
        """Return what is said of a tier or gate."""
        return next((saying for saying in self.sayings if saying.scope == scope), None)

    def text(self) -> str:
        """Return it as a marker carries it."""
        return ",".join(f"{one.scope}:{one.commit}:{one.until}" for one in self.sayings) or _NOTHING


def said(claims: Claims) -> Said:
    """Return all that may be said: what is supported, and nothing else."""
    return Said(
        as_of=claims.today,
        sayings=tuple(
            Saying(scope=claim.scope.id, commit=claim.proven_commit, until=claim.holds_until)
            for claim in claims.claims
            if claim.state is State.SUPPORTED and claim.proven_commit is not None and claim.holds_until is not None
        ),
    )


def read(as_of: str, text: str) -> Said | None:
    """Return what a marker carries; None when it has not that form."""
    try:
        day = date.fromisoformat(as_of)
        if text == _NOTHING:
            return Said(as_of=day)
        found = [_SAYING.fullmatch(part) for part in text.split(",")[: _MOST + 1]]
        if len(found) > _MOST:
            return None
        sayings = []
        for match in found:
            if match is None:
                return None
            sayings.append(
                Saying(scope=match["scope"], commit=match["commit"], until=date.fromisoformat(match["until"]))
            )
    except ValueError:
        return None
    if len({saying.scope for saying in sayings}) != len(sayings):
        return None
    return Said(as_of=day, sayings=tuple(sayings))
