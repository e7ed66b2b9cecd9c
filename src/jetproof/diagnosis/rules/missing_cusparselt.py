"""libcusparseLt is missing: NVIDIA's wheels since 24.06 link it, and JetPack does not install it.

Why it matters
    `import torch` ends with an ImportError although wheel, JetPack and Python fit.

How it is decided
    The library's name in the failure. It may lie in the environment (nvidia-cusparselt-cu12) where no loader looks.

What to do
    Install cuSPARSELt, or put its directory on the loader's path.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import signed
from jetproof.diagnosis.known import numbers
from jetproof.diagnosis.remedies import cusparselt
from jetproof.diagnosis.rule import LITERAL, About, Confidence, Finding, Layer, Severity, because
from jetproof.diagnosis.torch_known import is_vendor
from jetproof.facts.model import Facts, Outcome
from jetproof.tables import Tables

ABOUT = About(id="JD080", name="missing-cusparselt", root_cause="missing-cusparselt", layer=Layer.TORCH_LIBRARIES)

_FIRST = (2, 4)
"""First torch of NVIDIA's that links it."""


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when the library is what an import misses."""
    named = signed(facts, tables, ABOUT)
    torch, library = facts.torch.torch, facts.cuda.cusparselt
    if named:
        yield ABOUT.finding(
            "libcusparseLt is not where the loader looks; JetPack does not install it and this torch links it.",
            because=(
                named.because,
                torch,
                because(library) if library.known or library.absent else None,
            ),
            remedy=cusparselt(),
            confidence=Confidence.CERTAIN,
            specificity=LITERAL,
        )
        return
    imported = facts.torch.trial("import torch")
    works = imported is not None and imported.outcome is Outcome.OK
    if library.absent and torch.value and is_vendor(torch.value) and numbers(torch.value)[:2] >= _FIRST and not works:
        yield ABOUT.finding(
            "The installed torch links libcusparseLt, which the loader does not find.",
            because=(because(library), because(torch)),
            remedy=cusparselt(),
            severity=Severity.WARNING,
        )


RULE = ABOUT.rule(check)
