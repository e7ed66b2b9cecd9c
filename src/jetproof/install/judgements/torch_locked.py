"""
The lock names another torch than the vendor's.

Why it matters
    Installing the lock removes the vendor's build or hides it. What comes is a CPU build (up to 2.10 from the public
    index, or any `+cpu`), or a build for ARM servers with another CUDA and without code for the board's GPU. The
    number may even be the same: 2.8.0 from the public index and 2.8.0 for Jetson differ only in their files.

What to do
    Install the rest of the lock and leave torch alone (`jetproof install`), or lock again with the vendor's torch
    held: `jetproof audit PATH --fix` writes what is needed.
"""

from __future__ import annotations

from collections.abc import Iterator

from packaging.version import InvalidVersion, Version

from jetproof.install.case import Case, Held
from jetproof.install.finding import Because, Finding, Severity, Verdict
from jetproof.install.judgements.judgement import Judgement, hold
from jetproof.install.locked import SourceKind
from jetproof.install.selection import Selected
from jetproof.install.stack_environment import Misfit
from jetproof.install.torch_build import Origin, is_jetson_source, origin


def _same(one: Selected, kept: Held) -> bool | None:
    """Whether the locked copy is the held one; None when both have one number and the files decide."""
    if kept.release is None or one.package.release is None:
        return False
    try:
        locked, vendor = Version(one.package.release), Version(kept.release)
    except InvalidVersion:
        return False
    if locked != vendor:
        return False
    # pip leaves what is installed alone where a file beside it has the same number
    if one.package.source.kind is SourceKind.PATH and (one.package.source.location or "").partition("#")[0].endswith(
        "-linux_aarch64.whl"
    ):
        return True
    # a plain number is the same for the public index and for Jetson; only the source tells them apart
    return True if vendor.local or is_jetson_source(_place(one)) else None


def _alike(one: Selected, kept: Held) -> bool:
    """Whether both are the same release but for the local part and the alpha mark."""
    try:
        return Version(one.package.release or "").base_version == Version(kept.release or "").base_version
    except InvalidVersion:
        return False


def _place(one: Selected) -> str | None:
    files = one.package.files
    location = one.package.source.location
    if location and "://" in location:
        return location
    return next((file.url for file in files if file.url), location)


def _is_locked(one: Selected) -> bool:
    by_address = one.package.source.kind not in (SourceKind.INDEX, SourceKind.UNKNOWN)
    return one.package.specifier is None and (one.package.release is not None or by_address)


def _misfit(case: Case, one: Selected) -> Misfit | None:
    """Why no file of the locked copy can be installed; None where one can, or where the files are not known."""
    names = [file.filename for file in one.package.files]
    if not names and one.package.source.kind in (SourceKind.URL, SourceKind.PATH):
        names = [(one.package.source.location or "").partition("#")[0].rpartition("/")[2]]
    names = [name for name in names if name]
    if not names or not all(name.endswith(".whl") for name in names) or any(map(case.fits, names)):
        return None
    return case.fits.why_not(names)


def _told(one: Selected, kept: Held, what: Origin, misfit: Misfit | None, *, same_number: bool) -> str:
    number = one.package.release or one.package.source.location or "from source"
    if misfit is not None:
        return (
            f"{one.package.name} {number} is wanted and not the vendor's {kept.told}, and {misfit.told}: "
            "an installer stops there"
        )
    told = f"{one.package.name} {number} takes the place of the vendor's {kept.told}: it is {what.what}"
    if same_number:
        told += ", under the vendor's number, so that a look at numbers does not notice it"
    if what.works is None:
        told += "; nothing is known of it on this board"
    return told


def _finding(case: Case, one: Selected, kept: Held, what: Origin, *, same_number: bool) -> Finding:
    misfit = _misfit(case, one)
    source = one.package.source.location or "the lock names no index"
    return Finding(
        rule=JUDGEMENT.id,
        name=JUDGEMENT.name,
        severity=Severity.BLOCKING,
        verdict=Verdict.FAILS_PYTHON if misfit is not None and misfit.python else Verdict.REPLACES_TORCH,
        package=one.package.name,
        release=one.package.release,
        wanted_by=one.wanted_by,
        where=one.package.where,
        message=_told(one, kept, what, misfit, same_number=same_number),
        because=(
            case.because(one),
            Because(
                fact="source", value=f"{one.package.source.kind.value}: {source}", read_from=str(one.package.where)
            ),
            case.because_held,
        ),
        remedy=hold(case),
        stops=misfit is not None,
    )


def check(case: Case) -> Iterator[Finding]:
    """Find locked copies of held packages that are not the held ones."""
    for kept in case.held.values():
        for one in case.selection.named(kept.name):
            if not _is_locked(one):
                continue
            same = _same(one, kept)
            what = origin(one.package.release, one.package.source, case, _place(one))
            # nobody named what is held: a build that the tables know to work there is as good
            if same is True or (what.works is True and not kept.named):
                continue
            yield _finding(case, one, kept, what, same_number=same is None or _alike(one, kept))


JUDGEMENT = Judgement(id="JA002", name="torch-locked-elsewhere", check=check)
