"""
A locked package has no wheel that the board can take.

Why it matters
    With a source archive it is compiled on the board: that needs compilers, headers, time and memory, and a build that
    wants torch fetches one of its own into its isolated environment. Without an archive it cannot be installed at all.

What to do
    Build it once with `--no-build-isolation` so that it sees the vendor's torch, and keep the wheel; or lock a release
    that has a wheel for this Python and this glibc.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from jetproof.install.case import Case
from jetproof.install.finding import Because, Finding, Remedy, Severity, Verdict
from jetproof.install.held import Family, family
from jetproof.install.judgements.judgement import Judgement
from jetproof.install.locked import SourceKind
from jetproof.install.selection import Selected
from jetproof.install.stack_environment import Misfit

_SKIPPED = (Family.TORCH, Family.SIBLING, Family.TRITON, Family.NVIDIA, Family.CUDA, Family.TENSORRT)


def _asked(one: Selected) -> str:
    if one.package.source.kind is SourceKind.VCS and one.package.source.location:
        location = one.package.source.location
        return location if "+" in location.partition(":")[0] else f"git+{location}"
    return f"{one.package.name}=={one.package.release}"


def _finding(case: Case, one: Selected, why: Misfit, *, archive: bool) -> Finding:
    by_python = why.python and not archive
    verdict = None if archive else Verdict.FAILS_PYTHON if by_python else Verdict.UNDETERMINED
    place = "in the lock" if case.project.locked else "named"
    what = "it is built on the board" if archive else "and without a source archive it cannot be installed"
    return Finding(
        rule=JUDGEMENT.id,
        name=JUDGEMENT.name,
        severity=Severity.NOTE if archive else Severity.BLOCKING if by_python else Severity.WARNING,
        verdict=verdict,
        package=one.package.name,
        release=one.package.release,
        wanted_by=one.wanted_by,
        where=one.package.where,
        message=f"{one.package.wanted}: {why.told}; {what}",
        because=(
            case.because(one),
            Because(fact="files", value=f"{len(one.package.files)} {place}", read_from=str(one.package.where)),
        ),
        remedy=(
            Remedy(
                text="build its wheel once, with the vendor's torch in sight",
                command=f"pip wheel --no-deps --no-build-isolation {shlex.quote(_asked(one))}",
            ),
        )
        if archive
        else (Remedy(text=f"lock another release of {one.package.name}"),),
    )


def check(case: Case) -> Iterator[Finding]:
    """Find locked packages whose files are known and of which no wheel fits."""
    for one in case.selection.selected:
        package = one.package
        if package.source.kind in (SourceKind.VCS, SourceKind.EDITABLE, SourceKind.PATH) and not package.files:
            if package.source.kind is SourceKind.VCS and package.name not in case.held and case.project.locked:
                yield _finding(case, one, Misfit(told="it comes from a repository"), archive=True)
            continue
        if not package.files or any(file.is_wheel and case.fits(file.filename) for file in package.files):
            continue
        if package.name in case.held or family(package.name) in _SKIPPED:
            continue
        wheels = [file.filename for file in package.files if file.is_wheel]
        yield _finding(case, one, case.fits.why_not(wheels), archive=len(wheels) < len(package.files))


JUDGEMENT = Judgement(id="JA011", name="no-wheel", check=check)
