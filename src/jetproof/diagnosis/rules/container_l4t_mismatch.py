"""The image was made for another L4T than the host's.

Why it matters
    An L4T image and the host's driver go together in groups: each 32.x for itself, 34 with 35, 36.2 to 36.3,
    36.4 to 36.5, 38, 39. Across them libraries are missing or the driver is too old, and a newer toolkit on the host
    does not help.

How it is decided
    The image's rNN tag (or the JetPack it names) against the host's L4T; the runtime's own refusal, "unsatisfied
    condition: cuda>="; a JetPack 6 -igpu image on JetPack 7.

What to do
    Take the image of the host's group, or flash the JetPack that the image is for.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import hit, signature
from jetproof.diagnosis.images import generic_image
from jetproof.diagnosis.known import (
    host_groups,
    in_container,
    jetpack_major,
    jetpack_reason,
    l4t_group,
    numbers,
    system_tensorrt,
)
from jetproof.diagnosis.remedies import NEVER_THE_DRIVER, image_for_host
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
    because,
)
from jetproof.diagnosis.sonames import empty_library, missing_libraries
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD051", name="container-l4t-mismatch", root_cause="container-l4t-mismatch", layer=Layer.CONTAINER)

_REFUSED = Expression(
    r"(?i)unsatisfied condition: cuda ?[>=]|NVIDIA_REQUIRE_CUDA|requirements not met: unsatisfied condition"
)
_IGPU = Expression(r"(?i)-igpu\b")
_FOR_OTHER = Expression(
    r"(?i)\b(?:image|container)\b[^.\n]{0,80}\b(?:for|made for|built for|targets|based on"
    r"|of)\b[^.\n]{0,30}\b(?:JetPack ?(\d(?:\.\d)?)|(?:L4T[ -]?)?R?(3[2-9](?:\.\d{1,2}){0,2}))"
)
_TAG = Expression(r"(?i)[:\-_]r(3[2-9]\.\d{1,2}(?:\.\d{1,2})?)\b")


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when image and host are of different groups."""
    if facts.platform.is_jetson.value is False:
        return
    literal = hit(facts, _REFUSED) or signature(facts, tables, "container-cuda-requirement")
    nvdla = None if empty_library(facts) else signature(facts, tables, "libnvdla-missing")
    major = jetpack_major(facts)
    if literal:
        generic = generic_image(facts)  # that it wants a newer CUDA is then not for want of another L4T
        yield _finding(
            facts, tables, (literal.because, jetpack_reason(facts)), SHARED if generic else LITERAL, Confidence.CERTAIN
        )
        return
    capability = signature(facts, tables, "driver-capability-unknown")
    if capability:
        yield _finding(facts, tables, (capability.because, *_host(facts)), SHARED, Confidence.LIKELY)
    host = host_groups(facts, tables)
    image = _image_group(facts)
    if image and host and not any(group == image[0] or group.startswith(image[0] + ".") for group in host):
        yield _finding(
            facts,
            tables,
            (image[1], *_host(facts)),
            LITERAL,
            Confidence.CERTAIN if len(host) == 1 else Confidence.LIKELY,
        )
        return
    stated = facts.platform.jetpack.value
    exact = next((row for row in tables.releases if row.jetpack and row.jetpack == stated), None)
    if image and exact and l4t_group(exact.l4t) != image[0]:
        yield _finding(facts, tables, (image[1], *_host(facts)), SYMPTOM, Confidence.POSSIBLE)
    if not in_container(facts):
        return
    other = _other_tensorrt(facts, tables)
    if other:
        yield _finding(facts, tables, (other, *_host(facts)), LITERAL, Confidence.LIKELY)
        return
    igpu = hit(facts, _IGPU)
    if major == 7 and (igpu or nvdla):
        yield _finding(
            facts,
            tables,
            (igpu, nvdla, *_host(facts)),
            LITERAL,
            Confidence.LIKELY,
        )
        return
    told = hit(facts, _FOR_OTHER)
    if told and major:
        named = told.match.group(1) or ""
        release = told.match.group(2) or ""
        group = l4t_group(release) if release else None
        differs = bool(named and int(named[0]) != major) or bool(group and host and group not in host)
        if differs:
            yield _finding(facts, tables, (told.because, *_host(facts)), SHARED, Confidence.LIKELY)
            return
    if nvdla:
        yield _finding(facts, tables, (nvdla.because, *_host(facts)), SHARED, Confidence.POSSIBLE)


def _other_tensorrt(facts: Facts, tables: Tables) -> Because | None:
    """Return a library of TensorRT that an image looks for and whose number is not that of the host's."""
    own = numbers(system_tensorrt(facts, tables) or "")
    return next(
        (library.because for library in missing_libraries(facts) if own and library.tensorrt not in (None, own[0])),
        None,
    )


def _image_group(facts: Facts) -> tuple[str, Because] | None:
    """Return the group of the image, with the fact that names it."""
    stated = facts.container.image_l4t
    if stated.value:
        return l4t_group(stated.value) or stated.value.split(".")[0], because(stated)
    found = hit(facts, _TAG)
    if found and in_container(facts):
        group = l4t_group(found.match.group(1))
        return (group, found.because) if group else None
    return None


def _host(facts: Facts) -> tuple[Reason, ...]:
    return (facts.platform.l4t, jetpack_reason(facts))


def _finding(
    facts: Facts, tables: Tables, reasons: tuple[Reason, ...], specificity: int, confidence: Confidence
) -> Finding:
    return ABOUT.finding(
        "The image is made for another L4T than the host's.",
        because=reasons,
        remedy=(*image_for_host(facts, tables), NEVER_THE_DRIVER),
        specificity=specificity,
        confidence=confidence,
        missing=() if facts.platform.l4t.known else ("l4t",),
    )


RULE = ABOUT.rule(check)
