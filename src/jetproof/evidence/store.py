"""Where envelopes are kept: files named by their digest, only ever added. The index is made anew from the files.

Beside `ab/abcd….json` may lie `ab/abcd….files/` (side files) and `ab/abcd….sigstore.json` (a countersignature).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from jetproof.errors import JetproofError, UsageError
from jetproof.evidence import strict
from jetproof.evidence.reason import Unreadable
from jetproof.evidence.side_files import SideFiles
from jetproof.evidence.statement import Artifact
from jetproof.target.read import plain_bytes
from jetproof.target.write import put, put_new

STORE_PATH = ".jetproof/evidence"
PRUNED = "pruned.json"
PRUNED_SCHEMA = "jetproof/pruned/1"
_NAME = re.compile(r"([0-9a-f]{2})/([0-9a-f]{64})\.json")
MAX_ENVELOPE = strict.MAX_BYTES


@dataclass(frozen=True, kw_only=True)
class Added:
    """What came of adding one envelope."""

    sha256: str
    new: bool
    """False when these very bytes were there already."""


@dataclass(frozen=True, kw_only=True)
class Odd:
    """A file of the store that is not what its place says."""

    name: str
    message: str


class Store(Protocol):
    """A set of envelopes by digest."""

    def envelopes(self) -> Iterator[tuple[str, bytes]]:
        """Yield (name, bytes) of each envelope in the order of their digests."""
        ...

    def add(self, data: bytes) -> Added:
        """Keep an envelope; what is there is never replaced."""
        ...

    def remove(self, digests: Iterable[str], floors: Mapping[str, int]) -> int:
        """Take envelopes out and note, for each signer, up to which number that was done on purpose."""
        ...

    def floors(self) -> Mapping[str, int]:
        """Return, for each signer, the highest number that was pruned."""
        ...


def digest_of(data: bytes) -> str:
    """Return the sha256 by which an envelope is kept."""
    return hashlib.sha256(data).hexdigest()


def is_envelope(path: str) -> bool:
    """Return whether a path, relative to a store, is one of an envelope."""
    return _NAME.fullmatch(path) is not None


def path_of(sha256: str) -> str:
    """Return the place of an envelope, relative to the store."""
    return f"{sha256[:2]}/{sha256}.json"


@dataclass(frozen=True)
class FolderStore:
    """A store in a folder."""

    root: Path

    def paths(self) -> Iterator[Path]:
        """Yield the envelopes' files, links left out."""
        if not self.root.is_dir():
            return
        for folder in sorted(self.root.iterdir()):
            if len(folder.name) == 2 and stat.S_ISDIR(folder.lstat().st_mode):
                with os.scandir(folder) as entries:
                    files = [
                        entry.name
                        for entry in entries
                        if is_envelope(f"{folder.name}/{entry.name}") and entry.is_file(follow_symlinks=False)
                    ]
                for file in sorted(files):
                    yield folder / file

    def envelopes(self) -> Iterator[tuple[str, bytes]]:
        """Yield (name, bytes) of each envelope in the order of their digests."""
        for path in self.paths():
            yield path.name, read_bounded(path)

    def odd(self) -> Iterator[Odd]:
        """Yield what does not belong: links, foreign names, and files whose bytes are not those of their name."""
        if not self.root.is_dir():
            return
        for path in sorted(self.root.rglob("*")):
            name = path.relative_to(self.root).as_posix()
            if path.is_symlink():
                yield Odd(name=name, message="a link: it is not followed")
            elif path.is_file() and ".files/" not in name and not name.endswith(".sigstore.json") and name != PRUNED:
                if not is_envelope(name):
                    yield Odd(name=name, message="not the name of an envelope: jetproof evidence add it instead")
                elif digest_of(read_bounded(path)) != path.stem:
                    yield Odd(name=name, message="its bytes are not those that its name says: it was changed")

    def add(self, data: bytes) -> Added:
        """Keep an envelope; what is there is never replaced."""
        sha256 = digest_of(data)
        new = _write_once(self._place(path_of(sha256)), data)
        return Added(sha256=sha256, new=new)

    def add_file(self, sha256: str, artifact: Artifact, data: bytes) -> None:
        """Keep a side file of an envelope."""
        from jetproof.evidence.side_files import safe_parts

        target = "/".join((sha256[:2], f"{sha256}.files", *safe_parts(artifact.name)))
        _write_once(self._place(target), data)

    def _place(self, relative: str) -> Path:
        """Return a place of the store, no folder above which is a link. Raises JetproofError."""
        path = self.root / relative
        for folder in path.parents:
            if folder == self.root:
                return path
            if os.path.lexists(folder) and not stat.S_ISDIR(folder.lstat().st_mode):
                raise _broken(folder, "is no folder")
        raise _broken(path, "lies outside of the store")

    def side_files(self, sha256: str) -> SideFiles | None:
        """Return the folder of an envelope's side files, if they are kept here."""
        folder = self.root / sha256[:2] / f"{sha256}.files"
        return SideFiles(folder) if folder.is_dir() and not folder.is_symlink() else None

    def countersignature(self, sha256: str) -> bytes | None:
        """Return the Sigstore bundle beside an envelope, if there is one."""
        path = self.root / sha256[:2] / f"{sha256}.sigstore.json"
        return read_bounded(path) if path.is_file() and not path.is_symlink() else None

    def find(self, prefix: str) -> Path:
        """Return the file of the one envelope whose digest begins so."""
        if not re.fullmatch(r"[0-9a-f]{4,64}", prefix):
            raise UsageError(f"{prefix[:80]!r} is no digest: 4 to 64 hex digits are expected", reason="no-digest")
        found = [path for path in self.paths() if path.stem.startswith(prefix)]
        if len(found) != 1:
            raise UsageError(
                f"{len(found)} envelopes begin with {prefix}, expected one",
                hint="jetproof evidence list",
                reason="evidence-not-found",
            )
        return found[0]

    def remove(self, digests: Iterable[str], floors: Mapping[str, int]) -> int:
        """Take envelopes out and note, for each signer, up to which number that was done on purpose."""
        known = dict(self.floors())
        for signer, number in floors.items():
            known[signer] = max(number, known.get(signer, 0))
        body = {"schema": PRUNED_SCHEMA, "floors": dict(sorted(known.items()))}
        # the note goes first: a cut between the two leaves envelopes too many, never an unexplained gap
        if (self.root / PRUNED).is_dir():
            raise _broken(self.root / PRUNED, "is a folder")
        places = [self._place(path_of(sha256)) for sha256 in digests]
        replace(self.root / PRUNED, json.dumps(body, indent=2).encode() + b"\n")
        for path in places:
            path.unlink(missing_ok=True)
            path.with_name(f"{path.stem}.sigstore.json").unlink(missing_ok=True)
            shutil.rmtree(path.with_name(f"{path.stem}.files"), ignore_errors=True)
        return len(places)

    def floors(self) -> Mapping[str, int]:
        """Return, for each signer, the highest number that was pruned."""
        path = self.root / PRUNED
        return floors_from(read_bounded(path)) if path.is_file() and not path.is_symlink() else {}


def floors_from(data: bytes) -> Mapping[str, int]:
    """Read the note of what was pruned."""
    try:
        body = strict.parsed(data, PRUNED)
    except Unreadable as error:
        raise UsageError(f"{PRUNED} cannot be read: {error.refusal.message}", reason="store-broken") from None
    floors = body.get("floors") if isinstance(body, dict) and body.get("schema") == PRUNED_SCHEMA else None
    if not isinstance(floors, dict) or not all(type(number) is int for number in floors.values()):
        raise UsageError(f"{PRUNED} is not a note of what was pruned", reason="store-broken")
    return floors


def read_bounded(path: Path) -> bytes:
    """Return a file's bytes without following a link; one byte more than is allowed tells that it is too large."""
    try:
        return plain_bytes(path, MAX_ENVELOPE + 1)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", reason="unreadable") from None


def _write_once(path: Path, data: bytes) -> bool:
    """Write a new file whole or not at all; return False when the same bytes are there already."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        put_new(path, data)
    except FileExistsError:
        try:
            same = plain_bytes(path, len(data) + 1) == data
        except OSError:  # a link, a folder, a pipe
            same = False
        if not same:
            raise _broken(path, "is there already with other bytes") from None
        return False
    return True


def _broken(path: Path, why: str) -> JetproofError:
    return JetproofError(f"{path} {why}", hint="a store only grows: look what happened to it", reason="store-broken")


def replace(path: Path, data: bytes) -> None:
    """Replace a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    put(path, data)
