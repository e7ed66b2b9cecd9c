"""What a person names on the command line, turned into what is wanted: a project, a lock, requirements or a wheel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from jetproof.errors import UsageError
from jetproof.install import readers
from jetproof.install.locked import Kind, Project
from jetproof.install.readers.document import content, toml
from jetproof.install.resolve import Wanted


def wanted(path: Path, *, extras: Sequence[str] = (), groups: Sequence[str] = (), with_project: bool = True) -> Wanted:
    """Read what is named. UsageError when it is nothing that can be installed, or names unknown extras or groups."""
    project = readers.read(path)
    if project.kind is Kind.ENVIRONMENT:
        raise UsageError(
            f"{path} is an environment and says nothing about what is wanted",
            hint="Name a project's folder, a lock, a requirements file or a wheel.",
            reason="not-a-project",
        )
    _known("extra", extras, project.extras)
    _known("group", groups, project.groups)
    file = Path(project.path)
    if not file.exists():
        file = (path if path.is_dir() else path.parent) / file.name
    return Wanted(
        path=file.absolute(),
        project=project,
        locked=project.locked and _complete(project),
        editable=path.absolute() if with_project and path.is_dir() and is_installable(path) else None,
        extras=tuple(extras),
        groups=tuple(groups),
    )


def root_of(path: Path) -> Path:
    """Return the folder in which the environment and jetproof's own files will lie."""
    return (path if path.is_dir() else path.parent).absolute()


def is_installable(folder: Path) -> bool:
    """Say whether a folder is itself a package: it names a build backend, or has a setup.py."""
    if (folder / "setup.py").is_file():
        return True
    file = folder / "pyproject.toml"
    if not file.is_file():
        return False
    body = toml(file, content(file))
    tool = body.get("tool")
    settings = tool.get("uv") if isinstance(tool, dict) else None
    if isinstance(settings, dict) and isinstance(settings.get("package"), bool):
        return bool(settings["package"]) and "project" in body
    return "build-system" in body and ("project" in body or (isinstance(tool, dict) and "poetry" in tool))


def _complete(project: Project) -> bool:
    """Pinned requirements are a lock only when each has a hash; else uv completes them first."""
    if project.kind is not Kind.REQUIREMENTS:
        return True
    return all(package.hashes or any(file.sha256 for file in package.files) for package in project.packages)


def _known(what: str, names: Sequence[str], known: Sequence[str]) -> None:
    for name in names:
        if name not in known:
            raise UsageError(
                f"the project has no {what} {name}",
                hint=f"It has: {', '.join(known)}" if known else f"It has no {what}s at all.",
                reason=f"unknown-{what}",
            )
