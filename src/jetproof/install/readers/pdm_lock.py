"""
pdm.lock: what `pdm lock` resolved.

What is read
    All packages with files, requirements, groups and markers. What the project itself asks for stands in the
    pyproject.toml beside it; without one, `groups` of the lock decide, and where it has none, the packages that
    nobody else asks for. A package with extras is listed once more for them, and the two are one here.

    `pdm install` takes the locked development groups along: what replaces torch through one is told too.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    Unknown,
    Where,
    normal,
)
from jetproof.install.readers.document import MAX_NUMBER, Lock, package_name, sha256_of, strings, table, tables, text_of
from jetproof.install.readers.reader import Reader, unshadowed
from jetproof.install.readers.requirement import edge
from jetproof.install.readers.roots import WITHOUT_METADATA, asked_beside, unasked
from jetproof_worker.redact import without_secrets

_Raw = Mapping[str, object]


def _file(raw: _Raw) -> File:
    url = text_of(raw.get("url"))
    name = text_of(raw.get("file")) or (url or "").rpartition("/")[2].partition("#")[0].replace("%2B", "+")
    return File(
        filename=name,
        url=without_secrets(url) if url else None,
        sha256=sha256_of(raw.get("hash")),
    )


def _source(raw: _Raw) -> Source:
    for word, kind in (("git", SourceKind.VCS), ("url", SourceKind.URL), ("path", SourceKind.PATH)):
        location = text_of(raw.get(word))
        if location:
            editable = raw.get("editable") is True
            return Source(kind=SourceKind.EDITABLE if editable else kind, location=without_secrets(location))
    return Source(kind=SourceKind.UNKNOWN)


def _package(raw: _Raw, where: Where, unreadable: list[Unknown], older: _Raw) -> LockedPackage:
    name = package_name(raw.get("name"), str(where))
    # until lock format 4.4 the files stood together at the end
    offered = raw.get("files") or older.get(f"{raw.get('name')} {raw.get('version')}")
    edges: list[Edge] = []
    for text in strings(raw.get("dependencies"), f"{where}: dependencies"):
        found = edge(text)
        if found is None:
            unreadable.append(
                Unknown(what=without_secrets(text)[:200], why=f"{name} asks for it and it cannot be read", where=where)
            )
        elif found.name != name:
            edges.append(found)
    return LockedPackage(
        name=name,
        release=text_of(raw.get("version")),
        marker=text_of(raw.get("marker")),
        extras=strings(raw.get("extras"), f"{where}: extras"),
        requires=tuple(edges),
        files=Lazy(tables(offered, f"{where}: files"), _file),
        source=_source(raw),
        requires_python=text_of(raw.get("requires_python")),
        where=where,
    )


def _merged(packages: list[LockedPackage]) -> tuple[LockedPackage, ...]:
    """Join a package with its entries for extras: what an extra adds is then followed when it is asked for."""
    added: dict[tuple[str, str | None], dict[str, tuple[Edge, ...]]] = {}
    for package in packages:
        for extra in package.extras:
            added.setdefault((package.name, package.release), {})[normal(extra)] = tuple(package.requires)
    plain = {(package.name, package.release) for package in packages if not package.extras}
    merged: list[LockedPackage] = []
    for package in packages:
        key = (package.name, package.release)
        if package.extras and key in plain:
            continue
        merged.append(
            LockedPackage(
                name=package.name,
                release=package.release,
                marker=package.marker,
                requires=package.requires,
                optional=added.get(key, {}),
                files=package.files,
                source=package.source,
                requires_python=package.requires_python,
                where=package.where,
            )
            if key in added
            else package
        )
    return tuple(merged)


_SYSTEMS = {"windows": "win32", "macos": "darwin", "linux": "linux", "manylinux": "linux", "musllinux": "linux"}


def _environment(target: _Raw) -> str | None:
    """The marker of a target: its bound on Python, its system and its processor; None where it has none of them."""
    python = text_of(target.get("requires_python")) or ""
    parts = [
        f"python_full_version {_spaced(one)}" for one in python.split(",") if one.strip() and len(one) < MAX_NUMBER
    ]
    platform = text_of(target.get("platform")) or ""
    system = _SYSTEMS.get(platform.partition("_")[0])
    if system is not None:
        parts.append(f"sys_platform == '{system}'")
        machine = next((one for one in ("x86_64", "aarch64") if platform.endswith(f"_{one}")), None)
        if machine and system == "linux":
            parts.append(f"platform_machine == '{machine}'")
    return " and ".join(parts) or None


def _spaced(bound: str) -> str:
    number = bound.strip().lstrip("<>=!~")
    return f"{bound.strip().removesuffix(number)} '{number}'"


def read(path: Path, root: Path) -> Project:
    """Read a pdm.lock."""
    lock = Lock(path, root)
    file, metadata = lock.file, lock.document.get("metadata")
    if not isinstance(metadata, dict) or "lock_version" not in metadata:
        raise UsageError(f"{file}: it has no metadata", hint="is it complete? write it anew", reason="bad-lock")
    entries = lock.entries("package")
    unreadable: list[Unknown] = []
    older = table(metadata.get("files"), f"{file}: metadata.files")
    every = [_package(raw, where, unreadable, older) for raw, where in entries]
    packages = _merged(every)
    beside = asked_beside(path, root)
    targets = tables(metadata.get("targets"), f"{file}: targets")
    pythons = {text_of(target.get("requires_python")) for target in targets}
    default = {
        package.name
        for package, (raw, _) in zip(every, entries, strict=True)
        if "default" in (strings(raw.get("groups"), "groups") or ("default",))
    }
    own = [package for package in packages if package.name in default]
    locked = frozenset(map(normal, strings(metadata.get("groups"), f"{file}: groups")))
    return Project(
        kind=Kind.PDM_LOCK,
        path=str(path),
        name=beside.name if beside else None,
        # one bound that all targets share is the project's; else each target has to be looked at
        requires_python=pythons.pop() if len(pythons) == 1 else None,
        requires_python_where=lock.where("requires_python"),
        locked=True,
        packages=packages,
        environments=tuple(filter(None, map(_environment, targets))),
        roots=beside.roots if beside else {DEFAULT: unasked(own)},
        extras=beside.extras if beside else (),
        groups=beside.groups if beside else (),
        default_groups=tuple(group for group in beside.default_groups if group in locked) if beside else (),
        unknowns=(*unreadable, *(beside.unknowns if beside else ())),
        notes=() if beside else (WITHOUT_METADATA,),
    )


READER = Reader(kind=Kind.PDM_LOCK, recognises=unshadowed("pdm.lock"), read=read)
