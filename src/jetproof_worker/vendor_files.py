"""The files of the vendor's distributions, and the proof that an installation left them as they were.

Compared are path, inode, size, mtime and ctime of every file. Where those differ the content decides, against
the digest that the distribution's own RECORD holds: torch is over 700 MB, and hashing that on an eMMC or SD
card takes minutes, so all files are hashed only on request. Compiled bytecode is left out: an import writes it.
Standard library only, Python 3.6 and later.
"""

import base64
import csv
import hashlib
import json
import os
import stat
from typing import Dict, Iterable, Iterator, List, NamedTuple, Optional, Tuple

from jetproof_worker.names import normalised

_CHUNK = 1 << 20
_MAX_RECORD = 64 << 20
_MAX_FILES = 500_000

Dist = Tuple[str, str]
"""Normalised name and site directory of a distribution."""
Named = Iterator[Tuple[str, Optional[str]]]


class Mark(NamedTuple):
    """What a file was when it was looked at; `sha256` only where it is known."""

    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int
    sha256: Optional[str] = None
    """From RECORD, or computed when all files are hashed."""
    hashed: bool = False
    """Whether `sha256` was computed from the file rather than read from RECORD."""


class Difference(NamedTuple):
    """One protected file that is not as it was."""

    path: str
    what: str
    """Like "gone", "content changed"."""


def marks(dists: Iterable[Dist], deep: bool = False) -> Dict[str, Mark]:
    """Look at every file of these distributions. A file that RECORD names and that is not there is left out."""
    found = {}
    for dist in dists:
        for path, recorded in files(dist):
            mark = _mark(path, recorded, deep)
            if mark is not None:
                found[path] = mark
    return found


def differences(before: Dict[str, Mark], deep: bool = False) -> List[Difference]:
    """Look again at every file and tell which changed. A file that only moved in time or inode has not."""
    found = []
    for path, old in before.items():
        new = _mark(path, None, False)
        if new is None:
            found.append(Difference(path, "gone"))
            continue
        same = new[:4] == old[:4]
        if same and not deep:
            continue
        if new.size != old.size:
            found.append(Difference(path, "size was %d, is %d" % (old.size, new.size)))
        elif old.sha256 is None:
            if not same:
                found.append(Difference(path, "touched, and no digest of before is known"))
        elif (old.hashed or not same) and digest(path) != old.sha256:
            found.append(Difference(path, "content changed"))
    return found


def files(dist: Dist) -> Named:
    """Yield (path, sha256 of RECORD or None) of every file of a distribution, bytecode left out."""
    name, site = dist
    folder = metadata_folder(site, name)
    if folder is None:
        named = _walk(os.path.join(site, name.replace("-", "_")))
    elif os.path.isfile(os.path.join(folder, "RECORD")):
        named = _record(os.path.join(folder, "RECORD"), site)
    else:
        named = _unrecorded(folder, name, site)
    seen = 0
    for path, recorded in named:
        if path.endswith(".pyc") or "__pycache__" in path.split(os.sep):
            continue
        seen += 1
        if seen > _MAX_FILES:
            return
        yield path, recorded


def metadata_folder(site: str, name: str) -> Optional[str]:
    """Return the .dist-info or .egg-info of a distribution in a site directory."""
    try:
        entries = sorted(os.listdir(site))
    except OSError:
        return None
    for entry in entries:
        stem, dot, kind = entry.rpartition(".")
        if dot and kind in ("dist-info", "egg-info") and normalised(stem.split("-")[0]) == name:
            return os.path.join(site, entry)
    return None


def digest(path: str) -> Optional[str]:
    """Return the sha256 of a file in hex; None when it cannot be read."""
    hasher = hashlib.sha256()
    try:
        with open(path, "rb") as stream:
            for chunk in iter(lambda: stream.read(_CHUNK), b""):
                hasher.update(chunk)
    except OSError:
        return None
    return hasher.hexdigest()


def _record(record: str, site: str) -> Named:
    if os.path.getsize(record) > _MAX_RECORD:
        return
    with open(record, encoding="utf-8", errors="replace", newline="") as stream:
        for row in csv.reader(stream):
            if not row or not row[0]:
                continue
            algorithm, _, value = (row[1] if len(row) > 1 else "").partition("=")
            yield os.path.normpath(os.path.join(site, row[0])), _hex(value) if algorithm == "sha256" else None


def _unrecorded(folder: str, name: str, site: str) -> Named:
    """Find the files of what apt or conda installed: by conda's own list, else all below the top-level packages."""
    for found in _walk(folder):
        yield found
    listed = list(_conda(name, site))
    if listed:
        for path in listed:
            yield path, None
        return
    tops = [name.replace("-", "_")]
    try:
        with open(os.path.join(folder, "top_level.txt"), encoding="utf-8", errors="replace") as stream:
            tops = stream.read(_CHUNK).split()
    except OSError:
        pass
    for top in tops:
        if "/" in top or top.startswith("."):
            continue
        for found in _walk(os.path.join(site, top)):
            yield found
        if os.path.isfile(os.path.join(site, top + ".py")):
            yield os.path.join(site, top + ".py"), None


def _conda(name: str, site: str) -> Iterator[str]:
    prefix = os.path.dirname(site)
    while not os.path.isdir(os.path.join(prefix, "conda-meta")):
        if prefix == os.path.dirname(prefix):
            return
        prefix = os.path.dirname(prefix)
    lists = os.path.join(prefix, "conda-meta")
    for entry in sorted(os.listdir(lists)):
        if not entry.endswith(".json") or normalised(entry.rsplit("-", 2)[0]) not in (name, "py" + name):
            continue
        try:
            with open(os.path.join(lists, entry), "rb") as stream:
                body = json.loads(stream.read(_MAX_RECORD).decode("utf-8"))
            named = [word for word in body["files"] if isinstance(word, str)]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        for word in named:
            yield os.path.join(prefix, word)


def _walk(top: str) -> Named:
    if os.path.isfile(top):
        yield top, None
    for folder, _, names in os.walk(top):
        for name in sorted(names):
            yield os.path.join(folder, name), None


def _mark(path: str, recorded: Optional[str], deep: bool) -> Optional[Mark]:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    hashed = deep and stat.S_ISREG(found.st_mode)
    sha256 = digest(path) if hashed else recorded
    return Mark(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, sha256, hashed)


def _hex(text: str) -> Optional[str]:
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).hex()
    except ValueError:
        return None
