"""The cuDNN that is loaded is older than, or of another generation than, the one torch was compiled against.

Why it matters
    torch.backends.cudnn.version() raises, and convolutions fail with errors that name neither.

How it is decided
    The message holds both numbers; or torch's compiled cuDNN against the one that was found.

What to do
    Remove the foreign cuDNN from the loader's path, or take the torch of this JetPack.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, signed
from jetproof.diagnosis.known import numbers
from jetproof.diagnosis.remedies import vendor_torch
from jetproof.diagnosis.rule import LITERAL, SHARED, About, Confidence, Finding, Layer, Reason, Remedy
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD082", name="cudnn-abi-mismatch", root_cause="cudnn-abi-mismatch", layer=Layer.TORCH_LIBRARIES)

_SHARED = Expression(
    r"CUDNN_STATUS_(?:NOT_INITIALIZED|ARCH_MISMATCH|NOT_SUPPORTED)|Could not load library libcudnn\w{3,30}"
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when torch and cuDNN are of different releases."""
    literal, shared = signed(facts, tables, ABOUT), hit(facts, _SHARED)
    built, found = facts.torch.cudnn_built, facts.torch.cudnn_found
    pair = (built, found)
    differs = bool(
        built.value
        and found.value
        and (
            numbers(built.value)[:1] != numbers(found.value)[:1] or numbers(found.value)[:2] < numbers(built.value)[:2]
        )
    )
    if literal:
        yield _finding(facts, tables, (literal.because, *pair), LITERAL, Confidence.CERTAIN)
    elif differs:
        yield _finding(facts, tables, pair, LITERAL, Confidence.LIKELY)
    elif shared:
        yield _finding(facts, tables, (shared.because, *pair), SHARED, Confidence.POSSIBLE)


def _finding(
    facts: Facts, tables: Tables, reasons: tuple[Reason, ...], specificity: int, confidence: Confidence
) -> Finding:
    return ABOUT.finding(
        "The cuDNN that is loaded does not fit the one that torch was compiled against.",
        because=reasons,
        specificity=specificity,
        confidence=confidence,
        remedy=(
            Remedy(
                text="See which cuDNN is loaded, and what puts it first.",
                command="ldconfig -p | grep libcudnn.so; echo $LD_LIBRARY_PATH; python3 -m pip list | grep -i cudnn",
            ),
            Remedy(
                text="Remove a cuDNN that pip brought beside JetPack's.",
                command="python3 -m pip uninstall -y nvidia-cudnn-cu12 nvidia-cudnn-cu13",
            ),
            *vendor_torch(facts, tables),
        ),
        missing=() if specificity == LITERAL else ("torch.cudnn_compiled", "torch.cudnn_found"),
    )


RULE = ABOUT.rule(check)
