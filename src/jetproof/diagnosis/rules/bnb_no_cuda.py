"""bitsandbytes has no CUDA library for this board.

Why it matters
    Up to 0.42 its wheel holds x86 libraries and pip takes it on aarch64 all the same; a source install without
    CMake's flags, or a CUDA that it does not ship, ends alike. torch itself is fine.

How it is decided
    bitsandbytes up to 0.42, a missing libbitsandbytes_cudaNNN.so, or "CUDA Setup failed despite GPU being available".
    "compiled without GPU support" is printed only where torch sees no GPU: then torch comes first.

What to do
    Build it for the board, or take it from the Jetson index.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, signature
from jetproof.diagnosis.known import UNKNOWN_CAPABILITY, ask_board, capability, numbers
from jetproof.diagnosis.packages import package
from jetproof.diagnosis.rule import (
    LITERAL,
    SHARED,
    SYMPTOM,
    About,
    Because,
    Confidence,
    Finding,
    Layer,
    Reason,
    Remedy,
    because,
)
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(
    id="JD095", name="bitsandbytes-no-jetson-cuda", root_cause="bitsandbytes-no-jetson-cuda", layer=Layer.NEIGHBOURS
)

_LAST_OF_X86 = (0, 42)
_BNB = Expression(r"(?i)bitsandbytes|\bbnb\b")


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when bitsandbytes has no library for this CUDA."""
    literal = signature(facts, tables, "bnb-no-binary", "bnb-setup-failed", "bnb-cpu")
    release = facts.torch.bitsandbytes
    old = bool(release.value and numbers(release.value)[:2] <= _LAST_OF_X86)
    x86_wheel = facts.platform.arch.value in ("aarch64", None) and facts.platform.is_jetson.value is not False
    if literal and (_BNB.search(literal.message.text) or release.known or _named(facts)):
        yield _finding(facts, (literal.because, release), LITERAL, Confidence.LIKELY)
    elif old and x86_wheel:
        yield _finding(facts, (because(release),), SHARED, Confidence.LIKELY)
    elif not release.known and x86_wheel and (given := package(facts)) and _BNB.search(given.text):
        told = Because(fact="package", value=given.text[:200], read_from=given.read_from)
        yield _finding(facts, (told,), SYMPTOM, Confidence.POSSIBLE)


def _named(facts: Facts) -> bool:
    return hit(facts, _BNB) is not None


def _finding(facts: Facts, reasons: tuple[Reason, ...], specificity: int, confidence: Confidence) -> Finding:
    gpu = capability(facts)
    arch = (gpu or UNKNOWN_CAPABILITY).replace(".", "")
    return ABOUT.finding(
        "bitsandbytes has no CUDA library for this board; torch plays no part in it.",
        because=reasons,
        specificity=specificity,
        confidence=confidence,
        remedy=(
            Remedy(
                text="Check first that torch itself sees the GPU.",
                command="python3 -c 'import torch; print(torch.version.cuda, torch.cuda.is_available())'",
            ),
            Remedy(
                text="Build it for this board." + ask_board(gpu),
                command="git clone --depth 1 https://github.com/bitsandbytes-foundation/bitsandbytes && cd "
                f"bitsandbytes\ncmake -DCOMPUTE_BACKEND=cuda -DCOMPUTE_CAPABILITY={arch} -S . && make -j4 && "
                "python3 -m pip install --no-build-isolation --no-deps .",
            ),
            Remedy(
                text="Or take a wheel made for Jetson (JetPack 6).",
                command="python3 -m pip install bitsandbytes --index-url https://pypi.jetson-ai-lab.io/jp6/cu126",
            ),
        ),
        missing=(
            *(() if facts.torch.bitsandbytes.known else ("bitsandbytes",)),
            *(() if gpu else ("model", "compute_capability")),
        ),
    )


RULE = ABOUT.rule(check)
