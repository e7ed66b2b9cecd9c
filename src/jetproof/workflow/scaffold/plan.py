"""Compare what a scaffold would write with what is there, and write it: a file that a person changed is never touched.

A written file carries a digest of itself, so that one that nobody changed can be brought up to date. What
`jetproof claims` writes between its markers does not count as a change.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import unified_diff
from enum import Enum
from pathlib import Path

from jetproof.errors import UsageError
from jetproof.target.recorded import read
from jetproof.target.write import write_atomically

_LARGEST = 4 << 20
_STAMP = re.compile(
    rb"^(?:#|<!--) written by jetproof init, sha256 (?P<digest>[0-9a-f]{64})(?: -->)?\r?\n", re.MULTILINE
)
_BLOCK = re.compile(
    rb"^<!-- jetproof:begin (?P<id>\S+) [^\n]*\n(?:.*\n)*?<!-- jetproof:end (?P=id) -->\r?\n", re.MULTILINE
)


class Kind(Enum):
    """How a file is kept up to date."""

    STAMPED = "stamped"
    """Written whole, with its digest in it; brought up to date as long as nobody changed it."""
    ONCE = "once"
    """Written if it is not there, then the project's own."""
    LINES = "lines"
    """Lines that must be in it, whatever else is."""
    EDITED = "edited"
    """The caller has put its part into what was there."""


class State(Enum):
    """What becomes of a file."""

    NEW = "new"
    UPDATED = "updated"
    SAME = "same"
    KEPT = "kept"
    """There, and changed by somebody; only --force replaces it."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """A file as the scaffold wants it."""

    path: str
    data: bytes
    kind: Kind = Kind.STAMPED
    executable: bool = False


@dataclass(frozen=True, kw_only=True)
class Step:
    """What would be done with one file."""

    path: str
    state: State
    old: bytes | None
    new: bytes
    executable: bool = False

    @property
    def writes(self) -> bool:
        """Whether anything is written."""
        return self.state in (State.NEW, State.UPDATED)


def stamped(data: bytes, path: str) -> bytes:
    """Return a file with the digest of its own in its first or second line."""
    digest = hashlib.sha256(_without_blocks(data)).hexdigest()
    text = f"written by jetproof init, sha256 {digest}"
    line = (f"<!-- {text} -->" if path.endswith(".md") else f"# {text}").encode() + b"\n"
    first, end, rest = data.partition(b"\n")
    return first + end + line + rest if first.startswith(b"#!") else line + data


def untouched(data: bytes) -> bool:
    """Whether a file is as it was written, blocks of claims aside."""
    match = _STAMP.search(data[:400])
    if match is None:
        return False
    plain = data[: match.start()] + data[match.end() :]
    return hashlib.sha256(_without_blocks(plain.replace(b"\r\n", b"\n"))).hexdigest() == match["digest"].decode()


def plan(project: Path, wanted: Iterable[Wanted], *, force: bool) -> tuple[Step, ...]:
    """Return what would be done. Raises UsageError for a path that leads out of the project."""
    return tuple(_step(project, one, force=force) for one in wanted)


def apply(project: Path, steps: Iterable[Step]) -> None:
    """Write the files, each whole or not at all; a second call finishes what was interrupted."""
    for step in steps:
        if not step.writes:
            continue
        file = inside(project, step.path)
        file.parent.mkdir(parents=True, exist_ok=True)
        inside(project, step.path)
        write_atomically(file, step.new, mode=0o755 if step.executable else 0o644, follow=False)


def diff(steps: Iterable[Step]) -> str:
    """Return the changes as a unified diff."""
    parts: list[str] = []
    for step in steps:
        if not step.writes and step.state is not State.KEPT:
            continue
        old = "/dev/null" if step.old is None else f"a/{step.path}"
        lines = unified_diff(_lines(step.old or b""), _lines(step.new), old, f"b/{step.path}")
        parts += [line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines]
    return "".join(parts)


def present(project: Path, path: str) -> bytes | None:
    """Return the bytes of a file of the project; None when it is not there. Raises UsageError for a link."""
    file = inside(project, path)
    if not os.path.lexists(file):
        return None
    if file.is_symlink():
        raise UsageError(f"{path} is a link, and links are not written through", hint="replace it by the file itself")
    return read(file, _LARGEST)


def _step(project: Path, one: Wanted, *, force: bool) -> Step:
    old = present(project, one.path)
    new = _new(one, old)
    if old is None:
        state = State.NEW
    elif old == new or one.kind is Kind.ONCE:
        state = State.SAME
    elif one.kind in (Kind.LINES, Kind.EDITED) or untouched(old) or force:
        state = State.UPDATED
    else:
        state = State.KEPT
    return Step(path=one.path, state=state, old=old, new=new, executable=one.executable)


def _new(one: Wanted, old: bytes | None) -> bytes:
    match one.kind:
        case Kind.STAMPED:
            return stamped(one.data if old is None else _with_blocks_of(one.data, old), one.path)
        case Kind.LINES:
            return _with_lines(old or b"", one.data)
        case Kind.ONCE:
            return one.data if old is None else old
        case Kind.EDITED:
            return one.data


def _without_blocks(data: bytes) -> bytes:
    return _BLOCK.sub(lambda match: b"<!-- jetproof:" + match["id"] + b" -->\n", data)


def _with_blocks_of(data: bytes, old: bytes) -> bytes:
    """Return the new text with the blocks that stand in the old one, since those are another command's."""
    known = {match["id"]: match[0] for match in _BLOCK.finditer(old.replace(b"\r\n", b"\n"))}
    return _BLOCK.sub(lambda match: known.get(match["id"], match[0]), data)


def _with_lines(old: bytes, lines: bytes) -> bytes:
    there = set(old.replace(b"\r\n", b"\n").split(b"\n"))
    missing = [line for line in lines.split(b"\n") if line and line not in there]
    if not missing:
        return old
    end = b"\r\n" if b"\r\n" in old else b"\n"
    gap = b"" if not old or old.endswith(b"\n") else end
    return old + gap + end.join(missing) + end


def inside(project: Path, path: str) -> Path:
    """Return the file's place. Raises UsageError when a folder on the way is a link that leads out of the project."""
    file = project / path
    if not file.parent.resolve().is_relative_to(project.resolve()):
        raise UsageError(
            f"{path} would lie outside the project: a folder on the way is a link", hint="replace the link by a folder"
        )
    return file


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-8", "replace")
    return [line + "\n" for line in text.split("\n")[:-1]] + ([text.split("\n")[-1]] if text.split("\n")[-1] else [])
