"""A package was built against a torch that is not the board's: pip's build isolation downloaded another.

Why it matters
    With build isolation pip makes an empty environment and fetches torch from the default index to build against. The
    extension then fits that torch and not the one it will meet.

How it is decided
    The traceback's path holds pip-build-env-… or uv's builds-v0 with a torch in it; or the build finds no torch
    although one is installed.

What to do
    Build with --no-build-isolation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit
from jetproof.diagnosis.rule import LITERAL, SHARED, About, Confidence, Finding, Layer, Reason, Remedy
from jetproof.diagnosis.torch_known import isolated_build
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(
    id="JD077",
    name="build-isolation-foreign-torch",
    root_cause="build-isolation-foreign-torch",
    layer=Layer.TORCH_BUILD,
)

_PATH = Expression(
    r"pip-build-env-|builds-v0/\.tmp|\bbuild (?:env(?:ironment)?|isolation)\b|--no-build-isolation|isolated "
    r"(?:build )?environment"
    r"|Getting requirements to build wheel|\bwhile (?:it is |being )?(?:building|built)\b(?![^.\n]{0,20} image)"
)
_TORCH = Expression(
    r"(?i:No module named ['\"]?torch)\b|detected CUDA version \([\d.]{3,6}\) mismatches the version that was used "
    r"to compile|(?i:\btorch\b[^\n]{0,60}\b(?:downloaded|fetched|pulled)\b[^\n]{0,40}\b(?:build|isolat)"
    r"|(?:built|compiled) [^\n]{0,40}against (?:a|another|the wrong|PyPI's) torch"
    r"|\b(?:downloads?|fetch(?:es)?|pulls?|installs?|brings?)\b[^\n]{0,30}\btorch\b[^\n]{0,40}\bbuild env)"
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    """Yield a finding when a build saw another torch than the board's."""
    isolated = isolated_build(facts)
    path, torch = hit(facts, _PATH), hit(facts, _TORCH)
    if isolated:
        yield _finding((isolated, torch), LITERAL, Confidence.CERTAIN)
    elif path and torch:
        yield _finding((path.because, torch.because), LITERAL, Confidence.LIKELY)
    elif torch and re.search(r"mismatches", torch.match.group(0)):
        yield _finding((torch.because,), SHARED, Confidence.POSSIBLE)


def _finding(reasons: tuple[Reason, ...], specificity: int, confidence: Confidence) -> Finding:
    return ABOUT.finding(
        "The package was built against a torch that pip fetched for the build, not the board's own.",
        because=reasons,
        specificity=specificity,
        confidence=confidence,
        remedy=(
            Remedy(
                text="Build in the environment that holds the board's torch.",
                command="python3 -m pip install --no-build-isolation --no-deps PACKAGE",
            ),
            Remedy(
                text="With uv name the package in pyproject.toml.",
                command='[tool.uv]\nno-build-isolation-package = ["PACKAGE"]',
            ),
        ),
    )


RULE = ABOUT.rule(check)
