"""Whether a release number belongs to what a tier names."""

from __future__ import annotations


def covers(named: str, release: str) -> bool:
    """Return whether `release` is the one named, or in the family when `named` ends in .x.

    "36.4.3" covers only 36.4.3; "35.x" covers 35.5.0; "6.2" covers 6.2 and 6.2.0 but not 6.2.1.
    """
    if named.endswith(".x"):
        prefix = named[:-2].split(".")
        return release.split(".")[: len(prefix)] == prefix
    return _trimmed(named) == _trimmed(release)


def _trimmed(release: str) -> list[str]:
    parts = release.split(".")
    while len(parts) > 1 and parts[-1] == "0":
        parts.pop()
    return parts
