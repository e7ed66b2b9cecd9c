"""
uv.lock: what `uv lock` resolved, for all platforms and Pythons at once.

What is read
    All packages with their source, files, requirements, extras and groups; the members of the workspace are what
    is wanted. Requirements carry markers, and markers carry uv's names for conflicting extras
    (`extra == 'extra-7-project-cu128'`): both are evaluated for the board.

    Judged is what the project asks for without extras and groups. `uv sync` takes the groups of `default-groups` along
    (dev where the pyproject.toml does not say): what replaces torch through one of them is told too.

What is not
    The resolver's own settings. `requires-python` of the lock is that of the project.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import cast
from urllib.parse import unquote

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
    Unknown,
    Where,
    extra_key,
    group_key,
    normal,
)
from jetproof.install.readers import uv_settings
from jetproof.install.readers.document import (
    Lock,
    content,
    package_name,
    sha256_of,
    strings,
    table,
    tables,
    text_of,
    toml,
)
from jetproof.install.readers.reader import Reader, unshadowed
from jetproof_worker.redact import without_secrets

_KINDS = {
    "registry": SourceKind.INDEX,
    "url": SourceKind.URL,
    "git": SourceKind.VCS,
    "path": SourceKind.PATH,
    "directory": SourceKind.PATH,
    "editable": SourceKind.EDITABLE,
    "virtual": SourceKind.PROJECT,
}
_Raw = Mapping[str, object]


def _source(raw: object, known: dict[str, Source]) -> Source:
    """Return the source of a package; equal ones are one object, since a lock repeats few of them often."""
    if isinstance(raw, dict):
        for word, kind in _KINDS.items():
            location = raw.get(word)
            if isinstance(location, str):
                key = word + location
                found = known.get(key)
                if found is None:
                    found = known[key] = Source(kind=kind, location=without_secrets(location))
                return found
    return Source(kind=SourceKind.UNKNOWN)


def _file(raw: _Raw) -> File:
    url = text_of(raw.get("url")) or text_of(raw.get("path")) or text_of(raw.get("filename")) or ""
    size = raw.get("size")
    name = url.rpartition("/")[2]
    if "%" in name or "#" in name:
        name = unquote(name.partition("#")[0])
    return File(
        filename=name,
        url=without_secrets(url) or None,
        sha256=sha256_of(raw.get("hash")),
        size=size if isinstance(size, int) else None,
    )


def _edge(known: dict[str, Source], raw: _Raw) -> Edge:
    name = raw.get("name")
    extras = raw.get("extra")
    return Edge(
        name=normal(name) if isinstance(name, str) else "",
        specifier=text_of(raw.get("specifier")),
        marker=text_of(raw.get("marker")),
        extras=strings(extras, "extra") if extras else (),
        release=text_of(raw.get("version")),
        source=_source(raw["source"], known) if "source" in raw else None,
    )


def _edges(raw: object, known: dict[str, Source], what: str) -> Sequence[Edge]:
    return Lazy(tables(raw, what), partial(_edge, known)) if raw else ()


def _package(raw: _Raw, where: Where, known: dict[str, Source]) -> LockedPackage:
    name = package_name(raw.get("name"), str(where))
    wheels = raw.get("wheels")
    sdist = raw.get("sdist")
    offered = [*(cast("list[_Raw]", [sdist]) if isinstance(sdist, dict) else ()), *tables(wheels, f"{where}: wheels")]
    optional = raw.get("optional-dependencies")
    return LockedPackage(
        name=name,
        release=text_of(raw.get("version")),
        requires=_edges(raw.get("dependencies"), known, f"{where}: dependencies"),
        optional={
            normal(extra): _edges(wanted, known, f"{where}: {extra}")
            for extra, wanted in table(optional, f"{where}: optional-dependencies").items()
        }
        if optional
        else {},
        files=Lazy(offered, _file) if offered else (),
        source=_source(raw.get("source"), known),
        where=where,
    )


def _is_member(raw: _Raw, members: frozenset[str]) -> bool:
    source = raw.get("source")
    if not isinstance(source, dict):
        return False
    name = raw.get("name")
    if members:
        return isinstance(name, str) and normal(name) in members
    return source.get("editable") == "." or source.get("virtual") == "."


def _asked(member: _Raw, where: Where, known: dict[str, Source]) -> dict[str, Sequence[Edge]]:
    """What one member asks for, by extra and group, with the specifiers it wrote."""
    asked: dict[str, Sequence[Edge]] = {DEFAULT: _edges(member.get("dependencies"), known, f"{where}: dependencies")}
    for extra, wanted in table(member.get("optional-dependencies"), f"{where}: optional-dependencies").items():
        asked[extra_key(normal(extra))] = _edges(wanted, known, f"{where}: {extra}")
    groups = table(member.get("dev-dependencies"), f"{where}: dev-dependencies")
    for group, wanted in groups.items():
        asked[group_key(normal(group))] = _edges(wanted, known, f"{where}: {group}")
    return asked


def _written(members: Sequence[_Raw]) -> dict[str, str]:
    """The specifiers that the members wrote, by name: the lock keeps them apart from the resolved edges."""
    written: dict[str, str] = {}
    for member in members:
        metadata = table(member.get("metadata"), "metadata")
        groups = table(metadata.get("requires-dev"), "requires-dev")
        for wanted in (metadata.get("requires-dist"), *groups.values()):
            for raw in tables(wanted, "requires-dist"):
                name, specifier = raw.get("name"), raw.get("specifier")
                if isinstance(name, str) and isinstance(specifier, str):
                    written.setdefault(normal(name), specifier)
    return written


def _conflicts(raw: object) -> tuple[tuple[str, ...], ...]:
    if not isinstance(raw, list):
        return ()
    return tuple(
        tuple(
            extra_key(normal(str(one["extra"]))) if "extra" in one else group_key(normal(str(one.get("group"))))
            for one in conflict
            if isinstance(one, dict)
        )
        for conflict in raw
        if isinstance(conflict, list)
    )


def read(path: Path, root: Path) -> Project:
    """Read a uv.lock."""
    lock = Lock(path, root)
    document, file = lock.document, lock.file
    entries = lock.entries("package")
    if document.get("version") != 1:
        raise UsageError(f"{file}: lock version {document.get('version')!r} is not known (1 is)", reason="bad-lock")
    known: dict[str, Source] = {}
    manifest = table(document.get("manifest"), f"{file}: manifest")
    names = frozenset(normal(name) for name in strings(manifest.get("members"), f"{file}: members"))
    roots: dict[str, list[Edge]] = {DEFAULT: []}
    packages = tuple(_package(raw, where, known) for raw, where in entries)
    members = [raw for raw, _ in entries if _is_member(raw, names)]
    # a plain `uv sync` installs the project at the top; all members only where there is none
    asking = [member for member in members if _own(member)] or members
    for member in asking:
        for key, edges in _asked(member, Where(file=file), known).items():
            roots.setdefault(key, []).extend(edges)
    unknowns: list[Unknown] = []
    if entries and not members:
        unknowns.append(
            Unknown(
                what="what the project itself wants",
                why="the lock names no member of the workspace",
                where=Where(file=file),
            )
        )
    for group, wanted in table(manifest.get("dependency-groups"), f"{file}: dependency-groups").items():
        roots.setdefault(group_key(normal(group)), []).extend(_edges(wanted, known, f"{file}: {group}"))
    roots[DEFAULT].extend(_edges(manifest.get("requirements"), known, f"{file}: requirements"))
    main = asking[0] if asking else {}
    groups = tuple(key[6:] for key in roots if key.startswith("group:"))
    written = _written(asking)
    return Project(
        kind=Kind.UV_LOCK,
        path=str(path),
        name=text_of(main.get("name")),
        requires_python=text_of(document.get("requires-python")),
        requires_python_where=lock.where("requires-python", end=4_000),
        locked=True,
        packages=packages,
        roots=_with_specifiers(roots, written),
        extras=tuple(key[6:] for key in roots if key.startswith("extra:")),
        groups=groups,
        default_groups=_default_groups(path, groups),
        conflicts=_conflicts(document.get("conflicts")),
        unknowns=tuple(unknowns),
        members=tuple(normal(str(member.get("name"))) for member in members),
    )


def _default_groups(path: Path, groups: Sequence[str]) -> tuple[str, ...]:
    """What `uv sync` installs along: the pyproject.toml beside the lock says it, or nobody does and it is dev."""
    beside = path.parent / "pyproject.toml"
    document = toml(beside, content(beside)) if beside.is_file() else {}
    tool = table(document.get("tool"), "tool")
    return uv_settings.default_groups(table(tool.get("uv"), "tool.uv"), groups)


def _own(member: _Raw) -> bool:
    source = table(member.get("source"), "source")
    return source.get("editable") == "." or source.get("virtual") == "."


def _with_specifiers(roots: Mapping[str, Sequence[Edge]], written: Mapping[str, str]) -> dict[str, tuple[Edge, ...]]:
    return {
        key: tuple(
            edge
            if edge.specifier or edge.name not in written
            else Edge(
                name=edge.name,
                specifier=written[edge.name],
                marker=edge.marker,
                extras=edge.extras,
                release=edge.release,
                source=edge.source,
            )
            for edge in edges
        )
        for key, edges in roots.items()
    }


READER = Reader(kind=Kind.UV_LOCK, recognises=unshadowed("uv.lock"), read=read)
