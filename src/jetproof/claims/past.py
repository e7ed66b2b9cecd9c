"""What could be claimed on an earlier day, computed from the evidence that is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, time, timezone

from jetproof.claims.assess import assess_opened
from jetproof.claims.calculus import Claims
from jetproof.claims.documents import BADGE_PATH
from jetproof.errors import PolicyInvalid
from jetproof.evidence.opening import Opened
from jetproof.tables import Tables


@dataclass(frozen=True, kw_only=True)
class Past:
    """Answers for a commit and a day, each pair once."""

    opened: Opened
    base: str | None
    tables: Tables
    _known: dict[tuple[str, date], Claims | None] = field(default_factory=dict)

    def __call__(self, commit: str, day: date) -> Claims | None:
        """Return the claims at the end of that day in UTC; None when the commit is not here or has no policy."""
        if (commit, day) not in self._known:
            self._known[commit, day] = self._computed(commit, day)
        return self._known[commit, day]

    def _computed(self, commit: str, day: date) -> Claims | None:
        if self.opened.repository.resolve(commit) is None:
            return None
        moment = datetime.combine(day, time(23, 59, 59), timezone.utc)
        try:
            return assess_opened(
                self.opened, revision=commit, base=self.base, tables=self.tables, now=moment, badges=(BADGE_PATH,)
            ).claims
        except PolicyInvalid:
            return None
