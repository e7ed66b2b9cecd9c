"""The three standard streams as they may be in the wild: closed, full, or in an encoding that lacks our marks."""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn, TextIO

from jetproof.errors import JetproofError, UsageError

_CANNOT_HOLD = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


def ready(*, machine: bool) -> None:
    """Make each stream one that can be written to; `machine` asks for UTF-8, which JSON always is.

    A closed descriptor is filled with /dev/null: else the next file that is opened would take its number, and
    whatever prints would be written into that file.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is not None:
            continue
        held = os.open(os.devnull, os.O_RDWR)
        if held != number:
            os.dup2(held, number)
            os.close(held)
        stream = open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - stays open
        setattr(sys, name, stream)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8" if machine else None, errors="backslashreplace")


def say(text: str) -> None:
    """Write to standard error if that is possible; what cannot be told must not change how a command ends."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            _drop(sys.stderr)


def end_now(code: int) -> NoReturn:
    """End the process with this code.

    After an interruption Python may end itself by the signal instead, if that struck while it ran compiled text (every
    dataclass is made so); and a second Ctrl-C while it ends would show a traceback.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def drop_output() -> None:
    """Point standard output elsewhere, so that the interpreter's own flush at the end is quiet."""
    _drop(sys.stdout)


def _drop(stream: TextIO) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def surroundings(error: OSError) -> JetproofError | None:
    """Return what to tell when not jetproof but what is around it failed: a full disk, a gone folder."""
    if error.errno == errno.ENOENT and error.filename is None and not _in_a_folder():
        return UsageError("the folder that you are in was deleted", hint="cd to one that exists", reason="no-folder")
    if error.errno not in _CANNOT_HOLD:
        return None
    where = error.filename or "the output"
    return JetproofError(
        f"cannot write {where}: {error.strerror}",
        hint="make room or write elsewhere; what was written so far is incomplete",
        reason="output-lost",
    )


def _in_a_folder() -> bool:
    try:
        Path.cwd()
    except OSError:
        return False
    return True
