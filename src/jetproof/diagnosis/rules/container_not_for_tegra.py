"""The image is not made for Jetson, and this board needs one that is.

Why it matters
    Up to JetPack 6, and on Orin before JetPack 7.2, an arm64 image for servers or discrete GPUs has neither code for
    the board's GPU nor the libraries that fit its driver. On Thor and on JetPack 7.2 such images are right.

How it is decided
    The image's name: generic NGC, nvidia/cuda, an x86 project's image, a dGPU or server build, against the board.

What to do
    Take an L4T image (-igpu on JetPack 6), or build one on an L4T base.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jetproof.diagnosis.evidence import TYPED, hit, signature
from jetproof.diagnosis.images import FOR_TEGRA, GENERIC, generic_image
from jetproof.diagnosis.known import capability, jetpack_major, jetpack_reason, old_tegra
from jetproof.diagnosis.remedies import image_for_host
from jetproof.diagnosis.rule import LITERAL, SHARED, About, Confidence, Finding, Layer, Reason, because
from jetproof.facts.expression import Expression
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(
    id="JD053", name="container-not-built-for-tegra", root_cause="container-not-built-for-tegra", layer=Layer.CONTAINER
)

_TOLD = Expression(
    r"(?i)\b(?:image|container|holohub|build)\b[^.\n]{0,60}\b(?:dgpu|discrete|sbsa|server arm64|not (?:made"
    r"|built|meant) for (?:jetson|tegra|l4t))\b|\b(?:dgpu|sbsa)\b[^.\n]{0,30}\b(?:image|container|variant|build)"
    r"|\bbuilt for (?:the )?dGPU\b|--gpu[ =]dgpu|--base-?img[ =]\S*dgpu|\bdgpu\b"
)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when a generic image runs on a board that needs a Tegra one."""
    if not old_tegra(facts):
        return
    image = facts.container.image
    literal = signature(facts, tables, "no-kernel-image", "unsupported-cc-warning", "driver-insufficient")
    symptom = literal or hit(
        facts,
        Expression(
            r"(?i)no CUDA-capable device|is_available\W{0,4}[^\n]{0,30}False|cannot open shared object|nvrm"
            r"|Unsupported|CUDA error|file exists|not detected|failed"
        ),
    )
    if image.value and FOR_TEGRA.search(image.value) and not re.search(r"(?i)\bdgpu\b", image.value):
        return
    told = hit(facts, _TOLD)
    named = generic_image(facts)
    if named:
        yield _finding(
            facts,
            tables,
            (because(image), symptom, told),
            LITERAL,
            Confidence.LIKELY,
        )
    elif told and not hit(facts, Expression(r"(?i)sbsa/cu\d")):
        yield _finding(
            facts,
            tables,
            (told.because, symptom),
            LITERAL if jetpack_major(facts) or capability(facts) else SHARED,
            Confidence.LIKELY,
        )
    else:
        typed = hit(
            facts,
            Expression(r"(?i)\b(?:docker|podman) run\b[^\n]{0,300}?(" + GENERIC.pattern.replace("(?i)", "") + ")"),
            *TYPED,
        )
        if typed and not FOR_TEGRA.search(typed.match.group(1)):
            yield _finding(facts, tables, (typed.because,), SHARED, Confidence.LIKELY)


def _finding(
    facts: Facts, tables: Tables, reasons: tuple[Reason, ...], specificity: int, confidence: Confidence
) -> Finding:
    return ABOUT.finding(
        "The image is not made for Jetson, and this board needs one that is.",
        because=(*reasons, jetpack_reason(facts)),
        remedy=image_for_host(facts, tables),
        specificity=specificity,
        confidence=confidence,
        missing=() if jetpack_reason(facts) else ("l4t",),
    )


RULE = ABOUT.rule(check)
