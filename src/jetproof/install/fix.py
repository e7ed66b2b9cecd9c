"""Write into a project what holds the vendor's torch on a board, keeping every other byte of the file."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.markers import InvalidMarker, Marker
from packaging.requirements import InvalidRequirement, Requirement

from jetproof.errors import Refused, UsageError
from jetproof.install.case import Held
from jetproof.install.holding import ALWAYS, COMMENT, FAMILY, NOT_ON_BOARD, block, entries, overrides, with_torch
from jetproof.install.locked import LockedPackage, normal
from jetproof.install.readers import pyproject
from jetproof.install.readers.document import content, project_root, toml
from jetproof.install.stack_environment import StackBoard
from jetproof.tables import Tables
from jetproof.target.write import write_atomically
from jetproof_worker.redact import without_secrets

_LONG = 100
OVERRIDES_FILE = "jetson-overrides.txt"


@dataclass(frozen=True, kw_only=True)
class Change:
    """One file before and after."""

    path: Path
    before: str
    after: str
    written: bool
    use: str
    """How the file takes effect."""

    @property
    def changes(self) -> bool:
        """Whether there is anything to write."""
        return self.before != self.after

    @property
    def diff(self) -> str:
        """The change as a unified diff, without the credentials that stand in the lines around it."""
        name = self.path.name
        before, after = (without_secrets(text).splitlines(keepends=True) for text in (self.before, self.after))
        return "".join(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"))


def fix(path: Path, held: Sequence[Held], board: StackBoard, tables: Tables, *, write: bool) -> Change:
    """Hold the vendor's torch in a project; with `write` off, only say what would be written.

    UsageError: nothing there to hold it in, or the file is a link. Refused: the edit would change more than it should.
    """
    folder = path if path.is_dir() else path.parent
    kept = with_torch(held, board, tables)
    target = path if path.name == "pyproject.toml" else folder / "pyproject.toml"
    if target.is_file() and (path.is_dir() or path.name in ("pyproject.toml", "uv.lock")):
        before = content(target)
        after = edited(before, target, kept)
        use = "uv lock && uv sync --inexact; on a Jetson torch is then left out"
    elif path.is_file():
        target = folder / OVERRIDES_FILE
        before = content(target) if target.is_file() else ""
        after = overrides(kept, board)
        use = f"uv pip install --overrides {OVERRIDES_FILE} -r {path.name}"
    else:
        raise UsageError(
            f"{path}: no pyproject.toml to write to", hint="use --emit and keep the file where you need it"
        )
    if write and before != after:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
        write_atomically(target, _as_it_was(target, after), mode=mode, follow=False)
    return Change(path=target, before=before, after=after, written=write and before != after, use=use)


def table(path: Path, held: Sequence[Held], board: StackBoard, tables: Tables) -> str:
    """Return the table that `fix` would write for a project, the overrides that it has already among them.

    Where no pyproject.toml with a [project] table is there, the project's own bounds are not known.
    """
    kept = with_torch(held, board, tables)
    target = path if path.name == "pyproject.toml" else (path if path.is_dir() else path.parent) / "pyproject.toml"
    if not target.is_file():
        return block(entries(kept))
    parsed = toml(target, content(target))
    if "project" not in parsed:
        return block(entries(kept))
    return block(_entries(pyproject.read(target, project_root(target)).packages, _present(parsed), kept))


def _as_it_was(path: Path, text: str) -> bytes:
    """Return the text with the mark and the line ends that the file has. Refused where they are mixed."""
    old = path.read_bytes() if path.exists() else b""
    mark = b"\xef\xbb\xbf" if old.startswith(b"\xef\xbb\xbf") else b""
    ends = old.count(b"\r\n")
    if ends and ends != old.count(b"\n"):
        raise Refused(
            f"{path} mixes two kinds of line ends, which could not be kept",
            hint="make them one kind, or add what --emit pyproject prints by hand",
        )
    return mark + (text.replace("\n", "\r\n") if ends else text).encode()


def edited(text: str, path: Path, held: Sequence[Held]) -> str:
    """Return a pyproject.toml whose uv overrides leave the vendor's packages out on a board."""
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    parsed = toml(path, text)
    if "project" not in parsed:
        raise UsageError(
            f"{path}: no [project] table, so that uv does not read it",
            hint="Poetry and PDM have no override with a marker; install with: jetproof install .",
            reason="not-for-uv",
        )
    wanted = _entries(pyproject.read(path, project_root(path)).packages, _present(parsed), held)
    try:
        document = tomlkit.parse(text)
        _put(document, wanted)
        after = tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError, AttributeError) as error:
        raise Refused(
            f"{path}: it cannot be edited without disturbing it: {error}", hint="use --emit pyproject"
        ) from None
    _check(parsed, toml(path, after), wanted, path)
    return after


def _present(parsed: Mapping[str, Any]) -> tuple[str, ...]:
    found = parsed.get("tool", {}).get("uv", {}).get("override-dependencies", [])
    return tuple(entry for entry in found if isinstance(entry, str))


def _entries(packages: Sequence[LockedPackage], present: Sequence[str], held: Sequence[Held]) -> list[str]:
    """The overrides as they should be: what is there stays, and is kept off the board where it is the vendor's.

    Others than the asked ones are not added: an override takes away the markers of whoever else asks, and then
    triton would be wanted on macOS.
    """
    asked = {one.name for one in packages}
    names = dict.fromkeys((*ALWAYS, *(name for name in FAMILY if name in asked), *(one.name for one in held)))
    entries = [_off_board(entry) if _name(entry) in (*names, *FAMILY) else entry for entry in present]
    done = {_name(entry) for entry in present}
    for name in names:
        if name not in done:
            entries += _asked(name, packages)
    return entries


def _name(entry: str) -> str:
    match = re.match(r"\s*([A-Za-z0-9._-]+)", entry)
    return normal(match[1]) if match else ""


def _asked(name: str, packages: Sequence[LockedPackage]) -> list[str]:
    """What the project itself asks of it, off the board: an override replaces that too, so it has to repeat it."""
    own = [one for one in packages if one.name == name]
    own = [one for one in own if not one.only_in] or own
    entries = dict.fromkeys(
        name
        + (f"[{','.join(one.extras)}]" if one.extras else "")
        + (one.specifier or "")
        + f" ; {f'({one.marker}) and ' if one.marker else ''}{NOT_ON_BOARD}"
        for one in own
    )
    # several without markers would contradict each other: the bare name leaves it to them
    if len(entries) > 1 and not all(one.marker for one in own):
        return [f"{name} ; {NOT_ON_BOARD}"]
    return list(entries) or [f"{name} ; {NOT_ON_BOARD}"]


def _off_board(entry: str) -> str:
    """An override that is there already, with its marker narrowed to other machines."""
    try:
        requirement = Requirement(entry)
        if requirement.marker is None:
            return f"{entry.strip()} ; {NOT_ON_BOARD}"
        marker = str(requirement.marker)
        if "platform_release" in marker or Marker(marker) == Marker("sys_platform == 'never'"):
            return entry
    except (InvalidRequirement, InvalidMarker):
        return entry
    head = entry.partition(";")[0].strip()
    return f"{head} ; ({entry.partition(';')[2].strip()}) and {NOT_ON_BOARD}"


def _put(document: Any, wanted: Sequence[str]) -> None:
    import tomlkit

    if "tool" not in document:
        document["tool"] = tomlkit.table(is_super_table=True)
    tool = document["tool"]
    if "uv" not in tool:
        tool["uv"] = tomlkit.table()
    uv = tool["uv"]
    array = uv.get("override-dependencies")
    if array is None:
        array = tomlkit.array()
        array.add_line(comment=COMMENT)
        for entry in wanted:
            array.add_line(entry)
        array.add_line(indent="")
        uv["override-dependencies"] = array
        return
    for place, entry in enumerate(wanted):
        if place < len(array):
            if array[place] != entry:
                array[place] = entry
        elif "\n" in array.as_string():
            array.add_line(entry)
        else:
            array.append(entry)
    if "\n" not in array.as_string() and len(array.as_string()) > _LONG:
        array.multiline(True)


def _check(before: Mapping[str, Any], after: Mapping[str, Any], wanted: Sequence[str], path: Path) -> None:
    """Make sure that the edit did what it should and nothing else."""
    expected = _without(before)
    if _without(after) != expected or list(_present(after)) != list(wanted):
        raise Refused(
            f"{path}: the edit would change more than the overrides",
            hint="write it by hand: jetproof audit --emit pyproject",
            reason="edit-refused",
        )


def _without(parsed: Mapping[str, Any]) -> Mapping[str, Any]:
    tool = dict(parsed.get("tool", {}))
    uv = {key: value for key, value in tool.pop("uv", {}).items() if key != "override-dependencies"}
    rest = {key: value for key, value in parsed.items() if key != "tool"}
    return {**rest, **({"tool": {**tool, **({"uv": uv} if uv else {})}} if tool or uv else {})}
