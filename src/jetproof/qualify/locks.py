"""One run at a time on a GPU, and one at a time into a folder: an advisory lock that ends with its process."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from jetproof.errors import JetproofError, Undecided


def gpu_lock_path(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the file that all users' runs on this machine lock: two gates must not share a GPU.

    One fixed place, whatever TMPDIR says: a lock that each has for himself locks nothing. JETPROOF_GPU_LOCK names
    another, for machines that are shared out by other means.
    """
    return Path(environment.get("JETPROOF_GPU_LOCK") or "/tmp/jetproof-gpu.lock")  # noqa: S108 - opened without following links


@contextmanager
def held(path: Path, what: str) -> Iterator[None]:
    """Hold the lock for the time of a block. Raises `Undecided` when another process holds it.

    `what` names what is locked, for the message. The file stays; the lock ends when the process does, however.
    """
    descriptor = _open(path)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                raise JetproofError(f"cannot lock {path}: {error.strerror}", reason="lock-failed") from error
            raise _busy(path, what) from error
        # a run that came over a link removes the file that it made: then this lock is on nothing
        if not _is_at(descriptor, path):
            raise _busy(path, what)
        yield
    finally:
        os.close(descriptor)


def _busy(path: Path, what: str) -> Undecided:
    return Undecided(
        f"another jetproof run has {what} (lock {path})",
        hint="wait until it has ended, then run again",
        reason="busy",
    )


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


def _open(path: Path) -> int:
    # another user's file in a sticky folder can be opened for reading only; that is enough for a lock
    flags = os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    try:
        return os.open(path, os.O_RDONLY | flags, 0o644)
    except PermissionError:
        try:
            return os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError as error:
            raise _failed(path, error) from error
    except OSError as error:
        raise _failed(path, error) from error


def _failed(path: Path, error: OSError) -> JetproofError:
    return JetproofError(
        f"cannot open the lock {path}: {error.strerror or error}",
        hint="name a file in a folder that you may write to with JETPROOF_GPU_LOCK",
        reason="lock-failed",
    )
