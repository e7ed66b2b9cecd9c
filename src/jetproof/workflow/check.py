"""Hold a lane against the rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from jetproof.diagnosis.rule import Severity
from jetproof.errors import ExitCode
from jetproof.workflow.lane import Lane
from jetproof.workflow.rule import Finding, Rule

_WEIGHT = {Severity.BLOCKING: 0, Severity.WARNING: 1, Severity.NOTE: 2}
POLICY_RULES = frozenset({"JW701", "JW702", "JW703", "JW720"})
"""Rules whose findings mean that the policy itself, or who is trusted by it, does not stand."""


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What a check looked at and found."""

    findings: tuple[Finding, ...]
    rules: int
    workflows: tuple[str, ...]
    policy: str | None
    """Path of the policy; None when it is invalid."""
    zizmor: str
    """What became of zizmor: its release, or why it was not asked."""

    @property
    def exit_code(self) -> ExitCode:
        """9 when the policy, a waiver or the trust store does not stand, 1 for any other blocking finding, else 0."""
        blocking = [finding for finding in self.findings if finding.severity is Severity.BLOCKING]
        if any(finding.rule in POLICY_RULES for finding in blocking):
            return ExitCode.POLICY_INVALID
        return ExitCode.NO if blocking else ExitCode.OK


def check(lane: Lane, rules: Sequence[Rule]) -> tuple[Finding, ...]:
    """Return what the rules find, in the order of files and lines; the same finding once."""
    return ordered(finding for rule in rules for finding in rule.check(lane))


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings without doubles, blocking ones first, then by place."""
    unique = dict.fromkeys(findings)
    return tuple(
        sorted(
            unique, key=lambda one: (_WEIGHT[one.severity], one.place.path, one.place.line, one.place.column, one.rule)
        )
    )


def with_more(checked: Checked, more: Iterable[Finding], zizmor: str) -> Checked:
    """Return a check to which another tool's findings were added."""
    return replace(checked, findings=ordered((*checked.findings, *more)), zizmor=zizmor)
