"""From facts to a diagnosis: ask every rule, put what must be mended first at the top, and give a verdict."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from jetproof.diagnosis.all_rules import RULES
from jetproof.diagnosis.alternatives import alternatives, usual
from jetproof.diagnosis.rule import UNSEEN, Confidence, Finding, Layer, Rule, Severity
from jetproof.facts.model import Facts, Outcome
from jetproof.tables import Tables


class Verdict(enum.Enum):
    """The answer in one word."""

    HEALTHY = "healthy"
    BLOCKED = "blocked"
    DEGRADED = "degraded"
    NOT_A_JETSON = "not-a-jetson"
    UNDECIDED = "undecided"


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """What is wrong, the fault to mend first at the top."""

    verdict: Verdict
    findings: tuple[Finding, ...]


_SEVERITY = {Severity.BLOCKING: 0, Severity.WARNING: 1, Severity.NOTE: 2}
_CONFIDENCE = {Confidence.CERTAIN: 0, Confidence.LIKELY: 1, Confidence.POSSIBLE: 2}


def diagnose(facts: Facts, tables: Tables, rules: Sequence[Rule] = RULES) -> Diagnosis:
    """Return the diagnosis of one machine or one report; the rules are handed in and know nothing of each other."""
    found: dict[tuple[str, str], Finding] = {}
    for rule in rules:
        for finding in rule.check(facts, tables):
            key = (finding.root_cause, finding.rule)
            held = found.get(key)
            if held is None or _order(finding) < _order(held):
                found[key] = finding
    findings = tuple(sorted(found.values(), key=_order))
    findings = findings or usual(facts, tables, rules)
    findings += alternatives(facts, tables, findings, rules)
    return Diagnosis(verdict=_verdict(facts, findings), findings=findings)


def _order(finding: Finding) -> tuple[int, int, int, int, int, str]:
    """What hides all else; then what stops the program; then what is named most literally; then the lowest layer."""
    return (
        0 if finding.layer is Layer.MACHINE or finding.specificity == UNSEEN else 1,
        _SEVERITY[finding.severity],
        -finding.specificity,
        int(finding.layer),
        _CONFIDENCE[finding.confidence],
        finding.rule,
    )


def blocks(finding: Finding) -> bool:
    """Whether a finding settles that something is wrong: what is merely possible names a suspect only."""
    return finding.severity is Severity.BLOCKING and finding.confidence is not Confidence.POSSIBLE


def _verdict(facts: Facts, findings: Sequence[Finding]) -> Verdict:
    severities = {finding.severity for finding in findings if finding.layer is not Layer.MACHINE}
    if any(blocks(finding) and finding.specificity == UNSEEN for finding in findings):
        return Verdict.BLOCKED
    if facts.platform.is_jetson.value is False:
        return Verdict.NOT_A_JETSON
    if any(blocks(finding) for finding in findings):
        return Verdict.BLOCKED
    if Severity.BLOCKING in severities or not _torch_works(facts):
        return Verdict.UNDECIDED
    return Verdict.DEGRADED if Severity.WARNING in severities else Verdict.HEALTHY


def _torch_works(facts: Facts) -> bool:
    """Whether torch was seen to use the GPU: a matmul that ran, or the device answering where no matmul was tried."""
    if facts.torch.available.value is not True:
        return False
    matmul = facts.torch.trial("matmul")
    return matmul is None or matmul.outcome in (Outcome.OK, Outcome.NOT_RUN)
