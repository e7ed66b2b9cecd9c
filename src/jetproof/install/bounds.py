"""Bounds that follow from which torch the vendor built, beyond what its metadata says."""

from __future__ import annotations

from packaging.version import InvalidVersion, Version

from jetproof.tables import Tables

_NUMPY_2 = Version("2.3")
"""The first torch that was built so that NumPy 2 works with it, as PyTorch's release notes say."""


def bounds(torch: str | None, tables: Tables) -> tuple[tuple[str, str], ...]:
    """Return (requirement, where from) for a torch of that number: a NumPy that it was not built for crashes it."""
    try:
        number = None if torch is None else Version(torch)
    except InvalidVersion:
        number = None
    if number is None:
        return ()
    if Version(number.base_version) < _NUMPY_2:
        return (("numpy<2", f"torch {torch} is older than 2.3 and was built against NumPy 1"),)
    for row in tables.torch_builds:
        if (
            row.torch_version
            and _same(row.torch_version, number)
            and any("numpy 1" in note.lower() for note in row.notes)
        ):
            return (("numpy<2", f"torch {torch} was built against NumPy 1"),)
    return ()


def _same(text: str, number: Version) -> bool:
    try:
        return Version(text) == number
    except InvalidVersion:
        return False
