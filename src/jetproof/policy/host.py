"""The project under test with its policy; where a folder holds none, the small example project stands in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from jetproof.errors import UsageError
from jetproof.policy.load import Loaded, load

_EXAMPLE = Path("examples") / "weightlab"


@dataclass(frozen=True, kw_only=True)
class HostProject:
    """A policy and the folder of the project that it speaks of."""

    loaded: Loaded
    root: Path


def host_of(project: Path, policy: str | None) -> HostProject:
    """Return the project and its policy. Raises `UsageError` when the project is no folder.

    A folder without a policy gets the built-in gates with the example host: they say something of the board and
    nothing of that folder.
    """
    if not project.is_dir():
        raise UsageError(f"{project} is no folder", hint="name the top of the project with --project")
    loaded = load(project, policy)
    return HostProject(loaded=loaded, root=example() if loaded.built_in else project)


def example() -> Path:
    """Return the example host's folder. Raises `UsageError` when this copy of jetproof came without it."""
    package = Path(__file__).parent.parent
    for place in (package / "data" / "weightlab", package.parent.parent / _EXAMPLE):
        if (place / "pyproject.toml").is_file():
            return place
    raise UsageError(
        "this copy of jetproof has no example project, and the folder has no policy",
        hint="jetproof init writes a policy for the project",
        reason="policy-missing",
    )
