"""What an audit finds, and what it makes of the whole."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from jetproof.diagnosis.rule import DOCS_URL, Because, Confidence, Remedy, Severity
from jetproof.errors import ExitCode
from jetproof.install.locked import Where

__all__ = ["PAGES_URL", "Because", "Confidence", "Finding", "Remedy", "Severity", "Verdict", "worst"]


class Verdict(Enum):
    """What would become of the vendor's torch, the worst first."""

    FAILS_PYTHON = "FAILS_PYTHON"
    """The board's Python is not one that the project or a package takes: nothing can be installed."""
    REPLACES_TORCH = "REPLACES_TORCH"
    """A plain install puts another torch in the place of the vendor's."""
    UNDETERMINED = "UNDETERMINED"
    """Part of the input is not known; never taken for OK."""
    OK = "OK"

    @property
    def exit_code(self) -> ExitCode:
        """How a command ends with this answer."""
        if self is Verdict.OK:
            return ExitCode.OK
        return ExitCode.UNDECIDED if self is Verdict.UNDETERMINED else ExitCode.NO


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One fault of a project on a board: what happens, why, who asks for it, and what to write instead."""

    rule: str
    """Like JA002."""
    name: str
    severity: Severity
    confidence: Confidence = Confidence.CERTAIN
    verdict: Verdict | None = None
    """What the finding makes of the project; None when it leaves the vendor's torch alone."""
    package: str | None = None
    release: str | None = None
    wanted_by: tuple[str, ...] = ()
    """Who asks for the package, from the project down."""
    where: Where
    message: str
    because: tuple[Because, ...] = ()
    remedy: tuple[Remedy, ...] = ()
    stops: bool = False
    """Whether an installer stops at it, so that nothing is replaced and nothing is installed."""

    @property
    def url(self) -> str:
        """The page that explains it."""
        return f"{DOCS_URL}docs/audit/{self.rule}.md"


PAGES_URL = f"{DOCS_URL}docs/audit/README.md"
"""The page that lists all rules."""


_ORDER = tuple(Verdict)


def worst(findings: tuple[Finding, ...]) -> Verdict:
    """Return the verdict that all findings together make: the first of the order that any of them has."""
    found = {finding.verdict for finding in findings}
    return next((verdict for verdict in _ORDER if verdict in found), Verdict.OK)
