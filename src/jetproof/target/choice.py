"""Which Python is meant, and by which rule: --python, VIRTUAL_ENV, CONDA_PREFIX, ./.venv, else python3 on PATH."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from jetproof.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class Choice:
    """An interpreter and the rule that chose it. `path` is None when there is no Python at all."""

    path: str | None
    asked: str


def choose(python: str | None, *, environment: Mapping[str, str], folder: Path) -> Choice:
    """Return the interpreter that is meant. Raises UsageError when the one that is named does not exist.

    Links are not resolved: a virtual environment's interpreter is a link, and means that environment.
    """
    if python is not None:
        return Choice(path=_named(python, environment, folder), asked="--python")
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        prefix = environment.get(variable)
        if prefix:
            return Choice(path=_below(Path(prefix), f"${variable}"), asked=variable)
    if (folder / ".venv").is_dir():
        return Choice(path=_below(folder / ".venv", "./.venv"), asked=".venv")
    found = shutil.which("python3", path=environment.get("PATH", os.defpath))
    return Choice(path=found and _absolute(found), asked="PATH")


def _named(python: str, environment: Mapping[str, str], folder: Path) -> str:
    if "/" not in python:
        found = shutil.which(python, path=environment.get("PATH", os.defpath))
        if found is None and not (folder / python).exists():
            raise UsageError(
                f"--python {python}: no such program on PATH",
                hint="name the interpreter's full path",
                reason="no-python",
            )
        if found is not None:
            return _absolute(found)
    path = folder / Path(python).expanduser()
    if path.is_dir():
        return _below(path, f"--python {python}")
    if not path.exists():
        raise UsageError(
            f"--python {python}: there is no such file",
            hint="name an interpreter or its environment",
            reason="no-python",
        )
    if not path.is_file() or not os.access(path, os.X_OK):
        raise UsageError(
            f"--python {python}: this is not a program that may be run",
            hint="name an interpreter, like .venv/bin/python",
            reason="no-python",
        )
    return _absolute(path)


def _below(prefix: Path, rule: str) -> str:
    for name in ("python", "python3"):
        path = prefix / "bin" / name
        if path.is_file() and os.access(path, os.X_OK):
            return _absolute(path)
    raise UsageError(
        f"{rule} is {prefix}, and there is no Python in it that runs (looked for bin/python and bin/python3)",
        hint="create the environment again, leave it (deactivate), or name another with --python",
        reason="no-python",
    )


def _absolute(path: str | Path) -> str:
    return os.path.abspath(path)  # noqa: PTH100 - resolve() would follow the link that makes an environment
