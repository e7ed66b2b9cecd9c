"""
pylock.toml: the lock format that all installers share (PEP 751).

What is read
    Each package with its marker, files, index and own bound on Python. Extras and dependency groups are asked
    for in the markers (`'dev' in dependency_groups`); those of `default-groups` are installed unasked. There are no
    roots: each package whose marker holds is installed. `environments` of the lock are checked: a board for which it
    was not made is not decided.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jetproof.errors import UsageError
from jetproof.install.locked import (
    ANYWHERE,
    Edge,
    File,
    Kind,
    Lazy,
    LockedPackage,
    Project,
    Source,
    SourceKind,
    Unknown,
    Where,
    normal,
)
from jetproof.install.readers.document import Lock, package_name, strings, table, tables, text_of
from jetproof.install.readers.reader import Reader
from jetproof_worker.redact import without_secrets

_Raw = Mapping[str, object]
_SOURCES = {"vcs": SourceKind.VCS, "directory": SourceKind.PATH, "archive": SourceKind.URL}


def _file(raw: _Raw) -> File:
    url = text_of(raw.get("url")) or text_of(raw.get("path")) or ""
    name = text_of(raw.get("name")) or url.rpartition("/")[2].partition("#")[0].replace("%2B", "+")
    hashes = raw.get("hashes")
    size = raw.get("size")
    return File(
        filename=name,
        url=without_secrets(url) or None,
        sha256=text_of(hashes.get("sha256")) if isinstance(hashes, dict) else None,
        size=size if isinstance(size, int) else None,
    )


def _source(raw: _Raw) -> Source:
    for word, kind in _SOURCES.items():
        found = raw.get(word)
        if isinstance(found, dict):
            location = text_of(found.get("url")) or text_of(found.get("path"))
            editable = word == "directory" and found.get("editable") is True
            return Source(
                kind=SourceKind.EDITABLE if editable else kind, location=without_secrets(location) if location else None
            )
    index = text_of(raw.get("index"))
    return Source(kind=SourceKind.INDEX, location=without_secrets(index)) if index else ANYWHERE


def _package(raw: _Raw, where: Where) -> LockedPackage:
    sdist = raw.get("sdist")
    archive = raw.get("archive")
    offered: list[_Raw] = [one for one in (sdist, archive) if isinstance(one, dict)]
    offered += tables(raw.get("wheels"), f"{where}: wheels")
    return LockedPackage(
        name=package_name(raw.get("name"), str(where)),
        release=text_of(raw.get("version")),
        marker=text_of(raw.get("marker")),
        requires=Lazy(tables(raw.get("dependencies"), f"{where}: dependencies"), _edge),
        files=Lazy(offered, _file),
        source=_source(raw),
        requires_python=text_of(raw.get("requires-python")),
        where=where,
    )


def _edge(raw: _Raw) -> Edge:
    return Edge(name=normal(text_of(raw.get("name")) or ""), release=text_of(raw.get("version")))


def read(path: Path, root: Path) -> Project:
    """Read a pylock.toml."""
    lock = Lock(path, root)
    document, file = lock.document, lock.file
    release = text_of(document.get("lock-version"))
    if release is None or release.split(".")[0] != "1":
        raise UsageError(f"{file}: lock-version {release!r} is not known (1.x is)", reason="bad-lock")
    if not isinstance(document.get("packages"), list):
        raise UsageError(f"{file}: it has no packages", hint="is it complete? write it anew", reason="bad-lock")
    entries = lock.entries("packages")
    packages = tuple(_package(raw, where) for raw, where in entries)
    unknowns = [
        Unknown(what=package.name, why="the lock names no source and no file for it", where=package.where)
        for package, (raw, _) in zip(packages, entries, strict=True)
        if not package.files and package.source is ANYWHERE and not table(raw.get("tool"), "tool")
    ]
    return Project(
        kind=Kind.PYLOCK,
        path=str(path),
        requires_python=text_of(document.get("requires-python")),
        requires_python_where=lock.where("requires-python", end=4_000),
        locked=True,
        packages=packages,
        extras=strings(document.get("extras"), f"{file}: extras"),
        groups=strings(document.get("dependency-groups"), f"{file}: dependency-groups"),
        default_groups=strings(document.get("default-groups"), f"{file}: default-groups"),
        environments=strings(document.get("environments"), f"{file}: environments"),
        unknowns=tuple(unknowns),
    )


def _recognises(path: Path) -> bool:
    return path.name == "pylock.toml" or (path.name.startswith("pylock.") and path.name.endswith(".toml"))


READER = Reader(kind=Kind.PYLOCK, recognises=_recognises, read=read)
