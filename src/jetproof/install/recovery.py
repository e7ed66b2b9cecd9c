"""What an installation that was killed has left: finished where only the last step was missing, else undone."""

from __future__ import annotations

import shutil
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
            old = venv.swap(link, environment)
            if old is not None and old != environment:
                venv.drop(old, state)
            return f"an earlier installation ({entry.id}) was interrupted after it had passed: finished"
        case Phase.CHANGING:
            inplace.undo(environment, entry.before, Path(entry.backup or state.folder / "backup"))
            return f"an earlier installation ({entry.id}) was interrupted while it changed {environment}: undone"


def _sweep(state: State) -> None:
    """Delete what nothing needs any more: scratch folders, half-written files, environments that no link uses."""
    for name in ("stage", "backup", "scratch"):
        shutil.rmtree(state.folder / name, ignore_errors=True)
    for path in state.folder.glob(".*.new"):
        path.unlink(missing_ok=True)
