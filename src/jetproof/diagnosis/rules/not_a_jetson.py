"""The machine is not a Jetson.

Why it matters
    What mends torch on a Jetson (vendor wheels, L4T images, groups) is wrong on other machines, also on those
    that look alike: DGX Spark, Grace servers, IGX, DRIVE, a Raspberry Pi, a PC that emulates arm64.

How it is decided
    By the device tree and L4T's release file where they can be read; in a report by the model, the kernel's
    suffix, the GPU's name or the processor. aarch64 and unified memory alone are no sign of a Jetson.

What to do
    Use the builds for that machine. If torch works there, nothing is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.diagnosis.evidence import signature
from jetproof.diagnosis.rule import LITERAL, About, Confidence, Finding, Layer, Remedy, Severity, because
from jetproof.facts.model import Facts, PlatformClass
from jetproof.tables import Tables

ABOUT = About(id="JD001", name="not-a-jetson", root_cause="not-a-jetson", layer=Layer.MACHINE)

_WORDS = {
    PlatformClass.DGX_SPARK: "a DGX Spark (GB10)",
    PlatformClass.GRACE: "a Grace machine",
    PlatformClass.IGX: "an IGX system",
    PlatformClass.RASPBERRY_PI: "a Raspberry Pi, without an NVIDIA GPU",
    PlatformClass.WSL: "Linux under Windows (WSL)",
    PlatformClass.X86: "an x86 machine",
    PlatformClass.EMULATED: "an emulated machine: nothing of a Jetson can be shown there",
    PlatformClass.ARM64_SERVER: "an arm64 machine of another maker",
    PlatformClass.APPLE: "an Apple machine",
}


def check(facts: Facts, tables: Tables) -> Iterator[Finding]:
    """Yield a note when the facts show another machine."""
    platform = facts.platform
    if platform.is_jetson.value is None and (bare := signature(facts, tables, "tegra-chip-id")):
        yield ABOUT.finding(
            "L4T's libraries find no Tegra under them: this is another machine, or one that is emulated.",
            because=(bare.because,),
            severity=Severity.NOTE,
            confidence=Confidence.LIKELY,
            specificity=LITERAL,
            missing=("model", "arch"),
        )
        return
    if platform.is_jetson.value is not False and not platform.emulated.value:
        return
    kind = platform.platform_class
    words = _WORDS.get(kind.value or PlatformClass.UNKNOWN, "another machine")
    works = facts.torch.available.value is True
    yield ABOUT.finding(
        f"This is not a Jetson but {words}" + ("; its torch sees a GPU." if works else "."),
        because=(
            because(platform.is_jetson),
            kind,
            platform.model,
        ),
        remedy=(
            Remedy(text="Remedies for Jetson do not apply; take this machine's own builds of torch and its images."),
        ),
        severity=Severity.NOTE,
        confidence=Confidence.CERTAIN if facts.platform.arch.known or kind.known else Confidence.LIKELY,
        specificity=LITERAL,
    )


RULE = ABOUT.rule(check)
