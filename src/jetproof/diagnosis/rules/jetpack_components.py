"""Parts of JetPack are not installed: L4T is there, CUDA, cuDNN or the multimedia packages are not.

Why it matters
    A minimal or self-made root file system boots and has the GPU's driver, but no CUDA libraries, so every wheel
    for this JetPack fails for libraries that belong to the system.

How it is decided
    dpkg lists nvidia-l4t-core without cuda-*, libcudnn* or nvidia-l4t-multimedia; or a library of exactly this
    JetPack's CUDA is missing outside a container; or the report tells of a minimal image and a device that cannot
    be opened.

What to do
    Install the missing parts from NVIDIA's repository for this L4T.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, reason, signature
from jetproof.diagnosis.known import in_container, system_cuda
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
    Severity,
    because,
)
from jetproof.diagnosis.sonames import missing_libraries
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(
    id="JD030",
    name="jetpack-components-not-installed",
    root_cause="jetpack-components-not-installed",
    layer=Layer.PARTS,
)

_MINIMAL = Expression(
    r"(?i)\b(?:minimal|custom|self-?made|hand-?made|bare|stripped|slim|debootstrap\w{0,3}|yocto|balena|buildroot"
    r"|armbian|nixos)\b[^.\n]{0,50}\b(?:root ?fs|root file ?system|image|l4t|install|flash|build)"
    r"|\b(?:root ?fs|root file ?system)\b[^.\n]{0,40}\b(?:minimal|custom|self-?made|debootstrap)"
    r"|\bflashed (?:only|just) (?:the )?(?:OS|L4T|BSP)"
    r"|\b(?:with )?(?:the )?(?:OS|L4T|BSP) (?:only|alone)\b"
    r"|\bNixOS\b|\bwithout (?:the )?(?:SDK|JetPack) components"
)
_NOT_THERE = Expression(
    r"(?i)(?:E: Unable to locate package|package)\s['\"]?(?:nvidia-jetpack|cuda-toolkit[\w-]*|libcudnn\w*"
    r"|nvidia-l4t-\w[\w-]*|tensorrt|nvidia-cuda\w*)['\"]?\s?(?:is |are )?(?:not installed|missing)"
    r"|(?:nvidia-l4t-(?:multimedia|jetson-multimedia-api|cuda|3d-core)[\w-]*|cuda-(?:toolkit|libraries|runtime"
    r"|cudart)[\w-]*|libcudnn\d[\w-]*|nvidia-jetpack|nvidia-cuda|nvidia-cudnn)\b[^.\n]{0,40}\b(?:not installed"
    r"|missing|absent|was not there|no packages found|is not installed)"
    r"|dpkg-query: no packages found matching (?:cuda|libcudnn|nvidia-jetpack|tensorrt)|\bno /usr/local/cuda\b"
    r"|/usr/local/cuda\S{0,40}[ '\":]{1,4}(?:No such file or directory|(?:is )?(?:missing|not there|absent|empty)"
    r"|does(?:n't| not) exist)"
    r"|\bCUDA\b[^.\n]{0,30}\b(?:librar(?:y|ies)|packages?|components?|toolkit)\b[^.\n]{0,60}\b(?:are|is|were|was)"
    r" (?:not (?:available|packaged|installed|shipped|provided|there)|unavailable|missing|absent)"
    r"|\b(?:CUDA|cuDNN|JetPack(?:'s)? (?:components|SDK|packages)) (?:was|were|is|are) (?:never|not) installed"
)
_NVRM = Expression(
    r"Can't initialize nvrm channel|NvRmMemInit failed|NvRm\w{3,40} failed"
    r"|Could not create Default NvBufferSession|nvbuf_utils: Could not"
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when JetPack's parts are absent from the system."""
    if facts.platform.is_jetson.value is False:
        return
    absent_parts = facts.cuda.missing_parts
    minimal = None if in_container(facts) else hit(facts, _MINIMAL)
    told = hit(facts, _NOT_THERE)
    nvrm = signature(facts, tables, "nvrm-channel") or hit(facts, _NVRM)
    parts: Because | None = None
    if absent_parts.value:
        parts = because(absent_parts, ", ".join(absent_parts.value))
    if in_container(facts) and not (minimal or told):
        return
    own = _own_library(facts, tables)
    if parts or (told and not in_container(facts)):
        yield _finding(
            (parts, told, own, minimal),
            Confidence.CERTAIN if parts else Confidence.LIKELY,
            LITERAL,
            _severity(facts),
        )
    elif nvrm:
        denied = reason(facts, Expression(r"(?i)permission denied"))
        if denied is None:
            yield _finding(
                (nvrm.because, minimal),
                Confidence.LIKELY if minimal else Confidence.POSSIBLE,
                LITERAL if minimal else SHARED,
            )
    elif own:
        yield _finding((own, minimal), Confidence.LIKELY, SHARED)
    elif minimal:
        yield _finding((minimal.because,), Confidence.POSSIBLE, SYMPTOM)


def _own_library(facts: Facts, tables: Tables) -> Because | None:
    """Return a missing library that belongs to exactly the CUDA of this JetPack."""
    cuda = system_cuda(facts, tables)
    if cuda is None or in_container(facts):
        return None
    for library in missing_libraries(facts):
        if library.cuda and library.cuda == tuple(int(part) for part in cuda.split("."))[: len(library.cuda)]:
            return library.because
    return None


def _severity(facts: Facts) -> Severity:
    """A board whose torch works lacks nothing that torch needs; only CUDA and cuDNN can stop it."""
    if facts.torch.available.value is True:
        return Severity.NOTE
    lacking = facts.cuda.missing_parts.value
    return Severity.BLOCKING if lacking is None or any(part != "libnvinfer" for part in lacking) else Severity.WARNING


def _finding(
    reasons: tuple[Reason, ...],
    confidence: Confidence,
    specificity: int,
    severity: Severity = Severity.BLOCKING,
) -> Finding:
    return ABOUT.finding(
        "Parts of JetPack are not installed on this system.",
        because=reasons,
        severity=severity,
        confidence=confidence,
        specificity=specificity,
        remedy=(
            Remedy(
                text="Install JetPack's parts for this L4T.",
                command="sudo apt-get update && sudo apt-get install -y nvidia-jetpack",
            ),
            Remedy(
                text="For multimedia programs also these.",
                command="sudo apt-get install -y nvidia-l4t-multimedia nvidia-l4t-jetson-multimedia-api",
            ),
            Remedy(text="Check.", command="dpkg -l 'nvidia-l4t-*' 'cuda-*' 'libcudnn*' | grep ^ii"),
        ),
        missing=("cuda.packages",),
    )


RULE = ABOUT.rule(check)
