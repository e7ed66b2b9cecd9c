"""
Pipfile.lock: what `pipenv lock` resolved.

What is read
    The packages of `default` (and of `develop` as the group dev) with markers, hashes, index and source. The lock
    keeps no requirements between packages, so each is told as asked by the project. Files are known by hash only:
    whether a wheel fits the board cannot be seen in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jetproof.errors import UsageError
from jetproof.install.locked import (
    ANYWHERE,
    Index,
    Kind,
    LockedPackage,
    Project,
    Source,
    SourceKind,
    Unknown,
    Where,
    group_key,
)
from jetproof.install.readers.document import (
    MAX_PACKAGES,
    content,
    json_object,
    line_of,
    package_name,
    strings,
    table,
    tables,
    text_of,
    where_of,
)
from jetproof.install.readers.reader import Reader, unshadowed
from jetproof_worker.redact import without_secrets

_SOURCES = {"git": SourceKind.VCS, "file": SourceKind.URL, "path": SourceKind.PATH}


def _source(raw: Mapping[str, object], indexes: Mapping[str, Index]) -> Source:
    for word, kind in _SOURCES.items():
        location = text_of(raw.get(word))
        if location:
            kept = SourceKind.EDITABLE if raw.get("editable") is True else kind
            return Source(kind=kept, location=without_secrets(location))
    index = indexes.get(text_of(raw.get("index")) or "")
    return Source(kind=SourceKind.INDEX, location=index.url) if index else ANYWHERE


def _package(
    name: str, raw: Mapping[str, object], where: Where, indexes: Mapping[str, Index], only_in: tuple[str, ...]
) -> LockedPackage:
    bound = text_of(raw.get("version")) or ""
    return LockedPackage(
        name=package_name(name, str(where)),
        release=bound[2:] if bound.startswith("==") else None,
        specifier=None if bound.startswith("==") or bound == "*" else bound or None,
        marker=text_of(raw.get("markers")),
        extras=strings(raw.get("extras"), f"{where}: extras"),
        hashes=strings(raw.get("hashes"), f"{where}: hashes"),
        source=_source(raw, indexes),
        only_in=only_in,
        where=where,
    )


def _exact(required: Mapping[str, object]) -> str | None:
    full = text_of(required.get("python_full_version"))
    short = text_of(required.get("python_version"))
    return f"=={full}" if full else f"=={short}.*" if short else None


def read(path: Path, root: Path) -> Project:
    """Read a Pipfile.lock."""
    text = content(path)
    document = json_object(path, text)
    file = where_of(path, root)
    if "_meta" not in document:
        raise UsageError(f"{file}: it has no _meta", hint="write it anew with pipenv lock", reason="bad-lock")
    meta = table(document["_meta"], f"{file}: _meta")
    indexes: dict[str, Index] = {}
    for source in tables(meta.get("sources"), f"{file}: sources"):
        url, name = text_of(source.get("url")), text_of(source.get("name"))
        if url and name:
            indexes[name] = Index(
                url=without_secrets(url), name=name, where=Where(file=file, line=line_of(text, f'"{name}"'))
            )
    packages: list[LockedPackage] = []
    unknowns: list[Unknown] = []
    for section, only_in in (("default", ()), ("develop", (group_key("dev"),))):
        entries = table(document.get(section), f"{file}: {section}")
        start = max(text.find(f'"{section}"'), 0)
        at, line = start, text.count("\n", 0, start) + 1
        for name, raw in entries.items():
            if len(packages) >= MAX_PACKAGES:
                raise UsageError(f"{file}: more than {MAX_PACKAGES} packages", reason="too-large")
            found = text.find(f'"{name}": {{', at)
            if found >= 0:
                line += text.count("\n", at, found)
                at = found
            where = Where(file=file, line=line if found >= 0 else None)
            packages.append(_package(name, table(raw, f"{where}: {name}"), where, indexes, tuple(only_in)))
    required = table(meta.get("requires"), f"{file}: requires")
    return Project(
        kind=Kind.PIPFILE_LOCK,
        path=str(path),
        requires_python=_exact(required),
        requires_python_where=Where(file=file, line=line_of(text, '"requires"')),
        locked=True,
        packages=tuple(packages),
        groups=("dev",) if "develop" in document else (),
        indexes=tuple(indexes.values()),
        unknowns=tuple(unknowns),
    )


READER = Reader(kind=Kind.PIPFILE_LOCK, recognises=unshadowed("Pipfile.lock"), read=read)
