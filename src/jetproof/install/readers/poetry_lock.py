"""
poetry.lock: what `poetry lock` resolved.

What is read
    All packages with their files, source, requirements, groups and markers. What the project itself asks for
    stands in the pyproject.toml beside it; without one, the packages that nobody else asks for are taken as
    asked. Requirements carry markers, and they decide: the lock lists NVIDIA's wheels for every machine, their
    markers keep them to x86_64.

    `poetry install` takes every group along that is not optional: what replaces torch through one is told too.

What is not
    Packages of optional groups and extras that were not asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from jetproof.errors import UsageError
from jetproof.install.locked import (
    DEFAULT,
    Edge,
    File,
    Kind,
    Lazy,
    LockedPackage,
    Project,
    Source,
    SourceKind,
    Where,
    normal,
)
from jetproof.install.readers.document import Lock, package_name, sha256_of, strings, table, tables, text_of
from jetproof.install.readers.poetry_constraint import python_bound, wishes
from jetproof.install.readers.reader import Reader, unshadowed
from jetproof.install.readers.roots import WITHOUT_METADATA, asked_beside, unasked
from jetproof_worker.redact import without_secrets

_Raw = Mapping[str, object]
_KINDS = {
    "git": SourceKind.VCS,
    "url": SourceKind.URL,
    "directory": SourceKind.PATH,
    "file": SourceKind.PATH,
    "legacy": SourceKind.INDEX,
}


def _file(raw: _Raw) -> File:
    url = text_of(raw.get("url"))
    return File(
        filename=text_of(raw.get("file")) or (url or "").rpartition("/")[2],
        url=without_secrets(url) if url else None,
        sha256=sha256_of(raw.get("hash")),
    )


def _source(raw: object) -> Source:
    if not isinstance(raw, dict):
        return Source(kind=SourceKind.UNKNOWN)
    url = text_of(raw.get("url"))
    kind = _KINDS.get(str(raw.get("type")), SourceKind.INDEX)
    return Source(kind=kind, location=without_secrets(url) if url else None)


def _marker(raw: object, groups: Sequence[str]) -> str | None:
    """The marker of a package: one text, or one for each group; a group without one has it in any case."""
    if not isinstance(raw, dict):
        return text_of(raw)
    each = [text_of(raw.get(group)) for group in groups or raw]
    return None if None in each else " or ".join(f"({one})" for one in dict.fromkeys(each))


def _edges(raw: _Raw) -> tuple[Edge, ...]:
    edges: list[Edge] = []
    for name, wanted in raw.items():
        for bound, marker, details in wishes(name, wanted):
            # an optional requirement is only wanted by an extra, and an extra names it in its marker
            if details.get("optional") is True and "extra" not in (marker or ""):
                continue
            edges.append(
                Edge(
                    name=normal(name),
                    specifier=bound or None,
                    marker=marker,
                    extras=strings(details.get("extras"), name),
                )
            )
    return tuple(edges)


def _package(raw: _Raw, legacy_files: _Raw, where: Where) -> LockedPackage:
    name = package_name(raw.get("name"), str(where))
    offered = raw.get("files")
    if offered is None:
        offered = legacy_files.get(str(raw.get("name")))
    python = text_of(raw.get("python-versions"))
    return LockedPackage(
        name=name,
        release=text_of(raw.get("version")),
        marker=_marker(raw.get("markers"), strings(raw.get("groups"), f"{where}: groups")),
        requires=_edges(table(raw.get("dependencies"), f"{where}: dependencies")),
        files=Lazy(tables(offered, f"{where}: files"), _file),
        source=_source(raw.get("source")),
        requires_python=python_bound(python),
        where=where,
    )


def _fallback(packages: Sequence[LockedPackage], raws: Sequence[_Raw]) -> dict[str, tuple[Edge, ...]]:
    """Without a pyproject.toml: what nobody else asks for, of the main group."""
    main = [
        package
        for package, raw in zip(packages, raws, strict=True)
        if raw.get("optional") is not True
        and raw.get("category", "main") == "main"
        and "main" in (strings(raw.get("groups"), "groups") or ("main",))
    ]
    return {DEFAULT: unasked(main)}


def read(path: Path, root: Path) -> Project:
    """Read a poetry.lock."""
    lock = Lock(path, root)
    file, metadata = lock.file, lock.document.get("metadata")
    if not isinstance(metadata, dict):
        raise UsageError(
            f"{file}: it has no metadata at its end", hint="is it complete? write it anew", reason="bad-lock"
        )
    entries = lock.entries("package")
    legacy_files = table(metadata.get("files"), f"{file}: metadata.files")
    packages = tuple(_package(raw, legacy_files, where) for raw, where in entries)
    beside = asked_beside(path, root)
    python = text_of(metadata.get("python-versions"))
    return Project(
        kind=Kind.POETRY_LOCK,
        path=str(path),
        name=beside.name if beside else None,
        requires_python=python_bound(python),
        requires_python_where=lock.where("python-versions", start=lock.text.rfind("[metadata]")),
        locked=True,
        packages=packages,
        roots=beside.roots if beside else _fallback(packages, [raw for raw, _ in entries]),
        extras=beside.extras if beside else (),
        groups=beside.groups if beside else (),
        default_groups=beside.default_groups if beside else (),
        unknowns=beside.unknowns if beside else (),
        notes=() if beside else (WITHOUT_METADATA,),
    )


READER = Reader(kind=Kind.POETRY_LOCK, recognises=unshadowed("poetry.lock"), read=read)
