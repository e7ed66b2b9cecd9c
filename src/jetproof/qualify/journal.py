"""What happened, one JSON line after the other, each bound to the one before by its hash.

A line is on the disk before the next thing happens. Reading bears a cut at any byte: the whole lines before the
cut are the journal, and a journal without its last line (`finish`) is unfinished, which is never green.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import re
import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from jetproof.errors import ExitCode, JetproofError
from jetproof.qualify.clock import Instant
from jetproof.target.read import plain_bytes

SCHEMA = "jetproof/journal/1"
GENESIS = hashlib.sha256(SCHEMA.encode()).hexdigest()
"""What stands in the first line where the others hold the hash of the line before."""
_MEMBERS = frozenset({"n", "prev", "kind", "utc", "monotonic", "boot", "body", "sum"})
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)
LARGEST_LINE = 8 << 20
LARGEST_JOURNAL = 256 << 20


class JournalUnwritable(JetproofError):
    """The journal cannot be written, so the run cannot go on: what is not recorded has not happened."""

    exit_code = ExitCode.INTERNAL
    default_reason = "journal-unwritable"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of the journal."""

    number: int
    kind: str
    body: Mapping[str, Any]
    at: Instant


@dataclass(frozen=True, kw_only=True)
class Journal:
    """The whole lines of a journal, and what is wrong with it as a file."""

    entries: tuple[Entry, ...]
    sha256: str
    """Of the bytes that were understood."""
    cut: bool = False
    """Whether bytes of an incomplete last line were left out."""
    broken: str | None = None
    """Why the chain ends before the file does, if it does: that is no cut, somebody changed it."""

    @property
    def finished(self) -> bool:
        """Whether it was brought to its end by the controller that began it."""
        return self.broken is None and not self.cut and bool(self.entries) and self.entries[-1].kind == "finish"

    def of(self, kind: str) -> tuple[Entry, ...]:
        """Return the entries of one kind, in order."""
        return tuple(entry for entry in self.entries if entry.kind == kind)


class Writer:
    """Appends lines to a new file and forces each to the disk. Not to be shared between threads."""

    def __init__(self, path: Path, now: Callable[[], Instant], sync: Callable[[int], None] = os.fsync) -> None:
        self.path = path
        self._now = now
        self._sync = sync
        self._number = 0
        self._previous = GENESIS
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            self._file = os.open(path, flags, 0o644)
            directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                sync(directory)  # the name, too, must survive a power cut
            finally:
                os.close(directory)
        except OSError as error:
            raise unwritable(path, error) from error

    def append(self, kind: str, body: Mapping[str, Any]) -> Entry:
        """Write one line and force it to the disk. Raises `JournalUnwritable` when the disk is full or read-only."""
        entry = Entry(number=self._number, kind=kind, body=body, at=self._now())
        data = line(entry, self._previous)
        # a line is whole or not begun: Ctrl-C and a polite kill wait until it is written
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(self._file, view) :]
            self._sync(self._file)
            self._number += 1
            self._previous = hashlib.sha256(data).hexdigest()
        except OSError as error:
            raise unwritable(self.path, error) from error
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return entry

    def close(self) -> None:
        """Close the file; what was appended stays."""
        with contextlib.suppress(OSError):
            os.close(self._file)


def unwritable(path: Path, error: OSError) -> JournalUnwritable:
    """Return the error for a place that cannot be written."""
    hints = {
        errno.ENOSPC: "free some space, or choose another folder with --output",
        errno.EDQUOT: "your quota is used up; choose another folder with --output",
        errno.EROFS: "the file system is read-only; choose another folder with --output",
        errno.EACCES: "choose a folder that you may write to with --output",
    }
    hint = hints.get(error.errno or 0, "choose another folder with --output")
    return JournalUnwritable(f"cannot write {path}: {error.strerror or error}", hint=hint)


def line(entry: Entry, previous: str) -> bytes:
    """Return the bytes of one line."""
    members = {
        "n": entry.number,
        "prev": previous,
        "kind": entry.kind,
        "utc": entry.at.utc,
        "monotonic": entry.at.monotonic,
        "boot": entry.at.boot,
        "body": entry.body,
    }
    # the last line has no line after it that would bind it, so each one also carries a digest of itself
    members["sum"] = hashlib.sha256(_plain(members)).hexdigest()
    return _plain(members) + b"\n"


def _plain(members: Mapping[str, Any]) -> bytes:
    # ASCII only: a lone surrogate in a message is escaped and cannot break the file
    return json.dumps(members, allow_nan=False, separators=(",", ":"), sort_keys=True).encode("ascii")


def read(data: bytes) -> Journal:
    """Return the journal that the bytes hold, as far as the chain holds."""
    entries: list[Entry] = []
    previous = GENESIS
    position = 0
    broken = None
    while position < len(data):
        end = data.find(b"\n", position)
        if end < 0:
            break
        raw = data[position : end + 1]
        entry = _entry(raw, len(entries), previous)
        if isinstance(entry, str):
            broken = f"line {len(entries) + 1}: {entry}"
            break
        entries.append(entry)
        previous = hashlib.sha256(raw).hexdigest()
        position = end + 1
        if entry.kind == "finish":
            if position < len(data):
                broken = f"line {len(entries) + 1}: nothing may follow the finish"
            break
    cut = broken is None and position < len(data)
    return Journal(entries=tuple(entries), sha256=hashlib.sha256(data[:position]).hexdigest(), cut=cut, broken=broken)


def _entry(raw: bytes, number: int, previous: str) -> Entry | str:
    """Return the entry of one line, or why it is none."""
    if len(raw) > LARGEST_LINE:
        return "too long"
    try:
        members = json.loads(raw)
    except (ValueError, RecursionError):
        return "not JSON"
    if not isinstance(members, dict) or set(members) != _MEMBERS:
        return "not a line of this format"
    if members["prev"] != previous:
        return "does not follow from the line before"
    kind, body, utc, monotonic, boot = (members[name] for name in ("kind", "body", "utc", "monotonic", "boot"))
    fits = isinstance(kind, str) and isinstance(body, dict) and isinstance(boot, str) and _is_time(utc)
    if not fits or not isinstance(monotonic, float) or members["n"] != number:
        return "not a line of this format"
    entry = Entry(number=number, kind=kind, body=body, at=Instant(utc=utc, monotonic=monotonic, boot=boot))
    # one form only, so that two different files never mean the same
    try:
        same = line(entry, previous) == raw
    except (ValueError, RecursionError):
        same = False
    return entry if same else "not in the form that is written"


def _is_time(text: object) -> bool:
    if not isinstance(text, str) or not _TIME.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text[:-1])
    except ValueError:
        return False
    return True


def load(path: Path) -> bytes:
    """Return the bytes of a journal file, following no link. Raises a `JetproofError` when it is none."""
    from jetproof.errors import UsageError

    try:
        data = plain_bytes(path, LARGEST_JOURNAL + 1)
    except OSError as error:
        raise UsageError(
            f"cannot read the journal {path}: {error.strerror}",
            hint="name the folder that `jetproof run` wrote, like conditional-evidence/jetson-cuda-runtime",
            reason="journal-missing",
        ) from error
    if len(data) > LARGEST_JOURNAL:
        raise UsageError(f"{path} is too large for a journal", reason="journal-missing")
    return data
