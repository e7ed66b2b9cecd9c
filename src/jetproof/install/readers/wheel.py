"""
A wheel: what its METADATA asks for.

What is read
    `Requires-Dist`, `Requires-Python` and `Provides-Extra` of a built package, without unpacking it. Whether the
    wheel itself fits the board is told from its name.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jetproof.errors import UsageError
from jetproof.install.locked import (
    File,
    Kind,
    LockedPackage,
    Project,
    Source,
    SourceKind,
    Unknown,
    Where,
    extra_key,
    normal,
)
from jetproof.install.readers.document import package_name
from jetproof.install.readers.reader import Reader
from jetproof.install.readers.requirement import package

if TYPE_CHECKING:
    from email.message import Message

MAX_METADATA = 8 << 20


def headers_of(metadata: str) -> Message:
    """Return the headers of a METADATA text."""
    # the parser of mail takes longer to load than a small lock to judge
    from email.parser import HeaderParser

    return HeaderParser().parsestr(metadata)


def _metadata(path: Path) -> str:
    import zipfile

    try:
        with zipfile.ZipFile(path) as archive:
            names = [
                entry
                for entry in archive.infolist()
                if entry.filename.count("/") == 1 and entry.filename.endswith(".dist-info/METADATA")
            ]
            if len(names) != 1:
                raise UsageError(f"{path}: {len(names)} METADATA files found, one expected", reason="bad-wheel")
            if names[0].file_size > MAX_METADATA:
                raise UsageError(f"{path}: METADATA has {names[0].file_size} bytes", reason="too-large")
            with archive.open(names[0]) as stream:
                return stream.read(MAX_METADATA).decode("utf-8")
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise UsageError(f"{path}: not a wheel: {error}", hint="is it complete?", reason="bad-wheel") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: its METADATA is not UTF-8", reason="bad-wheel") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None


def requirements_of(metadata: str, where: Where) -> tuple[list[LockedPackage], list[Unknown]]:
    """Return what a METADATA text asks for; requirements of extras are kept apart by the extra they name."""
    packages: list[LockedPackage] = []
    unknowns: list[Unknown] = []
    headers = headers_of(metadata)
    extras = [normal(str(extra)) for extra in headers.get_all("Provides-Extra", [])]
    for text in headers.get_all("Requires-Dist", []):
        one = package(str(text), where)
        if isinstance(one, Unknown):
            unknowns.append(one)
            continue
        named = [extra for extra in extras if one.marker and f'"{extra}"' in one.marker and "extra" in one.marker]
        if named:
            one = _in_extras(one, tuple(map(extra_key, named)))
        packages.append(one)
    return packages, unknowns


def _in_extras(one: LockedPackage, keys: tuple[str, ...]) -> LockedPackage:
    from dataclasses import replace

    return replace(one, only_in=keys)


def read(path: Path, _root: Path) -> Project:
    """Read a wheel's metadata."""
    metadata = _metadata(path)
    headers = headers_of(metadata)
    where = Where(file=path.name)
    packages, unknowns = requirements_of(metadata, where)
    name = package_name(str(headers.get("Name", "")), path.name)
    own = LockedPackage(
        name=name,
        release=str(headers.get("Version")) if headers.get("Version") else None,
        files=(File(filename=path.name),),
        source=Source(kind=SourceKind.PATH, location=path.name),
        where=where,
    )
    python = headers.get("Requires-Python")
    return Project(
        kind=Kind.WHEEL,
        path=str(path),
        name=name,
        requires_python=str(python) if python else None,
        requires_python_where=where,
        locked=False,
        packages=(own, *packages),
        extras=tuple(normal(str(extra)) for extra in headers.get_all("Provides-Extra", [])),
        unknowns=tuple(unknowns),
    )


READER = Reader(kind=Kind.WHEEL, recognises=lambda path: path.suffix == ".whl", read=read)
