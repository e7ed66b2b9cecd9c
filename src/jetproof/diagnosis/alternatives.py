"""Causes that a report's symptoms can stand for besides the one that was found, and what would tell them apart.

Only for reports: a machine is asked for the facts themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jetproof.diagnosis.evidence import hit, reported
from jetproof.diagnosis.rule import GUESS, Because, Confidence, Finding, Layer, Remedy, Rule, Severity
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

_MOST = 3
"""Causes that a diagnosis of a report names, at least as far as there are neighbours."""


def alternatives(
    facts: Facts, tables: Tables, findings: Sequence[Finding], rules: Sequence[Rule]
) -> tuple[Finding, ...]:
    """Return notes on what else it can be, the likeliest first, unless the first finding is certain."""
    named = {finding.root_cause for finding in findings}
    blocking = [finding for finding in findings if finding.severity is Severity.BLOCKING]
    if not reported(facts) or len(named) >= _MOST or (blocking and blocking[0].confidence is Confidence.CERTAIN):
        return ()
    if not blocking and named:
        return ()
    ids = {rule.name: rule.id for rule in rules}
    found: dict[str, Finding] = {}
    for cause, message, look, because in _candidates(facts, tables, blocking):
        if cause not in named and cause not in found and cause in ids and len(named) + len(found) < _MOST:
            found[cause] = Finding(
                rule=ids[cause],
                name=cause,
                root_cause=cause,
                layer=Layer.PROGRAM,
                severity=Severity.NOTE,
                confidence=Confidence.POSSIBLE,
                message=message,
                because=because,
                remedy=(Remedy(text="This shows it.", command=look),) if look else (),
                specificity=GUESS,
            )
    return tuple(found.values())


def _candidates(
    facts: Facts, tables: Tables, blocking: Sequence[Finding]
) -> Iterator[tuple[str, str, str | None, tuple[Because, ...]]]:
    meaning = {row.id: row.meaning for row in tables.root_causes}
    for finding in blocking[:1]:
        for row in tables.neighbours:
            if row.cause == finding.root_cause:
                yield row.neighbour, f"It is {row.neighbour} instead if {row.holds_if}.", row.look, ()
    for signature in tables.signatures:
        if signature.root_causes and (seen := hit(facts, Expression(signature.signature_regex))):
            for cause in signature.root_causes:
                yield cause, f"It can also be {cause}: {meaning.get(cause, '')}", None, (seen.because,)
