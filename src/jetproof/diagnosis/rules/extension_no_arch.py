"""A package beside torch has no code for this GPU.

Why it matters
    flash-attn, JAX, a project's own CUDA extension or kernels are compiled for a list of architectures of their own.
    torch's being right does not help.

How it is decided
    "no kernel image" and the code that lacks it is not torch's: another package is named as the one that fails, or
    torch's own list holds this GPU, or the image is made for Jetson.

What to do
    Build that package for the board's architecture.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.architectures import covers, no_kernel, other_code, torch_warning
from jetproof.diagnosis.evidence import hit, signature
from jetproof.diagnosis.known import UNKNOWN_CAPABILITY, ask_board, capability
from jetproof.diagnosis.rule import (
    LITERAL,
    SHARED,
    SYMPTOM,
    About,
    Confidence,
    Finding,
    Layer,
    Reason,
    Remedy,
    because,
)
from jetproof.diagnosis.torch_known import vendor
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD100", name="extension-no-gpu-arch", root_cause="extension-no-gpu-arch", layer=Layer.NEIGHBOURS)

_FOR_JETSON = Expression(r"(?i)l4t|jetson|dustynv|-igpu|\br3[2-9]\.\d|tegra")
_ARCH = Expression(
    r"(?i)\b(?:compiled|built|build|builds|kernels?|binar(?:y|ies)|cubins?|code|cuobjdump|wheel"
    r"|image)\b[^.\n]{0,60}\b(?:only |just )?(?:for |lacks? |without |no )?sm_?\d{2,3}\b"
    r"|Unsupported gpu architecture 'compute_\d{2,3}[af]?'|\bcode=sm_\d{2}|cuobjdump"
)
_PROSE = Expression(
    r"(?i)\b(?:lacks?|no|not|without|missing|not (?:built|compiled) for)\b[^.\n]{0,60}\b(?:sm_?(?:53|62|72|87"
    r"|101|110)[af]?|compute capability (?:5\.?3|6\.?2|7\.?2|8\.?7|11\.?0))\b"
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when another package's code does not fit the GPU."""
    kernel = no_kernel(facts) or signature(facts, tables, "invalid-source")
    arch = hit(facts, _ARCH) or hit(facts, _PROSE)
    gpu = capability(facts)
    listed = facts.torch.arch_list
    right = bool(gpu and listed.value and covers(listed.value, int(gpu.replace(".", ""))))
    image = facts.container.image
    jetson_image = bool(image.value and _FOR_JETSON.search(image.value))
    other = other_code(facts, tables)
    vendors = vendor(facts)
    if kernel and (right or jetson_image):
        yield _finding(
            facts,
            (kernel.because, because(listed) if right else None, because(image) if jetson_image else None, other),
            LITERAL,
            Confidence.LIKELY,
        )
    elif kernel and other:
        warned = torch_warning(facts) is not None or (listed.value is not None and not right)
        yield _finding(facts, (kernel.because, other, vendors), SYMPTOM if warned else LITERAL, Confidence.LIKELY)
    elif kernel and (vendors or arch):
        yield _finding(facts, (kernel.because, vendors, arch), SHARED, Confidence.LIKELY)
    elif kernel:
        yield _finding(facts, (kernel.because,), SYMPTOM, Confidence.POSSIBLE)
    elif arch and other:
        yield _finding(facts, (arch.because, other), SHARED, Confidence.LIKELY)


def _finding(facts: Facts, reasons: tuple[Reason, ...], specificity: int, confidence: Confidence) -> Finding:
    gpu = capability(facts)
    return ABOUT.finding(
        "A package beside torch has no code for this GPU"
        + (f" (compute capability {gpu})." if gpu else "; which GPU it is, is not told."),
        because=reasons,
        specificity=specificity,
        confidence=confidence,
        remedy=(
            Remedy(text="See what the failing library holds.", command="cuobjdump --list-elf PATH/TO/EXTENSION.so"),
            Remedy(
                text="Build the package for this GPU, against the installed torch." + ask_board(gpu),
                command=f"TORCH_CUDA_ARCH_LIST={gpu or UNKNOWN_CAPABILITY} python3 -m pip install --no-build-isolation "
                "--no-deps --no-binary :all: PACKAGE",
            ),
        ),
        missing=(
            *(("the library that fails",) if specificity != LITERAL else ()),
            *(() if gpu else ("model", "compute_capability")),
        ),
    )


RULE = ABOUT.rule(check)
