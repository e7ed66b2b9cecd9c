"""Write a whole file or none: a kill at any moment leaves the old one or the new one."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from jetproof.errors import UsageError


def write_atomically(path: Path, data: bytes, *, mode: int = 0o644, follow: bool = True) -> None:
    """Write `data` beside `path`, flush it to the disk, and put it in place by one rename.

    With `follow`, a link at `path` keeps pointing where it does and its file is replaced; otherwise a link is
    refused. Raises UsageError, with the old file untouched, when it cannot be written.
    """
    if path.is_symlink():
        if not follow:
            raise UsageError(f"{path} is a link, and links are not written through", hint="name the file itself")
        path = path.resolve()
    if path.exists() and not path.is_file():
        # a rename would put a file in the place of /dev/null, for root at least
        raise UsageError(f"{path} is no regular file, and nothing else is written to", hint="name a file")
    try:
        put(path, data, mode=mode)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {os.strerror(error.errno or 0)}",
            hint="check the folder, its permissions and the free space",
        ) from None


def put(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Put a whole file in the place of whatever has that name. Raises OSError, with the old one untouched."""
    with _draft(path, data, mode) as draft:
        draft.replace(path)
    sync_folder(path.parent)


def put_new(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Put a whole file where nothing is yet. Raises FileExistsError, or OSError; what is there stays."""
    with _draft(path, data, mode) as draft:
        os.link(draft, path, follow_symlinks=False)  # unlike a rename it never replaces
    sync_folder(path.parent)


@contextmanager
def _draft(path: Path, data: bytes, mode: int) -> Iterator[Path]:
    """Give a file beside `path` that holds the data on the disk; it is gone afterwards, if it was not renamed."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make the rename itself survive a power cut, where the file system can."""
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.fsync(fd)
    except OSError:
        pass
    finally:
        os.close(fd)
