"""
A package that the project asks for is known to bring another torch.

Why it matters
    A requirements file shows only what is asked for directly. Some packages ask for torchvision, or pin torch, in
    their own metadata; dry runs with pip and uv have shown what they make of a vendor's torch.

What to do
    Hold torch and its siblings, then install the rest; or write a lock and audit that, which shows all.
"""

from __future__ import annotations

from collections.abc import Iterator

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from jetproof.install.case import Case
from jetproof.install.finding import Because, Confidence, Finding, Severity, Verdict
from jetproof.install.judgements.judgement import Judgement, hold
from jetproof.install.known_projects import LOOKED_AT, NEEDS, SEEN_WITH, Needs
from jetproof.install.selection import Selected


def _spared(one: Selected, needs: Needs) -> bool:
    """Whether only releases are asked for that were seen to leave torch alone."""
    if needs.free is None:
        return False
    try:
        if one.package.release is not None:
            return Version(one.package.release) <= Version(needs.free)
        bounds = [spec for spec in SpecifierSet(one.specifier or "") if spec.operator in ("<", "<=")]
        return any(Version(spec.version) <= Version(needs.free) for spec in bounds)
    except (InvalidVersion, InvalidSpecifier):
        return False


def _seen(one: Selected, needs: Needs, python: str, *, same_python: bool) -> str:
    """What was seen, of which release and with which Python, where those are others than the asked ones."""
    looked_at = LOOKED_AT.get(one.package.name)
    release = one.package.release
    other = f" of {looked_at}" if looked_at and looked_at != release else ""
    with_python = "" if same_python else f" with Python {python}"
    itself = f" ({release} itself was not looked at)" if other and release else ""
    return f"seen{other}{with_python} was {needs.seen}{itself}"


def check(case: Case) -> Iterator[Finding]:
    """Find packages, asked for without a lock, that replace torch through their own requirements."""
    if case.project.locked:
        return
    left_out = {package.name for package in case.project.overrides}
    for one in case.selection.selected:
        needs = NEEDS.get(one.package.name)
        if needs is None or needs.through in left_out or not case.by_index(one) or _spared(one, needs):
            continue
        if needs.through != "torch" and needs.through in case.held:
            continue
        python = ".".join(map(str, SEEN_WITH))
        seen = _seen(one, needs, python, same_python=case.board.python == SEEN_WITH)
        through = "itself" if needs.through == "torch" else f"through {needs.through}"
        yield Finding(
            rule=JUDGEMENT.id,
            name=JUDGEMENT.name,
            severity=Severity.BLOCKING,
            confidence=Confidence.LIKELY,
            verdict=Verdict.REPLACES_TORCH,
            package=one.package.name,
            release=one.package.release,
            wanted_by=one.wanted_by,
            where=one.package.where,
            message=f"{one.package.wanted} brings another torch {through}: {seen}",
            because=(
                case.because(one),
                Because(fact="seen", value=needs.seen, read_from=f"resolved on 2026-11-30, Python {python}"),
                case.because_held,
            ),
            remedy=hold(case),
        )


JUDGEMENT = Judgement(id="JA006", name="replaces-torch-through", check=check)
