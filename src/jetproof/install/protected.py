"""The vendor's files on this machine, for distributions as installing knows them; a board's worker compares alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from jetproof.install.interpreter import Installed
from jetproof_worker import vendor_files
from jetproof_worker.vendor_files import Difference, Mark

__all__ = ["Difference", "Mark", "Marks", "differences", "digest", "files", "marks", "place"]

Marks = Mapping[str, Mark]


def place(dist: Installed) -> vendor_files.Dist:
    """Return name and site directory, by which a distribution's files are found."""
    return dist.name, str(dist.location)


def marks(dists: Iterable[Installed], *, deep: bool = False) -> dict[str, Mark]:
    """Look at every file of these distributions. A file that RECORD names and that is not there is left out."""
    return vendor_files.marks(map(place, dists), deep)


def differences(before: Marks, *, deep: bool = False) -> tuple[Difference, ...]:
    """Look again at every file and tell which changed. A file that only moved in time or inode has not."""
    return tuple(vendor_files.differences(dict(before), deep))


def files(dist: Installed) -> Iterator[tuple[Path, str | None]]:
    """Yield (path, sha256 of RECORD or None) of every file of a distribution, bytecode left out."""
    return ((Path(path), recorded) for path, recorded in vendor_files.files(place(dist)))


def digest(path: Path) -> str | None:
    """Return the sha256 of a file in hex; None when it cannot be read."""
    return vendor_files.digest(str(path))
