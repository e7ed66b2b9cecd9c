"""What has no lock, resolved by uv for a board that is not at hand, with the vendor's packages left out.

The resolver tells which packages come, and not what they ask of those left out: the answer stays conditional.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from jetproof.errors import UsageError
from jetproof.install import uv
from jetproof.install.case import Held
from jetproof.install.locked import Kind, LockedPackage, Project
from jetproof.install.readers import pylock
from jetproof.install.stack_environment import StackBoard

_INPUTS = (Kind.REQUIREMENTS, Kind.PYPROJECT, Kind.SETUP_CFG)
TIMEOUT = 300.0
"""Seconds for the resolver."""


def command(
    project: Project, board: StackBoard, excludes: Path, output: Path, *, offline: bool, index_url: str | None
) -> list[str]:
    """Return uv's arguments that resolve a project for a board."""
    words = [
        "pip", "compile", project.path, "--format", "pylock.toml", "--no-header", "--quiet",
        "--python-version", board.python_full, "--python-platform", uv_platform(board.glibc),
        "--excludes", str(excludes), "--output-file", str(output),
        # a source archive would have to be run to tell what it needs
        "--only-binary", ":all:",
    ]  # fmt: skip
    if offline:
        words.append("--offline")
    if index_url is not None:
        words += ["--index-url", index_url]
    return words


def uv_platform(glibc: tuple[int, int]) -> str:
    """Return the nearest platform that uv knows, not newer than the board's."""
    known = (17, 28, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40)
    return f"aarch64-manylinux_2_{max(one for one in known if one <= glibc[1])}"


def resolved(
    project: Project,
    board: StackBoard,
    held: Sequence[Held],
    *,
    offline: bool = False,
    index_url: str | None = None,
    timeout: float = TIMEOUT,
) -> Project:
    """Return the project with everything that uv adds to its direct requirements.

    UsageError: an input that uv does not resolve. Raises what `install.uv` raises when the resolver fails.
    """
    if project.kind not in _INPUTS:
        raise UsageError(
            f"{project.kind.value} cannot be resolved without running it",
            hint="resolve a requirements.txt or pyproject.toml",
        )
    # held siblings come from the vendor; one that is not held shall show up
    names = sorted({"torch", *(one.name for one in held)})
    with tempfile.TemporaryDirectory(prefix="jetproof-") as folder:
        excludes = Path(folder) / "excludes.txt"
        excludes.write_text("\n".join(names) + "\n", encoding="utf-8")
        output = Path(folder) / "pylock.toml"
        words = command(project, board, excludes, output, offline=offline, index_url=index_url)
        uv.Uv(program=uv.find(), timeout=timeout).run(words)
        found = pylock.read(output, Path(folder))
    direct = {package.name for package in project.packages}
    added = [_added(package, project) for package in found.packages if package.name not in direct]
    count = len(found.packages)
    return replace(
        project,
        packages=(*project.packages, *added),
        notes=(*project.notes, f"uv resolved it to {count} packages; what they ask of the held ones it does not tell"),
    )


def _added(package: LockedPackage, project: Project) -> LockedPackage:
    return replace(package, where=replace(package.where, file=f"resolved from {Path(project.path).name}", line=None))
