"""What of torch the public index has for a board's Python: the newest wheel, and the one that a requirement gets."""

from __future__ import annotations

from dataclasses import dataclass

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from jetproof.install.case import Case
from jetproof.install.locked import Source, SourceKind
from jetproof.install.torch_build import lacks, origin
from jetproof.tables import Tables
from jetproof.tables.rows import IndexTorch

_LOWER = (">=", ">", "~=", "==", "===")


@dataclass(frozen=True, kw_only=True)
class Fetched:
    """What an installer that takes torch from the index gets."""

    told: str
    """In words, as what comes after "fetches"."""
    exists: bool = True
    """Whether the index has one that fits the requirement and the Python."""
    by_python: bool = False
    """Whether the index has one for a newer Python, and none for this one."""


def fetched(specifiers: SpecifierSet, source: Source, case: Case) -> Fetched:
    """Say which torch a requirement gets where the vendor's is not seen."""
    row = newest(case)
    if row is not None and specifiers.contains(row.torch_version):
        return Fetched(told=f"torch {row.torch_version} (the newest for Python {row.python}): {_kind(row, case)}")
    exact = exact_of(specifiers)
    public = source.kind in (SourceKind.INDEX, SourceKind.UNKNOWN) and source.location is None
    # what another index has for this Python is not known
    public = public and not any(
        "torch" in index.packages if index.packages else not index.explicit for index in case.project.indexes
    )
    if row is not None and public and _above(specifiers, Version(row.torch_version)):
        newest_known = f"the newest on the index for Python {row.python} is torch {row.torch_version}"
        if any(specifiers.contains(other.torch_version) for other in case.tables.index_torch):
            return Fetched(told=f"none: {newest_known}, so that it fails", exists=False, by_python=True)
        if _above(specifiers, Version(newest_of_all(case.tables))):
            return Fetched(told=f"one that is newer than the tables know, if there is one ({newest_known})")
        return Fetched(told=f"none: {newest_known}, so that it fails", exists=False)
    if exact is not None:
        return Fetched(told=f"torch {exact}: {origin(exact, source, case).what}")
    return Fetched(told="the newest that fits from the index, none of which is made for this board")


def newest_of_all(tables: Tables) -> str:
    """Return the newest torch that the tables know, for whatever Python."""
    return max((row.torch_version for row in tables.index_torch), key=Version)


def newest(case: Case) -> IndexTorch | None:
    """Return the newest torch that the index has for the board's Python; None when that was not looked up."""
    python = ".".join(map(str, case.board.python))
    return next((one for one in case.tables.index_torch if one.python == python), None)


def exact_of(specifiers: SpecifierSet) -> str | None:
    """Return the one number that a requirement pins; None when it leaves a choice."""
    return next(
        (spec.version for spec in specifiers if spec.operator in ("==", "===") and not spec.version.endswith(".*")),
        None,
    )


def _above(specifiers: SpecifierSet, highest: Version) -> bool:
    """Whether a bound from below lies above the newest; a local part names another index than the public one."""
    for spec in specifiers:
        try:
            bound = Version(spec.version.removesuffix(".*"))
        except InvalidVersion:
            continue
        if spec.operator in _LOWER and not bound.local and bound > highest:
            return True
    return False


def _kind(row: IndexTorch, case: Case) -> str:
    if row.cuda is None:
        return "a CPU build, without any CUDA"
    known = origin(row.torch_version, Source(kind=SourceKind.UNKNOWN), case) if row.inspected else None
    packages = f", with about {row.nvidia_packages} of NVIDIA's packages"
    if known is not None:
        return known.what + packages
    other = lacks(None, row.cuda, case)
    return f"the index's build for ARM servers (SBSA) with CUDA {row.cuda}{other}{packages}; its GPU code is not known"
