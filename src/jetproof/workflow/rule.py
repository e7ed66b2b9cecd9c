"""What a rule of the lane is and what it finds. Rules do not know one another; the check is handed them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from jetproof.diagnosis.rule import DOCS_URL, Severity
from jetproof.workflow.lane import Lane, Place

Check = Callable[[Lane], Iterator["Finding"]]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One fault of the lane: where, what, and what to write instead."""

    rule: str
    """Like JW301; of another tool its own name, like zizmor/unpinned-uses."""
    name: str
    severity: Severity
    place: Place
    message: str
    fix: str
    url: str


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One kind of fault. The docstring of its module is its page."""

    id: str
    name: str
    severity: Severity
    check: Check


@dataclass(frozen=True, kw_only=True)
class About:
    """What a rule is called and how much its fault matters."""

    id: str
    name: str
    severity: Severity = Severity.BLOCKING

    def at(self, place: Place, message: str, fix: str) -> Finding:
        """Return a finding of this rule."""
        return Finding(
            rule=self.id,
            name=self.name,
            severity=self.severity,
            place=place,
            message=message,
            fix=fix,
            url=f"{DOCS_URL}docs/ci/rules/{self.id}.md",
        )

    def rule(self, check: Check) -> Rule:
        """Return the rule."""
        return Rule(id=self.id, name=self.name, severity=self.severity, check=check)
