"""Changing an environment where it is, with a way back: what may be replaced is copied first, and all else is listed.

Needed where the vendor's torch lies inside a virtual or conda environment, which no second environment would see.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from jetproof.errors import Refused
from jetproof.install.interpreter import Installed, below
from jetproof.install.protected import files

Listing = Mapping[str, list[int]]


def listing(environment: Path) -> dict[str, list[int]]:
    """Return every file below an environment, relative to it, as [inode, size, mtime_ns]; bytecode is left out."""
    found: dict[str, list[int]] = {}
    for path in _below(environment):
        try:
            status = os.lstat(path)
        except OSError:
            continue
        found[os.path.relpath(path, environment)] = [status.st_ino, status.st_size, status.st_mtime_ns]
    return found


def staged(stage: Path) -> tuple[Path, ...]:
    """Return the paths, relative to the site directory, of what was installed on trial."""
    return tuple(path.relative_to(stage) for path in _below(stage) if path.name != ".lock")


def collisions(stage: Path, sites: Iterable[Path], protected: Iterable[str]) -> tuple[str, ...]:
    """Return the vendor's files that installing what was staged would overwrite."""
    known = set(protected)
    return tuple(str(site / relative) for relative in staged(stage) for site in sites if str(site / relative) in known)


def claimed(dist: Installed, environment: Path, protected: Iterable[str]) -> tuple[str, ...]:
    """Return what is not a distribution's own though it says so: the vendor's files, and files outside of all.

    Replacing the distribution would delete them.
    """
    known = set(protected)
    return tuple(str(path) for path, _ in files(dist) if str(path) in known or not below(path.parent, environment))


def copy_aside(
    environment: Path, replaced: Sequence[Installed], stage: Path, sites: Iterable[Path], backup: Path
) -> None:
    """Copy every file that the installation may remove or overwrite."""
    candidates = {path for dist in replaced for path, _ in files(dist)}
    for relative in staged(stage):
        candidates.update(site / relative for site in sites)
        candidates.add(environment / relative)  # scripts and data files lie below the environment itself
    for path in sorted(candidates):
        if not os.path.lexists(path) or (path.is_dir() and not path.is_symlink()):
            continue
        relative_path = os.path.relpath(path, environment)
        if relative_path.startswith(".."):
            continue
        copy = backup / relative_path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy, follow_symlinks=False)


def undo(environment: Path, before: Listing, backup: Path) -> None:
    """Bring an environment back to its listing. May be repeated after it was itself interrupted.

    Raises Refused when something is gone of which no copy was kept; everything else is undone nevertheless.
    """
    new_folders: set[Path] = set()
    known_folders = _folders(before)
    for path in list(_below(environment)):
        relative = os.path.relpath(path, environment)
        if relative not in before:
            path.unlink(missing_ok=True)
            if str(Path(relative).parent) not in known_folders:
                new_folders.add(path.parent)
    for folder in sorted(new_folders, key=lambda one: len(one.parts), reverse=True):
        _drop_new(folder, environment, known_folders)
    lost: list[str] = []
    for relative, (inode, size, mtime) in before.items():
        path = environment / relative
        try:
            now = os.lstat(path)
        except OSError:
            now = None
        if now is not None and [now.st_ino, now.st_size, now.st_mtime_ns] == [inode, size, mtime]:
            continue
        copy = backup / relative
        if os.path.lexists(copy):
            _restore(copy, path)
        elif now is None or [now.st_size, now.st_mtime_ns] != [size, mtime]:
            lost.append(relative)
    if lost:
        raise Refused(
            f"{len(lost)} files of {environment} are gone or changed and no copy of them was kept, like {lost[0]}",
            hint="Something else changed the environment at the same time. Make it anew.",
            reason="undo-incomplete",
        )


def _restore(copy: Path, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # a folder of our own: nobody else can plant a link there that the copy is written through
    with TemporaryDirectory(prefix=".jetproof-", dir=path.parent) as own:
        draft = Path(own, path.name)
        shutil.copy2(copy, draft, follow_symlinks=False)
        draft.replace(path)


def _drop_new(folder: Path, environment: Path, known: set[str]) -> None:
    """Delete a folder that was not there before, and its parents that were not, once nothing but bytecode is left."""
    while folder != environment and os.path.relpath(folder, environment) not in known:
        if any(True for _ in _below(folder)):
            return
        shutil.rmtree(folder, ignore_errors=True)
        folder = folder.parent


def _folders(before: Listing) -> set[str]:
    found = {"."}
    for relative in before:
        folder = Path(relative).parent
        while str(folder) not in found:
            found.add(str(folder))
            folder = folder.parent
    return found


def _below(top: Path) -> Iterator[Path]:
    for folder, subfolders, names in os.walk(top):
        # a link to a folder counts as a file: it is not followed
        links = [name for name in subfolders if (Path(folder) / name).is_symlink()]
        subfolders[:] = [name for name in subfolders if name != "__pycache__" and name not in links]
        for name in (*names, *links):
            if not name.endswith(".pyc"):
                yield Path(folder) / name
