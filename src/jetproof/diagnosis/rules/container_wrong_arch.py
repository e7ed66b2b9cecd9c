"""The image is for another CPU architecture.

Why it matters
    An amd64 image starts nothing on arm64, whatever runtime is used. Many tags exist for amd64 only.

How it is decided
    "exec format error", a missing manifest for linux/arm64, or Docker's warning that platforms do not match.

What to do
    Take an arm64 image made for L4T, or build it on the board.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import signed
from jetproof.diagnosis.remedies import image_for_host
from jetproof.diagnosis.rule import LITERAL, SHARED, About, Confidence, Finding, Layer, Remedy, because
from jetproof.facts.model import Facts
from jetproof.tables import Tables

ABOUT = About(id="JD054", name="container-wrong-arch", root_cause="container-wrong-arch", layer=Layer.CONTAINER)


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a finding when an image of another architecture was started."""
    literal = signed(facts, tables, ABOUT)
    arch = facts.container.image_arch
    machine = facts.platform.arch.value
    differs = bool(arch.value and machine and (arch.value in ("amd64", "x86_64")) != (machine == "x86_64"))
    if literal or differs:
        yield ABOUT.finding(
            "The image is for another CPU architecture (amd64 on an arm64 board).",
            because=(
                literal,
                because(arch) if differs else None,
                facts.container.image,
            ),
            remedy=(
                *image_for_host(facts, tables),
                Remedy(
                    text="See which architectures an image has.",
                    command="docker manifest inspect IMAGE | grep architecture",
                ),
            ),
            specificity=LITERAL if literal else SHARED,
            confidence=Confidence.CERTAIN if literal else Confidence.LIKELY,
        )


RULE = ABOUT.rule(check)
