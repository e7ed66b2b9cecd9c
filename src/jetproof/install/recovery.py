"""What an installation that was killed has left: finished where only the last step was missing, else undone."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from jetproof.install import inplace, venv
from jetproof.install.journal import Entry, Phase, State


def recover(state: State) -> str | None:
    """Bring the last interrupted installation to an end, and say what was done; None when there was none.

    Called with the lock held. May itself be killed and called again.
    """
    entry = state.read()
    told = None if entry is None else _end(entry, state)
    state.clear()
    _sweep(state)
    return told


def _end(entry: Entry, state: State) -> str:
    environment = Path(entry.environment)
    match entry.phase:
        case Phase.BUILDING:
            venv.drop(environment, state)
            return f"an earlier installation ({entry.id}) was interrupted while it was built: undone"
        case Phase.PROVED:
            link = Path(entry.link or "")
            if entry.link is None or not environment.is_dir() or (link.exists() and not link.is_symlink()):
                venv.drop(environment, state)
                return f"an earlier installation ({entry.id}) was interrupted and could not be finished: undone"
            _finish(entry, state)
            return f"an earlier installation ({entry.id}) was interrupted after it had passed: finished"
        case Phase.CHANGING:
            inplace.undo(environment, entry.before, Path(entry.backup or state.folder / "backup"))
            return f"an earlier installation ({entry.id}) was interrupted while it changed {environment}: undone"


def hand_over(entry: Entry, state: State) -> None:
    """Let the link point to an environment that passed, and drop the one that it pointed to before."""
    link = Path(entry.link or "")
    before = venv.pointed(link)
    entry = replace(entry, phase=Phase.PROVED, replaces=None if before is None else str(before))
    state.write(entry)
    try:
        _finish(entry, state)
    except OSError:
        if venv.pointed(link) != Path(entry.environment):
            venv.drop(Path(entry.environment), state)
            state.clear()
        raise
    state.clear()


def _finish(entry: Entry, state: State) -> None:
    environment = Path(entry.environment)
    venv.swap(Path(entry.link or ""), environment)
    if entry.replaces is not None and Path(entry.replaces) != environment:
        venv.drop(Path(entry.replaces), state)


def _sweep(state: State) -> None:
    """Delete what nothing needs any more: scratch folders and half-written files."""
    for name in ("stage", "backup", "scratch"):
        shutil.rmtree(state.folder / name, ignore_errors=True)
    for path in state.folder.glob(".journal.json.*"):
        path.unlink(missing_ok=True)
