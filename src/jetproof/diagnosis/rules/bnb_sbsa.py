"""bitsandbytes from the default index is built for server ARM: it imports, and its first kernel fails on a Jetson.

Why it matters
    From 0.46 on there are aarch64 wheels, made for server CUDA. A check that only imports it passes; quantising fails
    with "named symbol not found". JetPack before 7.2 needs its own build.

How it is decided
    The message from bitsandbytes' own kernels; or such a wheel on a Jetson before JetPack 7.2 and a quantise call
    that fails.

What to do
    Build it for the board, or take it from the Jetson index.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, signature, signed
from jetproof.diagnosis.known import UNKNOWN_CAPABILITY, ask_board, capability, numbers
from jetproof.diagnosis.rule import LITERAL, SHARED, About, Because, Confidence, Finding, Layer, Reason, Remedy
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts, Outcome
from jetproof.tables import Tables

ABOUT = About(
    id="JD096", name="bitsandbytes-sbsa-binary", root_cause="bitsandbytes-sbsa-binary", layer=Layer.NEIGHBOURS
)

_BNB = Expression(r"(?i)\bbitsandbytes\b|\bbnb\b|quantize_4bit|Linear(?:4|8)bit|load_in_[48]bit")
_FIRST = (0, 46)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when a server build of bitsandbytes fails at its first kernel."""
    if facts.platform.is_jetson.value is False:
        return
    release = facts.torch.bitsandbytes
    literal = signed(facts, tables, ABOUT)
    new = bool(release.value and numbers(release.value)[:2] >= _FIRST)
    trial = facts.torch.trial("bitsandbytes quantize")
    failed = trial is not None and trial.outcome in (Outcome.FAILED, Outcome.CRASHED)
    shown = release
    if literal:
        yield _finding(facts, (literal.because, shown), LITERAL, Confidence.CERTAIN)
    elif new and failed and trial:
        yield _finding(
            facts,
            (
                Because(fact=trial.name, value=trial.message or trial.outcome.value, read_from=f"trial: {trial.name}"),
                shown,
            ),
            LITERAL,
            Confidence.LIKELY,
        )
    elif new and (kernel := signature(facts, tables, "no-kernel-image")) and hit(facts, _BNB):
        yield _finding(facts, (kernel.because, shown), SHARED, Confidence.LIKELY)


def _finding(facts: Facts, reasons: tuple[Reason, ...], specificity: int, confidence: Confidence) -> Finding:
    gpu = capability(facts)
    arch = (gpu or UNKNOWN_CAPABILITY).replace(".", "")
    return ABOUT.finding(
        "bitsandbytes is the default index's build for server ARM; its kernels fail on this board.",
        because=reasons,
        specificity=specificity,
        confidence=confidence,
        remedy=(
            Remedy(
                text="Build it for this board." + ask_board(gpu),
                command="git clone --depth 1 https://github.com/bitsandbytes-foundation/bitsandbytes && cd "
                f"bitsandbytes\ncmake -DCOMPUTE_BACKEND=cuda -DCOMPUTE_CAPABILITY={arch} -S . && make -j4 && "
                "python3 -m pip install --no-build-isolation --no-deps .",
            ),
            Remedy(
                text="Or take a wheel made for Jetson (JetPack 6).",
                command="python3 -m pip install --force-reinstall --no-deps bitsandbytes --index-url "
                "https://pypi.jetson-ai-lab.io/jp6/cu126",
            ),
            Remedy(
                text="Check with a real call, an import shows nothing.",
                command="python3 -c 'import torch, bitsandbytes.functional as f; print(f.quantize_4bit(torch.rand(64, "
                '64, device="cuda", dtype=torch.float16))[0].shape)\'',
            ),
        ),
        missing=(
            *(() if facts.torch.bitsandbytes.known else ("bitsandbytes",)),
            *(() if gpu else ("model", "compute_capability")),
        ),
    )


RULE = ABOUT.rule(check)
