"""Triton's own ptxas does not know this GPU: eager mode works, torch.compile does not.

Why it matters
    Triton bundles ptxas (a second one for Blackwell since 3.6). One older than CUDA 13 does not know sm_110a.

How it is decided
    ptxas' own message that the architecture is not defined.

What to do
    Point Triton at the system's ptxas, or take a newer Triton.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, signed
from jetproof.diagnosis.rule import LITERAL, SHARED, About, Confidence, Finding, Layer, Remedy
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD098", name="triton-ptxas-too-old", root_cause="triton-ptxas-too-old", layer=Layer.NEIGHBOURS)

_COMPILE = Expression(r"(?i)torch\.compile|\binductor\b|\btriton\b")
_FAILS = Expression(r"(?i)\bptxas\b")


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when ptxas refuses the architecture."""
    literal = signed(facts, tables, ABOUT)
    shared = hit(facts, _FAILS) if hit(facts, _COMPILE) else None
    found = literal or shared
    if found is None:
        return
    triton = facts.torch.triton
    yield ABOUT.finding(
        "The ptxas that Triton brings does not know this GPU; eager mode works, torch.compile does not.",
        because=(found.because, triton),
        remedy=(
            Remedy(
                text="Use the system's ptxas.",
                command="export TRITON_PTXAS_PATH=/usr/local/cuda/bin/ptxas\nexport "
                "TRITON_PTXAS_BLACKWELL_PATH=/usr/local/cuda/bin/ptxas",
            ),
            Remedy(
                text="Triton 3.6.0 has no variable for its second ptxas: take a newer Triton, or run without "
                "torch.compile."
            ),
        ),
        confidence=Confidence.CERTAIN if literal else Confidence.POSSIBLE,
        specificity=LITERAL if literal else SHARED,
    )


RULE = ABOUT.rule(check)
