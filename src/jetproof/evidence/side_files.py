"""Opens the files that travel beside an envelope: inside their folder only, no links, bounded, hashed while read."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from jetproof.evidence.reason import Reason, Unreadable
from jetproof.evidence.statement import Artifact

MAX_SIDE_FILE = 256 << 20
_NAME_MAX = 400


@dataclass(frozen=True)
class SideFiles:
    """A folder of side files."""

    folder: Path

    def read(self, artifact: Artifact) -> bytes:
        """Return the file's bytes if they are the ones that were bound, or raise Unreadable with the reason."""
        if artifact.size > MAX_SIDE_FILE:
            raise Unreadable(Reason.ARTIFACT_TOO_LARGE, f"{artifact.name} says {artifact.size} bytes")
        data = self.bytes_of(artifact.name, artifact.size)
        if len(data) != artifact.size or hashlib.sha256(data).hexdigest() != artifact.sha256:
            raise Unreadable(Reason.ARTIFACT_DIGEST, f"{artifact.name} is not the file whose digest was signed")
        return data

    def bytes_of(self, name: str, limit: int = MAX_SIDE_FILE) -> bytes:
        """Return at most `limit` + 1 bytes of a file; each folder on the way is opened without following links."""
        parts = safe_parts(name)
        try:
            current = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            raise Unreadable(Reason.ARTIFACT_MISSING, f"the folder {self.folder} cannot be opened") from None
        try:
            for part in parts[:-1]:
                deeper = _open(part, current, name, os.O_DIRECTORY)
                os.close(current)
                current = deeper
            descriptor = _open(parts[-1], current, name, 0)
        finally:
            os.close(current)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Unreadable(Reason.ARTIFACT_LINK, f"{name} is not a regular file")
            return file.read(limit + 1)


@lru_cache(maxsize=256)
def safe_parts(name: str) -> tuple[str, ...]:
    """Return a relative name's parts, or raise Unreadable when it could lead anywhere else."""
    parts = tuple(name.split("/"))
    bad = (
        not name
        or len(name) > _NAME_MAX
        or name.startswith(("/", "~"))
        or "\\" in name
        or ":" in name
        or not name.isprintable()
        or any(part in ("", ".", "..") for part in parts)
    )
    if bad:
        raise Unreadable(Reason.ARTIFACT_PATH, f"{name[:80]!r} is not a plain relative path")
    return parts


def _open(part: str, folder: int, name: str, extra: int) -> int:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | extra
    try:
        return os.open(part, flags, dir_fd=folder)
    except OSError as error:
        link = error.errno == errno.ELOOP or (error.errno == errno.ENOTDIR and _is_link(part, folder))
        if link:
            raise Unreadable(Reason.ARTIFACT_LINK, f"{name} leads through a link") from None
        raise Unreadable(Reason.ARTIFACT_MISSING, f"{name} is not there: {error.strerror}") from None


def _is_link(part: str, folder: int) -> bool:
    try:
        return stat.S_ISLNK(os.stat(part, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


def artifact(folder: Path, name: str, media_type: str) -> Artifact:
    """Return the descriptor of a file that lies in `folder` now."""
    data = SideFiles(folder).bytes_of(name)
    return Artifact(name=name, sha256=hashlib.sha256(data).hexdigest(), size=len(data), media_type=media_type)
