"""Where to install to: which targets are refused, and how a finished environment takes the place of the old one.

A virtual environment cannot be moved: its scripts hold its path. So each is built where it stays, under
`.jetproof/venvs/ID`, and a symbolic link is swapped to it in one step.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from jetproof.errors import UsageError
from jetproof.install.interpreter import Interpreter
from jetproof.install.journal import State

DEFAULT_NAME = ".venv-jetson"


@dataclass(frozen=True, kw_only=True)
class Target:
    """The place that a person will use."""

    path: Path
    in_place: bool
    """Whether it is an existing environment that holds the vendor's torch itself, to be changed where it is."""
    board: str | None = None
    """The board that it lies on, when that is elsewhere."""


def target(asked: Path | None, interpreter: Interpreter, project: Path, state: State) -> Target:
    """Return where to install to. UsageError for a place that must not become an environment; nothing is changed."""
    if asked is None:
        if interpreter.vendor_inside:
            return Target(path=interpreter.prefix, in_place=True)
        asked = project / DEFAULT_NAME
    path = lexical(asked.expanduser())
    _refuse_precious(path, project, state)
    if path.is_symlink():
        now = pointed(path)
        if now is None or now.parent != lexical(state.venvs):
            raise _refused(path, f"is a link to {now}, which was not made here", "target-is-link")
        return Target(path=path, in_place=False)
    if not path.exists():
        if not path.parent.is_dir():
            raise _refused(path, "lies in a folder that does not exist", "target-no-parent")
        return Target(path=path, in_place=False)
    if not path.is_dir():
        raise _refused(path, "is a file", "target-is-file")
    if os.path.realpath(path) == os.path.realpath(interpreter.prefix):
        if interpreter.vendor_inside or interpreter.is_conda:
            # by the name that its own interpreter uses: the paths of its packages begin with that
            return Target(path=interpreter.prefix, in_place=True)
        raise _refused(path, "is the environment that --python names, and its torch lies elsewhere", "target-is-venv")
    if (path / "pyvenv.cfg").is_file():
        raise _refused(path, "is an environment that was not made here", "target-is-venv")
    if (path / "conda-meta").is_dir():
        raise _refused(path, "is a conda environment whose torch is not the one in question", "target-is-conda")
    raise _refused(path, "is a folder and no environment", "target-is-folder")


def _refuse_precious(path: Path, project: Path, state: State) -> None:
    real = Path(os.path.realpath(path))
    home = Path(os.path.realpath(Path.home()))
    root = Path(os.path.realpath(project))
    if real in (home, *home.parents):
        raise _refused(path, "is your home folder, or holds it", "target-precious")
    if real in (root, *root.parents):
        raise _refused(path, "is the project's folder, or holds it", "target-precious")
    if (path.parent == Path("/") and path.exists()) or str(path).startswith(("/proc/", "/sys/", "/dev/")):
        raise _refused(path, "is a folder of the system", "target-precious")
    kept = lexical(state.root)
    if path == kept or kept in path.parents:
        raise _refused(path, "lies where jetproof keeps its own files", "target-precious")


def _refused(path: Path, why: str, reason: str) -> UsageError:
    return UsageError(
        f"{path} {why}; nothing was changed",
        hint=f"Give a path that does not exist yet: --venv {DEFAULT_NAME}",
        reason=reason,
    )


def lexical(path: Path) -> Path:
    """Return an absolute path without dots and with its links as they are: the last part may be a link to swap."""
    return Path(os.path.normpath(path.absolute()))


def pointed(link: Path) -> Path | None:
    """Return what a link points to; None when there is no link."""
    return lexical(link.parent / link.readlink()) if link.is_symlink() else None


def swap(link: Path, environment: Path) -> None:
    """Point the link to the environment in one step."""
    # always the same name: one that a killed process left behind is taken over
    temporary = link.with_name(f".{link.name}.new")
    temporary.unlink(missing_ok=True)
    temporary.symlink_to(os.path.relpath(environment, os.path.realpath(link.parent)))
    try:
        temporary.replace(link)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def drop(environment: Path, state: State) -> None:
    """Delete an environment that was built here. Anything else is left alone."""
    if environment.parent == state.venvs and not environment.is_symlink():
        shutil.rmtree(environment, ignore_errors=True)


def python_of(environment: Path) -> Path:
    """Return the interpreter's path inside an environment."""
    return environment / "bin" / "python"
