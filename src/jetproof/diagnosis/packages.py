"""What is known of the programs and libraries beside torch that a report names."""

from __future__ import annotations

import re
from functools import cache

from jetproof.diagnosis.evidence import Hit, hit
from jetproof.diagnosis.rule import Because
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts, Message
from jetproof.tables import Tables

_TORCH_ITSELF = Expression(r"(?i)\W{0,3}(?:py)?torch\b(?![- ]?\w)")


def package(facts: Facts) -> Message | None:
    """Return the package that a report gives as the one that fails, unless it is torch itself."""
    return next(
        (
            message
            for message in facts.messages
            if message.member == "package" and not _TORCH_ITSELF.match(message.text)
        ),
        None,
    )


@cache
def with_trait(tables: Tables, trait: str) -> Expression:
    """Return the expression for the names of all packages that have a trait."""
    names = (_spelled(name) for row in tables.packages if trait in row.traits for name in row.names)
    return Expression(rf"(?i)(?<![\w/.-])(?:{'|'.join(sorted(names, key=len, reverse=True))})(?![\w])")


def _spelled(name: str) -> str:
    return re.escape(name).replace(r"\-", "[-_ ]?").replace(r"\.", r"\.?")


def named(facts: Facts, tables: Tables, trait: str) -> Because | None:
    """Return where the report's package, or else any of its texts, names one with a trait."""
    expression = with_trait(tables, trait)
    given = package(facts)
    if given and (found := expression.search(given.text)):
        return Hit(match=found, message=given).because
    seen = hit(facts, expression)
    return seen.because if seen else None
