"""Read a plain file of somebody else's: bounded, following no link, and never waiting for a pipe or a device."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_PIECE = 1 << 16


def plain_bytes(path: Path, most: int) -> bytes:
    """Return the first `most` bytes of a regular file. Raises OSError for anything else that lies there."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", str(path))
        found = bytearray()
        # small pieces: a buffer of the whole limit would cost more than the reading
        while len(found) < most and (piece := os.read(descriptor, min(_PIECE, most - len(found)))):
            found += piece
        return bytes(found)
    finally:
        os.close(descriptor)
