"""transformers is installed and too new for the torch at hand.

Why it matters
    torch is fixed by JetPack, transformers is not. Its newer releases need newer torch, disable it with a warning, or
    fail at import with errors that look like a broken torch.

How it is decided
    Its own message, an import of it that fails inside torch, or its release against the torch that it needs.

What to do
    Take the last transformers release that supports this torch.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit
from jetproof.diagnosis.known import numbers
from jetproof.diagnosis.remedies import python_command
from jetproof.diagnosis.rule import LITERAL, SHARED, About, Confidence, Finding, Layer, Reason, Remedy
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(
    id="JD097",
    name="transformers-too-new-for-torch",
    root_cause="transformers-too-new-for-torch",
    layer=Layer.NEIGHBOURS,
)

_LITERAL = Expression(
    r"Disabling PyTorch because PyTorch ?(?:>=|≥) ?[\d.]{1,6} is required|PyTorch ?(?:>="
    r"|≥) ?[\d.]{1,6} is required but found|infer_schema\(func\)"
    r"|has unsupported type [^\n]{0,60}(?:torch\.Tensor|str)"
    r"|requires the PyTorch library but it was not found|upgrade torch to at least v\d\.\d"
    r"|module 'torch[\w.]{0,40}' has no attribute '\w{2,60}'"
    r"|cannot import name '\w{2,60}' from 'torch[\w.]{0,60}'|No module named 'torch\.\w[\w.]{1,60}'"
)
_TRANSFORMERS = Expression(r"(?i)\btransformers\b|\bAutoModel\w{0,40}|Disabling PyTorch|infer_schema|hugging ?face")
_NEEDS: tuple[tuple[tuple[int, int], tuple[int, int]], ...] = (
    ((5, 4), (2, 5)),
    ((5, 0), (2, 4)),
    ((4, 54), (2, 1)),
    ((4, 46), (2, 0)),
    ((4, 41), (1, 11)),
)
"""transformers release from which on, and the torch that it then needs."""


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    """Yield a finding when transformers needs a newer torch."""
    release, torch = facts.torch.transformers, facts.torch.torch
    literal = hit(facts, _LITERAL)
    needed = _needed(release.value)
    short = bool(needed and torch.value and numbers(torch.value)[:2] < needed)
    pair = (release, torch)
    if literal and (_TRANSFORMERS.search(literal.message.text) or release.known):
        yield _finding(facts, (literal.because, *pair), LITERAL, Confidence.LIKELY)
    elif short:
        yield _finding(facts, pair, SHARED, Confidence.LIKELY)


def _needed(release: str | None) -> tuple[int, int] | None:
    lead = numbers(release)[:2] if release else ()
    return next((torch for first, torch in _NEEDS if lead >= first), None)


def _finding(facts: Facts, reasons: tuple[Reason, ...], specificity: int, confidence: Confidence) -> Finding:
    lead = numbers(facts.torch.torch.value)[:2] if facts.torch.torch.value else ()
    bound = next((f"{first[0]}.{first[1]}" for first, torch in reversed(_NEEDS) if lead and lead < torch), "5")
    return ABOUT.finding(
        "transformers is too new for this torch, which JetPack fixes.",
        because=reasons,
        specificity=specificity,
        confidence=confidence,
        remedy=(
            Remedy(
                text="Take the last release that supports this torch.",
                command=f"{python_command(facts)} -m pip install 'transformers<{bound}'",
            ),
        ),
        missing=tuple(fact.name for fact in (facts.torch.transformers, facts.torch.torch) if not fact.known),
    )


RULE = ABOUT.rule(check)
