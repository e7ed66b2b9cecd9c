"""The files of the vendor's distributions, and the proof that an installation left them as they were.

Compared are path, inode, size, mtime and ctime of every file. Where those differ the content decides, against
the digest that the distribution's own RECORD holds: torch is over 700 MB, and hashing that on an eMMC or SD
card takes minutes, so all files are hashed only on request. Compiled bytecode is left out: an import writes it.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

from jetproof.install.interpreter import Installed

_CHUNK = 1 << 20
_MAX_RECORD = 64 << 20
_MAX_FILES = 500_000


@dataclass(frozen=True, kw_only=True)
class Mark:
    """What a file was when it was looked at; `sha256` only where it is known."""

    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int
    sha256: str | None = None
    """From RECORD, or computed when all files are hashed."""
    hashed: bool = False
    """Whether `sha256` was computed from the file rather than read from RECORD."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One protected file that is not as it was."""

    path: str
    what: str
    """Like "gone", "content changed"."""


Marks = Mapping[str, Mark]


def marks(dists: Iterable[Installed], *, deep: bool = False) -> dict[str, Mark]:
    """Look at every file of these distributions. A file that RECORD names and that is not there is left out."""
    found: dict[str, Mark] = {}
    for dist in dists:
        for path, recorded in files(dist):
            mark = _mark(path, recorded, deep=deep)
            if mark is not None:
                found[str(path)] = mark
    return found


def differences(before: Marks, *, deep: bool = False) -> tuple[Difference, ...]:
    """Look again at every file and tell which changed. A file that only moved in time or inode has not."""
    found: list[Difference] = []
    for text, old in before.items():
        new = _mark(Path(text), None, deep=False)
        if new is None:
            found.append(Difference(path=text, what="gone"))
            continue
        same = (new.inode, new.size, new.mtime_ns, new.ctime_ns) == (old.inode, old.size, old.mtime_ns, old.ctime_ns)
        if same and not deep:
            continue
        if new.size != old.size:
            found.append(Difference(path=text, what=f"size was {old.size}, is {new.size}"))
        elif old.sha256 is None:
            if not same:
                found.append(Difference(path=text, what="touched, and no digest of before is known"))
        elif (old.hashed or not same) and digest(Path(text)) != old.sha256:
            found.append(Difference(path=text, what="content changed"))
    return tuple(found)


def files(dist: Installed) -> Iterator[tuple[Path, str | None]]:
    """Yield (path, sha256 of RECORD or None) of every file of a distribution, bytecode left out."""
    folder = metadata_folder(dist.location, dist.name)
    seen = 0
    if folder is None:
        named: Iterable[tuple[Path, str | None]] = _walk(dist.location / dist.name.replace("-", "_"))
    elif (folder / "RECORD").is_file():
        named = _record(folder / "RECORD", dist.location)
    else:
        named = _unrecorded(folder, dist)
    for path, recorded in named:
        if path.suffix == ".pyc" or "__pycache__" in path.parts:
            continue
        seen += 1
        if seen > _MAX_FILES:
            return
        yield path, recorded


def metadata_folder(site: Path, name: str) -> Path | None:
    """Return the .dist-info or .egg-info of a distribution in a site directory."""
    try:
        entries = sorted(path.name for path in site.iterdir())
    except OSError:
        return None
    for entry in entries:
        stem, dot, kind = entry.rpartition(".")
        if dot and kind in ("dist-info", "egg-info") and canonicalize_name(stem.split("-")[0]) == name:
            return site / entry
    return None


def digest(path: Path) -> str | None:
    """Return the sha256 of a file in hex; None when it cannot be read."""
    hasher = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                hasher.update(chunk)
    except OSError:
        return None
    return hasher.hexdigest()


def _record(record: Path, site: Path) -> Iterator[tuple[Path, str | None]]:
    if record.stat().st_size > _MAX_RECORD:
        return
    with record.open(encoding="utf-8", errors="replace", newline="") as stream:
        for row in csv.reader(stream):
            if not row or not row[0]:
                continue
            recorded = row[1] if len(row) > 1 else ""
            algorithm, _, value = recorded.partition("=")
            yield Path(os.path.normpath(site / row[0])), _hex(value) if algorithm == "sha256" else None


def _unrecorded(folder: Path, dist: Installed) -> Iterator[tuple[Path, str | None]]:
    """Find the files of what apt or conda installed: by conda's own list, else all below the top-level packages."""
    yield from _walk(folder)
    listed = list(_conda(dist))
    if listed:
        yield from ((path, None) for path in listed)
        return
    top = folder / "top_level.txt"
    names = (
        top.read_text(encoding="utf-8", errors="replace").split() if top.is_file() else [dist.name.replace("-", "_")]
    )
    for name in names:
        if "/" in name or name.startswith("."):
            continue
        yield from _walk(dist.location / name)
        yield from ((path, None) for path in (dist.location / f"{name}.py",) if path.is_file())


def _conda(dist: Installed) -> Iterator[Path]:
    for parent in dist.location.parents:
        lists = parent / "conda-meta"
        if not lists.is_dir():
            continue
        for path in sorted(lists.glob("*.json")):
            if canonicalize_name(path.name.rsplit("-", 2)[0]) not in (dist.name, f"py{dist.name}"):
                continue
            try:
                body = json.loads(path.read_bytes()[:_MAX_RECORD])
                named = [word for word in body["files"] if isinstance(word, str)]
            except (OSError, ValueError, KeyError, TypeError):
                continue
            yield from (parent / word for word in named)
        return


def _walk(top: Path) -> Iterator[tuple[Path, str | None]]:
    if top.is_file():
        yield top, None
    for folder, _, names in os.walk(top):
        yield from ((Path(folder) / name, None) for name in sorted(names))


def _mark(path: Path, recorded: str | None, *, deep: bool) -> Mark | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    regular = stat.S_ISREG(found.st_mode)
    return Mark(
        inode=found.st_ino,
        size=found.st_size,
        mtime_ns=found.st_mtime_ns,
        ctime_ns=found.st_ctime_ns,
        sha256=digest(path) if deep and regular else recorded,
        hashed=deep and regular,
    )


def _hex(text: str) -> str | None:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).hex()
    except ValueError:
        return None
