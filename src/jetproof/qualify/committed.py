"""What a commit holds, path by path, and which files of its checkout hold something else, byte for byte.

Git is asked for the commit's own list only. The files are read and digested here: no filter, no index, no times.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from jetproof.errors import Undecided
from jetproof.qualify.checkout_git import entries, shown
from jetproof.target.read import plain_bytes

MOST_FILES = 200_000
MOST_BYTES = 4 << 30
"""Bytes of one checkout that are compared; of a larger one it is said that it cannot be checked."""
_LINK, _SUBMODULE = "120000", "160000"
_NESTED = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Blob:
    """One file of a commit: its mode and object id as git writes them."""

    mode: str
    oid: str


def committed(root: Path, timeout: float, *, commit: str = "HEAD", depth: int = 0) -> dict[bytes, Blob]:
    """Return every file of a commit, those of its checked-out submodules too, by path below `root`.

    Raises `Undecided` when git cannot list it within `timeout` seconds.
    """
    found: dict[bytes, Blob] = {}
    for line in entries(root, timeout, "ls-tree", "-r", "-z", "--full-tree", commit):
        head, _, path = line.partition(b"\t")
        mode, _, oid = head.decode("ascii", "replace").split(" ", 2)
        if mode != _SUBMODULE:
            found[path] = Blob(mode=mode, oid=oid)
            continue
        inside = root / os.fsdecode(path)
        if depth < _NESTED and not inside.is_symlink() and (inside / ".git").exists():
            try:
                held = committed(inside, timeout, commit=oid, depth=depth + 1)
            except Undecided:
                held = {}  # a submodule at a commit that is not there: its state says so
            found.update({path + b"/" + name: blob for name, blob in held.items()})
    return found


def differing(root: Path, held: Mapping[bytes, Blob], timeout: float) -> list[str]:
    """Return the paths whose bytes are not the commit's, and in brackets why some could not be compared."""
    if len(held) > MOST_FILES:
        return [f"(cannot be checked: the commit holds {len(held)} files, more than {MOST_FILES})"]
    deadline = time.monotonic() + timeout
    left = MOST_BYTES
    found: list[str] = []
    for path, blob in held.items():
        size = _size(root, path)
        left -= size
        if left < 0:
            return [*found, f"(cannot be checked: the checkout holds more than {MOST_BYTES >> 30} GiB)"]
        if time.monotonic() > deadline:
            return [*found, f"(cannot be checked: comparing the files took longer than {timeout:g} s)"]
        if not is_blob(content(root, path, blob.mode), blob):
            found.append(shown(path))
    return found


def content(root: Path, path: bytes, mode: str = "100644") -> bytes | None:
    """Return what lies at a path, for a link its target; None when it cannot be read or is of another kind."""
    place = root / os.fsdecode(path)
    try:
        if mode == _LINK:
            return os.fsencode(place.readlink())
        return plain_bytes(place, MOST_BYTES)
    except OSError:
        return None


def is_blob(data: bytes | None, blob: Blob) -> bool:
    """Return whether bytes are those of a blob."""
    if data is None:
        return False
    digest = hashlib.sha1(usedforsecurity=False) if len(blob.oid) == 40 else hashlib.sha256()
    digest.update(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest() == blob.oid


def _size(root: Path, path: bytes) -> int:
    try:
        return (root / os.fsdecode(path)).lstat().st_size
    except OSError:
        return 0
