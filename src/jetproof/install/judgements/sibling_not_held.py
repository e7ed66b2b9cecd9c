"""
torchvision or torchaudio is wanted, and the vendor's set has none.

Why it matters
    They are compiled against one torch. From the public index each torchvision pins one torch exactly, so that
    installing it replaces the vendor's torch, with NVIDIA's CUDA libraries for servers behind it. A copy that leaves
    torch alone fails when it is imported or at its first operation.

What to do
    Hold all of them: build torchvision and torchaudio from source against the vendor's torch, or take the builds for
    this JetPack from where the torch came from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from jetproof.install.case import Case
from jetproof.install.finding import Confidence, Finding, Remedy, Severity, Verdict
from jetproof.install.index_torch import exact_of
from jetproof.install.judgements.judgement import Judgement, hold
from jetproof.install.known_projects import PINS_TORCH, SEEN_WITH, UNMATCHED
from jetproof.install.selection import Selected
from jetproof.install.torch_build import is_cpu, is_jetson_source


def _brings_torch(case: Case, one: Selected) -> Verdict | None:
    """What a sibling that is not held makes of the vendor's torch."""
    if case.project.locked:
        # the lock is complete: torch is replaced when the lock holds one, else the pair does not match
        return Verdict.REPLACES_TORCH if case.selection.named("torch") else Verdict.UNDETERMINED
    return None if one.package.name in UNMATCHED else Verdict.REPLACES_TORCH


def _message(one: Selected, verdict: Verdict | None, locked: bool, python: tuple[int, int]) -> str:
    what = f"{one.package.wanted} is not in the vendor's set"
    if locked:
        cpu = is_cpu(one.package.release, one.package.source.location)
        built = "a CPU build" if cpu else "a build"
        kept = " and a torch with it" if verdict is Verdict.REPLACES_TORCH else "; whether it loads is not known"
        return f"{what}: the lock brings {built} that is compiled against another torch{kept}"
    if verdict is None:
        return f"{what}: the index's build is compiled against another torch, and nothing checks that they match"
    return f"{what}: {_pinned(one, python)}"


def _pinned(one: Selected, python: tuple[int, int]) -> str:
    """How it brings another torch: the release that is pinned, else the newest where the bound admits it."""
    sibling = PINS_TORCH[one.package.name]
    try:
        specifiers = SpecifierSet(one.specifier or "")
    except InvalidSpecifier:
        return sibling.pins
    exact = exact_of(specifiers)
    if exact is not None:
        return f"the index's {exact} is compiled against the index's torch, not the vendor's; {sibling.pins}"
    seen = python == SEEN_WITH and specifiers.contains(sibling.newest)
    return f"{sibling.pins}; {sibling.brings}" if seen else sibling.pins


def check(case: Case) -> Iterator[Finding]:
    """Find siblings of torch that would come from somewhere else than the vendor."""
    for name in (*PINS_TORCH, *sorted(UNMATCHED)):
        if name in case.held:
            continue
        for one in case.selection.named(name):
            if not case.by_index(one) or is_jetson_source(one.package.source.location):
                continue
            if _never(one.specifier):
                continue
            verdict = _brings_torch(case, one)
            yield Finding(
                rule=JUDGEMENT.id,
                name=JUDGEMENT.name,
                severity=Severity.BLOCKING if verdict is Verdict.REPLACES_TORCH else Severity.WARNING,
                confidence=Confidence.CERTAIN if name == "torchvision" or case.project.locked else Confidence.LIKELY,
                verdict=verdict,
                package=name,
                release=one.package.release,
                wanted_by=one.wanted_by,
                where=one.package.where,
                message=_message(one, verdict, case.project.locked, case.board.python),
                because=(
                    case.because(one),
                    replace(case.because_held, value=", ".join(kept.told for kept in case.held.values())),
                ),
                remedy=(
                    # without the name, so that it is told once for both
                    Remedy(
                        text="build each sibling of torch from source against the vendor's torch, or take the one made "
                        "with it, and hold it too; what there is:",
                        command=f"jetproof install --torch --stack {case.board.stack}",
                    ),
                    *hold(case),
                ),
            )


def _never(specifier: str | None) -> bool:
    """Whether a bound admits nothing, which is how some lists leave a package out."""
    try:
        bounds = tuple(SpecifierSet(specifier or ""))
    except InvalidSpecifier:
        return False
    # "<0" and "<0.0", not "<0.24"
    return any(one.operator == "<" and not one.version.strip("0.") for one in bounds)


JUDGEMENT = Judgement(id="JA004", name="sibling-not-held", check=check)
