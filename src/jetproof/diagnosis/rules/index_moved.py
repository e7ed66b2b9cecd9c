"""The address of the Jetson index is the old one: it moved from pypi.jetson-ai-lab.dev to .io in 2025.

Why it matters
    Guides, lock files and pip's settings still name the old host. It does not resolve any more, so pip says that no
    torch exists, or takes one without CUDA from another index.

How it is decided
    The old host is named, and its name does not resolve, or the installer finds nothing there.

What to do
    Put .io for .dev wherever the old address stands.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, reported
from jetproof.diagnosis.remedies import LAST_KNOWN_GOOD, python_command
from jetproof.diagnosis.rule import LITERAL, About, Confidence, Finding, Layer, Remedy
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables
from jetproof.tables.builds import BuildOnStack
from jetproof.tables.sources import requirements

ABOUT = About(id="JD063", name="index-moved", root_cause="torch-ok-problem-elsewhere", layer=Layer.INTERPRETER)

_OLD = Expression(r"(?i)\bpypi\.jetson-ai-lab\.dev(/(?:[\w-]{1,20}/)?cu\d{2,3})?")
_NEW = "https://pypi.jetson-ai-lab.io"
_UNRESOLVED = Expression(
    r"(?i)NameResolutionError|Failed to resolve|Name or service not known|name resolution|NXDOMAIN|getaddrinfo failed"
    r"|could ?n[o']t (?:be )?resolve|unable to resolve|No address associated|dns error|failed to lookup address"
    r"|does(?: not|n't) resolve|server can't find"
)
_NOTHING = Expression(
    r"(?i)Could not find a version that satisfies|No matching distribution found|Failed to establish a new connection"
    r"|Max retries exceeded|Connection (?:refused|timed out)|ConnectTimeout|Failed to fetch:?\W"
    r"|was not found in the (?:package )?(?:registry|index)"
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when an installer was sent to the old address and came back with nothing."""
    old = hit(facts, _OLD)
    if old is None or not reported(facts):
        return
    unresolved = hit(facts, _UNRESOLVED)
    failed = unresolved or hit(facts, _NOTHING)
    if failed is None:
        return
    yield ABOUT.finding(
        "The Jetson index moved from pypi.jetson-ai-lab.dev to pypi.jetson-ai-lab.io; the old address does not answer.",
        because=(old.because, failed.because),
        remedy=(
            _install(facts, tables),
            Remedy(
                text="Put .io for .dev wherever the old address stands: pip's settings, requirements, Dockerfiles.",
                command="python3 -m pip config list\ngrep -rn 'jetson-ai-lab\\.dev' . --include='*.txt' "
                "--include='*.toml' --include='*.cfg' --include='Dockerfile*'",
            ),
        ),
        confidence=Confidence.CERTAIN if unresolved else Confidence.LIKELY,
        specificity=LITERAL,
    )


def _install(facts: Facts, tables: Tables) -> Remedy:
    path = next((found[1] for message in facts.messages for found in _OLD.finditer(message.text) if found[1]), None)
    python = python_command(facts)
    row = next((row for row in tables.torch_builds if path and row.where.split(" ")[0] == _NEW + path), None)
    verdict = next((told for told in row.works_on.values() if told.verdict != "no"), None) if row else None
    if row is None or verdict is None:
        text = "Take the same path at the new address; which one fits the board, this tells."
        return Remedy(text=text, command="jetproof install --torch")
    torch, vision, _ = requirements(BuildOnStack(build=row, verdict=verdict))
    return Remedy(
        text=f"Install from the new address, last known good on {LAST_KNOWN_GOOD}.",
        command=f"{python} -m pip install '{torch}' '{vision}' --index-url {_NEW}{path}",
    )


RULE = ABOUT.rule(check)
