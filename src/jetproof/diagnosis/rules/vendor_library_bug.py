"""A library inside the torch wheel fails on this GPU: elementwise operations work, a matrix product does not.

Why it matters
    is_available is True and the arch list is right, so every shallow check passes. torch 2.10 for CUDA 13.0 brings a
    cuBLAS that fails every product on compute capability 11.0.

How it is decided
    CUBLAS_STATUS_INVALID_VALUE from a plain product on Thor. A real matmul has to be tried to see it.

What to do
    Take torch 2.11 or newer, or the Jetson index's build.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, signed
from jetproof.diagnosis.known import capability
from jetproof.diagnosis.remedies import python_command
from jetproof.diagnosis.rule import LITERAL, SHARED, About, Confidence, Finding, Layer, Remedy
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(
    id="JD083",
    name="torch-vendor-lib-bug-on-arch",
    root_cause="torch-vendor-lib-bug-on-arch",
    layer=Layer.TORCH_LIBRARIES,
)

_MORE = Expression(
    r"CUBLAS_STATUS_(?:INVALID_VALUE|INTERNAL_ERROR|NOT_SUPPORTED)|cublas(?:Sgemm|GemmEx"
    r"|LtMatmul)\w{0,20}[^\n]{0,80}(?:fail|INVALID|error)"
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when a matrix product fails inside cuBLAS."""
    literal = signed(facts, tables, ABOUT)
    thor = capability(facts) == "11.0"
    found = literal or (hit(facts, _MORE) if thor else None)
    if found is None:
        return
    torch = facts.torch.torch
    yield ABOUT.finding(
        "The cuBLAS inside this torch fails on this GPU, although torch itself has the right code.",
        because=(
            found.because,
            torch,
            facts.platform.compute_capability,
        ),
        remedy=(
            Remedy(
                text="Take torch 2.11 or newer, which brings a mended cuBLAS.",
                command=f"{python_command(facts)} -m pip install -U 'torch>=2.11' --index-url "
                "https://download.pytorch.org/whl/cu130",
            ),
            Remedy(
                text="Check with a real product.",
                command=f'{python_command(facts)} -c \'import torch; a = torch.rand(64, 64, device="cuda"); print((a @ '
                "a).sum())'",
            ),
        ),
        confidence=Confidence.LIKELY if thor else Confidence.POSSIBLE,
        specificity=LITERAL if thor else SHARED,
    )


RULE = ABOUT.rule(check)
