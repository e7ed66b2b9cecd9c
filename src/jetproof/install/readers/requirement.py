"""One requirement as a text, like ``torch>=2.0; sys_platform == 'linux'``, made into a package that is wanted."""

from __future__ import annotations

from urllib.parse import unquote

from packaging.requirements import InvalidRequirement, Requirement

from jetproof.install.locked import (
    ANYWHERE,
    Edge,
    LockedPackage,
    Source,
    SourceKind,
    Unknown,
    Where,
    normal,
)
from jetproof_worker.redact import without_secrets

MAX_LENGTH = 4_000
"""Of one requirement; longer ones are not requirements."""


def parsed(text: str) -> Requirement | None:
    """Return the requirement, or None when the text is none."""
    if len(text) > MAX_LENGTH:
        return None
    try:
        return Requirement(text)
    except (InvalidRequirement, RecursionError, ValueError):
        return None


def source_of(url: str) -> Source:
    """Return the source that an address names."""
    kind = SourceKind.URL
    if url.startswith(("git+", "hg+", "svn+", "bzr+")):
        kind = SourceKind.VCS
    elif url.startswith(("file:", ".", "/")):
        kind = SourceKind.PATH
    return Source(kind=kind, location=without_secrets(url))


def pinned(requirement: Requirement) -> str | None:
    """Return the one release that a requirement admits, if it names one."""
    specifiers = list(requirement.specifier)
    if len(specifiers) == 1 and specifiers[0].operator in ("==", "===") and not specifiers[0].version.endswith(".*"):
        return specifiers[0].version
    return None


def _from_address(url: str | None) -> str | None:
    """The release that a wheel's file name tells."""
    name = unquote((url or "").partition("#")[0].rpartition("/")[2])
    parts = name.split("-")
    return parts[1] if name.endswith(".whl") and len(parts) >= 5 else None


def package(
    text: str, where: Where, *, only_in: tuple[str, ...] = (), hashes: tuple[str, ...] = ()
) -> LockedPackage | Unknown:
    """Return what a requirement wants, or why it cannot be read."""
    requirement = parsed(text)
    if requirement is None:
        return Unknown(
            what=without_secrets(text.strip())[:200], why="it is not a requirement that can be read", where=where
        )
    return LockedPackage(
        name=normal(requirement.name),
        release=pinned(requirement) or _from_address(requirement.url),
        specifier=str(requirement.specifier) or None,
        marker=str(requirement.marker) if requirement.marker else None,
        extras=tuple(sorted(requirement.extras)),
        source=source_of(requirement.url) if requirement.url else ANYWHERE,
        only_in=only_in,
        hashes=hashes,
        where=where,
        written=without_secrets(text.strip()),
    )


def edge(text: str) -> Edge | None:
    """Return a requirement as one package's wish for another; None when it cannot be read."""
    requirement = parsed(text)
    if requirement is None:
        return None
    return Edge(
        name=normal(requirement.name),
        specifier=str(requirement.specifier) or None,
        marker=str(requirement.marker) if requirement.marker else None,
        extras=tuple(sorted(requirement.extras)),
    )
