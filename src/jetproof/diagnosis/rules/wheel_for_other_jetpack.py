"""The wheel was made for another JetPack: it asks for libraries of another CUDA, cuDNN or glibc.

Why it matters
    A vendor wheel links the CUDA and cuDNN of one JetPack. Elsewhere its libraries have other names, and links from
    one name to the other only move the crash.

How it is decided
    On the bare board a missing library's name carries another number than the system's: libcudart.so.10.0 with CUDA
    10.2, libcudnn.so.8 on JetPack 6.1. The name outweighs which JetPack the reporter believes to have.

What to do
    Install the wheel of this JetPack.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, signed
from jetproof.diagnosis.known import in_container, jetpack_major, numbers, release_row, system_cuda
from jetproof.diagnosis.remedies import vendor_torch
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
from jetproof.diagnosis.sonames import Missing, missing_libraries
from jetproof.diagnosis.torch_known import isolated_build
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD075", name="wheel-for-other-jetpack", root_cause="wheel-for-other-jetpack", layer=Layer.TORCH_BUILD)

_OTHER = Expression(r"(?i)\bwheel\b[^.\n]{0,40}\b(?:for|of|from)\b[^.\n]{0,20}\bJetPack ?(\d)(?:\.\d)?|\bjp/v(\d)\d")
_OF_CUDA = ("libcu", "libnvToolsExt", "libnvrtc", "libnvJitLink", "libnpp")
_SEPARATE = Expression(r"libnvpl|libcudss|libcusparseLt|libopenblas|libmpi")


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when a wheel's libraries are those of another JetPack."""
    if facts.platform.is_jetson.value is False or isolated_build(facts):
        return
    glibc = signed(facts, tables, ABOUT)
    if glibc:
        yield _finding(facts, tables, (glibc.because,), LITERAL, Confidence.LIKELY)
    cuda = system_cuda(facts, tables)
    contained = in_container(facts)
    for library in missing_libraries(facts):
        if _SEPARATE.match(library.name) or not (library.cuda or library.cudnn):
            continue
        verdict = _other_cuda(library, cuda) if library.cuda else _other_cudnn(facts, tables, library)
        source = (
            because(facts.cuda.toolkit)
            if facts.cuda.toolkit.known
            else because(facts.platform.jetpack)
            if facts.platform.jetpack.known
            else None
        )
        if verdict is True:
            yield _finding(
                facts,
                tables,
                (library.because, source),
                SHARED if contained else LITERAL,
                Confidence.LIKELY if contained else Confidence.CERTAIN,
            )
            return
        if verdict is None:
            yield _finding(
                facts,
                tables,
                (library.because, source),
                SYMPTOM if contained else SHARED,
                Confidence.POSSIBLE if contained else Confidence.LIKELY,
            )
            return
    silent = next((found for found in missing_libraries(facts) if _tells_nothing(found)), None)
    if silent and not contained and facts.platform.is_jetson.value:
        yield _finding(facts, tables, (silent.because,), SYMPTOM, Confidence.POSSIBLE)
        return
    other = hit(facts, _OTHER)
    major = jetpack_major(facts)
    if other and major and not contained and int(other.match.group(1) or other.match.group(2)) != major:
        yield _finding(
            facts,
            tables,
            (other.because, facts.platform.jetpack),
            SYMPTOM,
            Confidence.POSSIBLE,
        )


def _tells_nothing(library: Missing) -> bool:
    """Whether a library is one of CUDA whose number several releases share."""
    return library.name.startswith(_OF_CUDA) and not (library.cuda or library.cudnn or _SEPARATE.match(library.name))


def _other_cuda(library: Missing, cuda: str | None) -> bool | None:
    """Whether the library is of another CUDA than the system's; None where the system's is not known."""
    if cuda is None:
        return None
    return numbers(cuda)[: len(library.cuda)] != library.cuda


def _other_cudnn(facts: Facts, tables: Tables, library: Missing) -> bool | None:
    own = facts.cuda.cudnn.value
    if own is None:
        row = release_row(facts, tables)
        own = row.cudnn if row else None
    if own is None:
        return None
    return numbers(own)[:1] != (library.cudnn,)


def _finding(
    facts: Facts, tables: Tables, reasons: tuple[Reason, ...], specificity: int, confidence: Confidence
) -> Finding:
    return ABOUT.finding(
        "The wheel was made for another JetPack: it asks for libraries that this one does not have.",
        because=reasons,
        remedy=(
            *vendor_torch(facts, tables),
            Remedy(text="Do not link the new name to the old library: the crash only moves."),
        ),
        specificity=specificity,
        confidence=confidence,
        missing=() if facts.cuda.toolkit.known else ("cuda.toolkit",),
    )


RULE = ABOUT.rule(check)
