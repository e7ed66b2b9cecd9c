"""
An installed environment: what stands in a venv or a site-packages folder.

What is read
    Name, number, requirements and the recorded origin of each distribution, from its dist-info folder. Nothing is
    imported and no program is started. Since all is installed already, each distribution counts as locked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from jetproof.errors import UsageError
from jetproof.install.locked import (
    DEFAULT,
    Edge,
    Kind,
    LockedPackage,
    Project,
    Source,
    SourceKind,
    Unknown,
    Where,
)
from jetproof.install.readers.document import MAX_PACKAGES, content, package_name
from jetproof.install.readers.reader import Reader
from jetproof.install.readers.requirement import edge
from jetproof.install.readers.roots import unasked
from jetproof.install.readers.wheel import headers_of
from jetproof_worker.redact import without_secrets


def _site_packages(path: Path) -> list[Path]:
    """The folders with distributions below a venv, or the folder itself."""
    if path.name in ("site-packages", "dist-packages"):
        return [path]
    return sorted(
        folder
        for pattern in ("lib/python3*/site-packages", "lib/python3*/dist-packages", "lib64/python3*/site-packages")
        for folder in path.glob(pattern)
        if folder.is_dir()
    )


def _origin(folder: Path) -> Source:
    try:
        raw = json.loads(content(folder / "direct_url.json"))
    except (UsageError, ValueError, RecursionError):
        return Source(kind=SourceKind.INDEX)
    url = raw.get("url") if isinstance(raw, dict) else None
    if not isinstance(url, str):
        return Source(kind=SourceKind.INDEX)
    if isinstance(raw.get("dir_info"), dict):
        editable = raw["dir_info"].get("editable") is True
        return Source(kind=SourceKind.EDITABLE if editable else SourceKind.PATH)
    return Source(kind=SourceKind.VCS if "vcs_info" in raw else SourceKind.URL, location=without_secrets(url))


def _distributions(folder: Path, unknowns: list[Unknown]) -> Iterator[LockedPackage]:
    for count, info in enumerate(sorted(folder.glob("*.dist-info"))):
        if count > MAX_PACKAGES:
            raise UsageError(f"{folder}: more than {MAX_PACKAGES} distributions", reason="too-large")
        where = Where(file=f"{info.name}/METADATA")
        try:
            headers = headers_of(content(info / "METADATA"))
            name = package_name(str(headers.get("Name", "")), info.name)
        except UsageError as error:
            unknowns.append(Unknown(what=info.name, why=error.message, where=where))
            continue
        edges: list[Edge] = []
        for text in headers.get_all("Requires-Dist", []):
            found = edge(str(text))
            if found is not None:
                edges.append(found)
        yield LockedPackage(
            name=name,
            release=str(headers.get("Version")) if headers.get("Version") else None,
            requires=tuple(edges),
            source=_origin(info),
            requires_python=str(headers["Requires-Python"]) if headers.get("Requires-Python") else None,
            where=where,
        )


def read(path: Path, _root: Path) -> Project:
    """Read the distributions of a venv or a site-packages folder."""
    folders = _site_packages(path)
    if not folders:
        raise UsageError(f"{path}: no site-packages below it", hint="name a venv or its site-packages folder")
    unknowns: list[Unknown] = []
    packages = [one for folder in folders for one in _distributions(folder, unknowns)]
    return Project(
        kind=Kind.ENVIRONMENT,
        path=str(path),
        name=path.name,
        locked=True,
        packages=tuple(packages),
        roots={DEFAULT: unasked(packages)},
        unknowns=tuple(unknowns),
        complete=False,
    )


def _recognises(path: Path) -> bool:
    return path.is_dir() and (
        path.name in ("site-packages", "dist-packages")
        or (path / "pyvenv.cfg").is_file()
        or (path / "conda-meta").is_dir()
    )


READER = Reader(kind=Kind.ENVIRONMENT, recognises=_recognises, read=read)
