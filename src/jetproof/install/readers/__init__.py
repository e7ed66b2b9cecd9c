"""The file formats that say what a project wants installed; one file each, and all of them listed here."""

from __future__ import annotations

from pathlib import Path

from jetproof.errors import UsageError
from jetproof.install.locked import Project
from jetproof.install.readers import (
    environment,
    pdm_lock,
    pipfile_lock,
    pixi_lock,
    poetry_lock,
    pylock,
    pyproject,
    requirements,
    setup_cfg,
    setup_py,
    unread,
    uv_lock,
    wheel,
)
from jetproof.install.readers.document import MAX_NUMBER, inside, project_root
from jetproof.install.readers.reader import Reader

READERS: tuple[Reader, ...] = (
    uv_lock.READER,
    pylock.READER,
    poetry_lock.READER,
    pdm_lock.READER,
    pipfile_lock.READER,
    pixi_lock.READER,
    wheel.READER,
    environment.READER,
    pyproject.READER,
    requirements.READER,
    setup_cfg.READER,
    setup_py.READER,
)
"""In the order in which they are preferred when a folder holds several: locks first, then what must be computed."""

_IN_FOLDER = (
    "uv.lock",
    "pylock.toml",
    "poetry.lock",
    "pdm.lock",
    "Pipfile.lock",
    "pixi.lock",
    "pyproject.toml",
    "requirements.txt",
    "setup.cfg",
    "setup.py",
    *unread.NAMES,
)


def reader_for(path: Path) -> Reader | None:
    """Return the reader that takes a path, or None."""
    return next((reader for reader in READERS if reader.recognises(path)), None)


def choices(folder: Path) -> tuple[Path, ...]:
    """Return the files of a folder that say what it wants installed, the best first."""
    named = [folder / name for name in _IN_FOLDER if (folder / name).is_file()]
    others = sorted(one for one in folder.glob("pylock.*.toml") if one.is_file())
    return (*named, *others)


def read(path: Path) -> Project:
    """Read a file, a wheel, an environment or a folder (then the best file in it). UsageError when none is known."""
    chosen = path
    notes: tuple[str, ...] = ()
    if path.is_dir() and reader_for(path) is None:
        found = choices(path)
        if not found:
            raise UsageError(
                f"{path}: no lock, pyproject.toml, requirements.txt, setup.cfg or setup.py in it",
                hint="name the file that lists what is installed",
                reason="nothing-to-read",
            )
        chosen = _with_metadata(found)
        others = ", ".join(one.name for one in found if one != chosen)
        notes = (f"{chosen.name} was read; also there: {others}",) if others else ()
    reader = reader_for(chosen)
    if reader is None:
        if not chosen.exists():
            raise UsageError(f"{chosen} does not exist", hint="name a lock, a requirements file or a folder")
        reader = unread.READER
    root = project_root(chosen)
    if chosen.is_symlink() and chosen.exists() and not inside(root, chosen):
        raise UsageError(
            f"{chosen} is a link that leads out of the project",
            hint=f"name the file itself: {chosen.resolve()}",
            reason="link-outside",
        )
    project = reader.read(chosen, root)
    _check_lengths(project)
    if notes:
        from dataclasses import replace

        return replace(project, notes=(*notes, *project.notes))
    return project


def _check_lengths(project: Project) -> None:
    """Refuse numbers and bounds that no tool writes: parsing them costs more than they are worth."""
    longest, where = project.requires_python or "", project.requires_python_where
    for one in (*project.packages, *project.constraints, *project.overrides):
        for text in (one.release, one.specifier, one.requires_python):
            if text is not None and len(text) > len(longest):
                longest, where = text, one.where
    if len(longest) > MAX_NUMBER:
        raise UsageError(f"{where}: {longest[:40]}… is no release and no bound", reason="too-large")


def _with_metadata(found: tuple[Path, ...]) -> Path:
    """The best file; a pyproject.toml that only configures tools gives way to a requirements.txt beside it."""
    best = found[0]
    if best.name != "pyproject.toml" or len(found) == 1:
        return best
    with best.open("rb") as stream:
        text = stream.read(1 << 20).decode("utf-8", errors="replace")
    if "[project]" in text or "[tool.poetry" in text:
        return best
    return next((one for one in found[1:] if one.name == "requirements.txt"), best)


__all__ = ["READERS", "Reader", "choices", "read", "reader_for"]
