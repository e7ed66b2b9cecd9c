"""A diagnosis as machines read it: schema jetproof/diagnosis/1."""

from __future__ import annotations

from typing import Any

from jetproof.diagnosis.engine import Diagnosis
from jetproof.diagnosis.rule import Finding
from jetproof.facts.as_json import as_json as facts_as_json
from jetproof.facts.fact import Fact
from jetproof.facts.model import Facts

SCHEMA = "jetproof/diagnosis/1"


def as_json(diagnosis: Diagnosis, facts: Facts) -> dict[str, Any]:
    """Return verdict, findings in the order in which they are to be mended, and the facts that they rest on."""
    return {
        "schema": SCHEMA,
        "verdict": diagnosis.verdict.value,
        "origin": facts.origin.value,
        "findings": [finding_as_json(finding) for finding in diagnosis.findings],
        "facts": facts_as_json(facts),
        "missing": list(missing(diagnosis, facts)),
    }


def finding_as_json(finding: Finding) -> dict[str, Any]:
    """Return one finding with its reasons and its remedy."""
    return {
        "rule": finding.rule,
        "name": finding.name,
        "root_cause": finding.root_cause,
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        "message": finding.message,
        "because": [
            {"fact": reason.fact, "value": reason.value, "read_from": reason.read_from} for reason in finding.because
        ],
        "remedy": [{"text": step.text, "command": step.command} for step in finding.remedy],
        "missing": list(finding.missing),
        "url": finding.url,
    }


def missing(diagnosis: Diagnosis, facts: Facts) -> tuple[str, ...]:
    """Return the facts that are not known and that would tell more, those of findings first."""
    wanted = [name for finding in diagnosis.findings for name in finding.missing]
    usual: tuple[Fact[object], ...] = (
        facts.platform.model,
        facts.platform.l4t,
        facts.torch.torch,
        facts.torch.torch_cuda,
        facts.torch.available,
        facts.torch.python,
    )
    wanted += [fact.name for fact in usual if fact.unknown]
    return tuple(dict.fromkeys(wanted))
