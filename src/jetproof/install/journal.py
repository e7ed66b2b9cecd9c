"""What an installation has done so far, written before it is done, so that whoever comes next can finish or undo it.

The folder `.jetproof/install` of a project holds one lock file and at most one journal. The lock is an advisory
one on an open file that every child process inherits: a child that outlives a killed parent still holds it.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Any

from jetproof.errors import Refused
from jetproof.target.write import put, sync_folder

SCHEMA = "jetproof/install-journal/1"
_MAX_JOURNAL = 64 << 20


class Phase(Enum):
    """How far an installation has come."""

    BUILDING = "building"
    """A new environment grows where nothing uses it yet: dropping it undoes everything."""
    PROVED = "proved"
    """The new environment passed; only the link has to be swapped."""
    CHANGING = "changing"
    """An existing environment is being changed; the journal holds what undoes it."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """The one installation under way."""

    id: str
    phase: Phase
    environment: str
    """Path of the environment that is built or changed."""
    link: str | None = None
    """The symbolic link that is to point to it."""
    replaces: str | None = None
    """The environment that the link pointed to before."""
    before: Mapping[str, list[int]] = field(default_factory=dict)
    """For a change in place: every file below the environment as [inode, size, mtime_ns]."""
    backup: str | None = None
    """For a change in place: where copies of what may be replaced lie."""


@dataclass(frozen=True, kw_only=True)
class State:
    """The folder `.jetproof` of one project."""

    root: Path

    @property
    def folder(self) -> Path:
        """Where lock, journal, backups and logs lie."""
        return self.root / "install"

    @property
    def venvs(self) -> Path:
        """Where environments are built."""
        return self.root / "venvs"

    @property
    def _journal(self) -> Path:
        return self.folder / "journal.json"

    def prepare(self) -> None:
        """Make the folders. Raises Refused where that is not possible, with nothing else changed."""
        try:
            for folder in (self.root, self.folder, self.venvs):
                if folder.is_symlink():
                    raise Refused(f"{folder} is a symbolic link", hint="Remove it.", reason="state-is-link")
                folder.mkdir(parents=True, exist_ok=True)
                if folder == self.root:
                    continue
                ignore = folder / ".gitignore"
                if not ignore.exists():
                    put(ignore, b"*\n")
        except OSError as error:
            raise Refused(
                f"cannot write {self.root}: {error.strerror}",
                hint="jetproof keeps its journal beside the project: make its folder writable.",
                reason="read-only" if error.errno == 30 else "state-unwritable",
            ) from error

    def read(self) -> Entry | None:
        """Return the installation that was under way when its process ended; None when there is none."""
        try:
            raw = self._journal.read_bytes()[: _MAX_JOURNAL + 1]
        except FileNotFoundError:
            return None
        try:
            body: dict[str, Any] = json.loads(raw)
            if body.pop("schema") != SCHEMA:
                raise ValueError("schema")  # noqa: TRY301 - one way out for every fault of the file
            return replace(Entry(**body), phase=Phase(body["phase"]))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Refused(
                f"{self._journal} cannot be understood: an interrupted installation can be neither finished nor undone",
                hint=f"Look at it; if you are sure that nothing has to be undone: rm {self._journal}",
                reason="journal-broken",
            ) from error

    def write(self, entry: Entry) -> None:
        """Write the journal whole and to the disk, before what it tells is done."""
        body = {"schema": SCHEMA, **asdict(entry), "phase": entry.phase.value}
        put(self._journal, json.dumps(body).encode() + b"\n")

    def clear(self) -> None:
        """Say that nothing is under way."""
        self._journal.unlink(missing_ok=True)
        sync_folder(self.folder)

    @contextmanager
    def lock(self, wait: float = 120) -> Iterator[int]:
        """Hold the lock and give the descriptor that children must keep open.

        Raises Refused at once when a living installation holds it; waits for what a killed one left running.
        """
        descriptor = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        try:
            deadline = time.monotonic() + wait
            while True:
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    holder = _holder(os.pread(descriptor, 100, 0))
                    if holder is not None:
                        raise Refused(
                            f"another installation runs here (process {holder})",
                            hint="Wait until it ends.",
                            reason="locked",
                        ) from None
                    if time.monotonic() > deadline:
                        raise Refused(
                            f"programs that a killed installation left behind still run after {wait:.0f} s",
                            hint=f"Find them: fuser -v {self.folder / 'lock'}",
                            reason="locked",
                        ) from None
                    time.sleep(0.1)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()} {_started(os.getpid())}\n".encode(), 0)
            yield descriptor
            os.ftruncate(descriptor, 0)
        finally:
            os.close(descriptor)


def _holder(text: bytes) -> int | None:
    """Return the process that wrote its id into the lock, if it is that process and still lives."""
    words = text.split()
    if len(words) != 2 or not words[0].isdigit():
        return None
    pid = int(words[0])
    return pid if _started(pid).encode() == words[1] else None


def _started(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return "gone"
