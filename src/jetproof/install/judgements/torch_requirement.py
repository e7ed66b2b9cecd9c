"""
A requirement does not accept the vendor's torch, so that an installer fetches another one.

Why it matters
    NVIDIA numbers its builds as alphas, like 2.8.0a0+5228986c39.nv25.6. By the ordering of releases an alpha comes
    before 2.8.0: `torch>=2.8`, `==2.8.0` and `~=2.8.0` reject it, and so does `<2.8`. Allowing pre-releases does not
    help. A lower bound above the newest vendor build, or a pin such as `==2.5.1+cpu`, rejects it in any case.

What to do
    Where only the alpha is in the way, `>=2.8.0a0` says what is meant; an alpha may lack what the final release
    added late. Else take an older release of the project, or hold the vendor's torch and test.
"""

from __future__ import annotations

from collections.abc import Iterator

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from jetproof.install.case import Case, Held
from jetproof.install.finding import Finding, Remedy, Severity, Verdict
from jetproof.install.fit import Fit, fit
from jetproof.install.index_torch import Fetched, exact_of, fetched
from jetproof.install.judgements.judgement import Judgement, hold
from jetproof.install.locked import SourceKind
from jetproof.install.selection import Selected
from jetproof.install.torch_build import origin


def _another(case: Case, one: Selected, specifiers: SpecifierSet) -> Fetched:
    """What an installer would fetch instead."""
    if one.package.name == "torch":
        return fetched(specifiers, one.package.source, case)
    exact = exact_of(specifiers)
    if exact is not None:
        return Fetched(told=f"{one.package.name} {exact}: {origin(exact, one.package.source, case).what}")
    return Fetched(told=f"another {one.package.name}, and with it another torch")


def _why(one: Selected, kept: Held, how: Fit, specifiers: SpecifierSet) -> str:
    asked = f"{one.package.name}{one.specifier or ''}"
    if how is Fit.ALPHA:
        number = Version(kept.release or "0").base_version
        return (
            f"{asked} rejects {kept.told}: an alpha comes before {number} in the ordering of releases, "
            f"although {number} itself would fit"
        )
    above = [spec.version for spec in specifiers if spec.operator in (">=", ">", "~=")]
    if any(Version(bound) > Version(kept.release or "0") for bound in above):
        newest = "the newest vendor build for this stack" if not kept.named else "the vendor build that is held"
        return f"{asked} asks for more than {newest}, {kept.told}"
    return f"{asked} rejects {kept.told}"


def _unknown(case: Case, one: Selected, why: str) -> Finding:
    return Finding(
        rule=JUDGEMENT.id,
        name=JUDGEMENT.name,
        severity=Severity.WARNING,
        verdict=Verdict.UNDETERMINED,
        package=one.package.name,
        wanted_by=one.wanted_by,
        where=one.package.where,
        message=f"whether {one.package.wanted} accepts the vendor's {one.package.name} is not known: {why}",
        because=(case.because(one), case.because_held),
        remedy=(Remedy(text="say what the board has, as pip shows it", command="--held 'torch==…'"),),
    )


def check(case: Case) -> Iterator[Finding]:
    """Find requirements on held packages that the held copies do not satisfy."""
    for kept in case.held.values():
        for one in case.selection.named(kept.name):
            if one.package.specifier is None and one.package.release is not None:
                continue  # a locked copy
            if one.package.source.kind not in (SourceKind.INDEX, SourceKind.UNKNOWN):
                continue  # an address, which is a copy too
            try:
                specifiers = SpecifierSet(one.specifier or "")
            except InvalidSpecifier:
                yield _unknown(case, one, f"its bound cannot be read: {one.specifier!r}")
                continue
            if kept.release is None:
                if len(specifiers) or not kept.named:
                    yield _unknown(case, one, "no vendor build is known for this stack")
                continue
            how = fit(specifiers, kept.release)
            if how is Fit.AS_IS:
                continue
            if how is Fit.UNKNOWN:
                yield _unknown(case, one, "the numbers cannot be compared")
                continue
            why, another = _why(one, kept, how, specifiers), _another(case, one, specifiers)
            yield Finding(
                rule=JUDGEMENT.id,
                name=JUDGEMENT.name,
                severity=Severity.BLOCKING,
                verdict=Verdict.FAILS_PYTHON if another.by_python else Verdict.REPLACES_TORCH,
                package=one.package.name,
                release=one.package.release,
                wanted_by=one.wanted_by,
                where=one.package.where,
                message=f"{why}; an installer fetches {another.told}",
                because=(case.because(one), case.because_held),
                remedy=(*_instead(one, kept, how), *hold(case)),
            )


def _instead(one: Selected, kept: Held, how: Fit) -> tuple[Remedy, ...]:
    if how is not Fit.ALPHA or kept.release is None:
        return ()
    number = Version(kept.release).base_version
    return (Remedy(text=f'write "{one.package.name}>={number}a0", which admits the vendor\'s alpha'),)


JUDGEMENT = Judgement(id="JA003", name="torch-requirement-rejects-vendor", check=check)
