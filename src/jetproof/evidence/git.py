"""What a git repository says about a commit: its tree, time, files and submodules. Only ever read."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Protocol

from jetproof.errors import UsageError
from jetproof.target.git import ask_git
from jetproof_worker.process import Completed

_OBJECT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LIMIT = 64 << 20
_SECONDS = 60.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One path of a commit: its mode and object id as git writes them."""

    mode: str
    oid: str


class Repository(Protocol):
    """Answers questions about commits. Whole ids only; None means: not in this repository."""

    def resolve(self, revision: str) -> str | None:
        """Return the whole id of the commit that a revision names."""
        ...

    def tree(self, commit: str) -> str | None:
        """Return the id of the commit's tree."""
        ...

    def committed(self, commit: str) -> datetime | None:
        """Return the committer's time in UTC."""
        ...

    def file(self, commit: str, path: str) -> bytes | None:
        """Return the bytes of a regular file of the commit; None for anything else at that path."""
        ...

    def listing(self, commit: str) -> Mapping[str, Entry] | None:
        """Return every tracked path of the commit."""
        ...

    def holding(self, commit: str, text: str) -> frozenset[str]:
        """Return the paths of the commit's files that hold a text."""
        ...

    def changes(self) -> tuple[str, ...]:
        """Return the paths that differ from HEAD in the working tree, untracked ones included."""
        ...

    def remote(self) -> str | None:
        """Return the URL of the remote named origin."""
        ...


@dataclass
class GitRepository:
    """A repository on disk, asked through the git program; answers about commits never change and are kept."""

    root: Path
    _trees: dict[str, str | None] = field(default_factory=dict, repr=False)
    _times: dict[str, datetime | None] = field(default_factory=dict, repr=False)
    _listings: dict[str, Mapping[str, Entry] | None] = field(default_factory=dict, repr=False)
    _files: dict[tuple[str, str], bytes | None] = field(default_factory=dict, repr=False)

    def git(self, *words: str, stdin: bytes = b"", extra: Mapping[str, str] | None = None) -> Completed:
        """Run git here; paths among the words are taken literally."""
        done = ask_git(
            self.root, "--literal-pathspecs", *words, timeout=_SECONDS, limit=_LIMIT, stdin=stdin, extra=extra
        )
        if done.status == "missing":
            raise UsageError("git is not installed here", hint="apt install git", reason="git-missing")
        if done.truncated:
            raise UsageError(f"git {words[0]} said more than {_LIMIT} bytes", reason="git-too-much")
        return done

    def _line(self, *words: str) -> str | None:
        done = self.git(*words)
        return done.stdout.decode("utf-8", "replace").strip() if done.ok else None

    def resolve(self, revision: str) -> str | None:
        """Return the whole id of the commit that a revision names."""
        found = self._line("rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
        return found if found and _OBJECT.fullmatch(found) else None

    def tree(self, commit: str) -> str | None:
        """Return the id of the commit's tree."""
        if commit not in self._trees:
            self._read(commit)
        return self._trees[commit]

    def committed(self, commit: str) -> datetime | None:
        """Return the committer's time in UTC."""
        if commit not in self._times:
            self._read(commit)
        return self._times[commit]

    def _read(self, commit: str) -> None:
        self._trees[commit], self._times[commit] = None, None
        if not _OBJECT.fullmatch(commit):
            return
        text = self._line("show", "-s", "--format=%H %T %ct", "--end-of-options", commit)
        parts = text.split() if text else []
        # a tag's id or a tree's would answer something else than what was asked
        if len(parts) >= 2 and parts[0] == commit:
            self._trees[commit] = parts[1]
            self._times[commit] = moment(parts[2]) if len(parts) == 3 else None

    def file(self, commit: str, path: str) -> bytes | None:
        """Return the bytes of a regular file of the commit; None for anything else at that path.

        Raises UsageError where the repository lacks what the commit holds.
        """
        if (commit, path) not in self._files:
            found = self._entries(commit, path).get(path)
            done = self.git("cat-file", "blob", found.oid) if found and found.mode.startswith("100") else None
            if done is not None and not done.ok:
                raise _absent(commit, path)
            self._files[commit, path] = done.stdout if done is not None else None
        return self._files[commit, path]

    def listing(self, commit: str) -> Mapping[str, Entry] | None:
        """Return every tracked path of the commit."""
        if commit not in self._listings:
            self._listings[commit] = None if self.tree(commit) is None else self._entries(commit)
        return self._listings[commit]

    def contents(
        self, commit: str, folder: str, most: int, wanted: Callable[[str], bool] = lambda _: True
    ) -> Mapping[str, bytes]:
        """Return the bytes of the wanted regular files below a folder of the commit.

        Raises UsageError beyond `most` files.
        """
        entries = self._entries(commit, folder)
        paths = sorted(path for path, entry in entries.items() if entry.mode.startswith("100") and wanted(path))
        if len(paths) > most:
            raise UsageError(f"{folder} holds more than {most} files at {commit[:12]}", reason="git-too-much")
        if not paths:
            return {}
        asked = "".join(f"{entries[path].oid}\n" for path in paths).encode()
        done = self.git("cat-file", "--batch", stdin=asked)
        told = io.BytesIO(done.stdout)
        found: dict[str, bytes] = {}
        for path in paths:
            words = told.readline().split()
            if not done.ok or len(words) != 3 or words[1] != b"blob":
                raise _absent(commit, path)
            found[path] = told.read(int(words[2]))
            told.read(1)  # the line's end behind each
        return found

    def _entries(self, commit: str, path: str | None = None) -> dict[str, Entry]:
        if not _OBJECT.fullmatch(commit):
            return {}
        words = ["ls-tree", "-r", "-z", "--full-tree", commit]
        done = self.git(*words, *(["--", path] if path else []))
        if not done.ok and path is None:  # nothing is no answer for a commit that is here
            raise UsageError(
                f"git ls-tree does not list the files of {commit[:12]}", hint="git fsck", reason="git-failed"
            )
        found: dict[str, Entry] = {}
        for line in done.stdout.split(b"\0") if done.ok else ():
            head, _, name = line.partition(b"\t")
            parts = head.decode("ascii", "replace").split()
            if len(parts) == 3:
                found[name.decode("utf-8", "surrogateescape")] = Entry(mode=parts[0], oid=parts[2])
        return found

    def holding(self, commit: str, text: str) -> frozenset[str]:
        """Return the paths of the commit's files that hold a text."""
        if not _OBJECT.fullmatch(commit):
            return frozenset()
        done = self.git("grep", "-z", "-l", "-I", "--full-name", "--fixed-strings", "-e", text, commit)
        head = f"{commit}:".encode()
        found = (item.removeprefix(head) for item in done.stdout.split(b"\0") if item.startswith(head))
        return frozenset(item.decode("utf-8", "surrogateescape") for item in found)

    def changes(self) -> tuple[str, ...]:
        """Return the paths that differ from HEAD in the working tree, untracked ones included."""
        done = self.git(
            "status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules=none", "--no-renames"
        )
        if not done.ok:
            return ("(git status failed)",)
        return tuple(item[3:].decode("utf-8", "replace") for item in done.stdout.split(b"\0") if len(item) > 3)

    def would_track(self, path: Path) -> bool:
        """Whether `git add` would take an existing file: it lies in the working tree, and nothing ignores it."""
        place = path.resolve()
        inside = place.is_relative_to(self.root.resolve())
        return inside and bool(self._line("ls-files", "--others", "--exclude-standard", "--", str(place)))

    def remote(self) -> str | None:
        """Return the URL of the remote named origin."""
        return self._line("config", "--get", "remote.origin.url") or None


def _absent(commit: str, path: str) -> UsageError:
    return UsageError(
        f"git cat-file does not give {path} of {commit[:12]}",
        hint="what a partial clone lacks is not fetched from here: git fetch --refetch --no-filter; else git fsck",
        reason="git-failed",
    )


def moment(seconds: str) -> datetime | None:
    """Return the time of a commit; None for one that no calendar has: whoever makes a commit writes what he likes."""
    try:
        return datetime.fromtimestamp(int(seconds), timezone.utc)
    except (ValueError, OverflowError, OSError):
        return None


def repository(root: Path) -> GitRepository:
    """Return the repository around `root`, or say that there is none."""
    found = GitRepository(root)
    top = found.git("rev-parse", "--show-toplevel") if root.is_dir() else None
    if top is None or not top.ok:
        raise UsageError(
            f"{root} is not inside a git repository",
            hint="run it in a checkout, or name one: --project DIR",
            reason="not-a-checkout",
        )
    return GitRepository(Path(top.stdout.decode("utf-8", "surrogateescape").rstrip("\n")))
