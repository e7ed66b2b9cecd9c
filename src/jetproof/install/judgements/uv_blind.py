"""
The vendor's torch satisfies the project, as long as the installer can see it.

Why it matters
    pip sees the packages of the base interpreter from a venv made with `--system-site-packages`, and so does uv in the
    vendor's own prefix. uv in such a venv does not: in 22 of 22 dry runs it added another torch, with about 19 of
    NVIDIA's libraries. `-U` replaces it with either.

What to do
    Use `jetproof install`, or give uv the names to leave out: `uv pip install --excludes FILE`.
"""

from __future__ import annotations

from collections.abc import Iterator

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from jetproof.install.case import Case
from jetproof.install.finding import Because, Finding, Remedy, Severity
from jetproof.install.fit import Fit, fit
from jetproof.install.index_torch import fetched
from jetproof.install.judgements.judgement import Judgement
from jetproof.install.selection import Selected


def _accepts(case: Case, one: Selected) -> bool:
    if not case.by_index(one):
        return False  # an address names one copy, which every installer takes
    if case.torch.release is None:
        return not one.specifier
    try:
        return fit(SpecifierSet(one.specifier or ""), case.torch.release) is Fit.AS_IS
    except InvalidSpecifier:
        return False


def check(case: Case) -> Iterator[Finding]:
    """Say under which condition a requirement on torch is satisfied by the vendor's."""
    if case.project.locked:
        return
    overridden = [one for one in case.project.overrides if one.name == "torch"]
    for override in overridden[:1]:
        yield Finding(
            rule=JUDGEMENT.id,
            name=JUDGEMENT.name,
            severity=Severity.NOTE,
            package="torch",
            where=override.where,
            message="what uv is told about torch here holds for uv alone: pip reads no overrides",
            because=(Because(fact="override", value=override.written or override.name, read_from=str(override.where)),),
            remedy=(Remedy(text="install with uv, or with", command=f"jetproof install {case.quoted_path}"),),
        )
    for one in case.selection.named("torch")[:1]:
        if not _accepts(case, one):
            continue  # told by the judgement on requirements
        other = fetched(SpecifierSet(one.specifier or ""), one.package.source, case)
        asked = f"{one.package.name}{one.specifier or ''}"
        yield Finding(
            rule=JUDGEMENT.id,
            name=JUDGEMENT.name,
            severity=Severity.NOTE,
            package="torch",
            wanted_by=one.wanted_by,
            where=one.package.where,
            message=f"{asked} is satisfied by the vendor's {case.torch.told} where the installer sees it (pip, or uv "
            f"in the same prefix); uv in a venv with --system-site-packages does not, and would "
            f"{'add' if other.exists else 'find'} {other.told}",
            because=(
                case.because(one),
                Because(
                    fact="dry runs", value="22 of 22 added another torch", read_from="measured 2026-11-30, uv 0.13.9"
                ),
            ),
            remedy=(
                Remedy(
                    text="write the names that uv has to leave out",
                    command=f"jetproof audit {case.quoted_path} --stack {case.board.stack} --emit excludes",
                ),
            ),
        )


JUDGEMENT = Judgement(id="JA014", name="uv-does-not-see-vendor", check=check)
