"""What a project asks for itself, for locks that leave it to the pyproject.toml beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jetproof.install.locked import DEFAULT, Edge, LockedPackage, Unknown

WITHOUT_METADATA = "no pyproject.toml beside the lock: what nobody else asks for is taken as asked"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The requirements of a project's own metadata, by `DEFAULT`, `extra_key` or `group_key`."""

    roots: Mapping[str, tuple[Edge, ...]]
    name: str | None
    extras: tuple[str, ...]
    groups: tuple[str, ...]
    default_groups: tuple[str, ...]
    unknowns: tuple[Unknown, ...]


def asked_beside(lock: Path, root: Path) -> Asked | None:
    """Return what the pyproject.toml beside a lock asks for; None when there is none that names requirements."""
    from jetproof.install.readers import pyproject

    path = lock.parent / "pyproject.toml"
    if not path.is_file():
        return None
    project = pyproject.read(path, root)
    if not project.packages and project.unknowns:
        return None
    roots: dict[str, list[Edge]] = {DEFAULT: []}
    for package in project.packages:
        edge = Edge(
            name=package.name,
            specifier=package.specifier,
            marker=package.marker,
            extras=package.extras,
        )
        for key in package.only_in or (DEFAULT,):
            roots.setdefault(key, []).append(edge)
    return Asked(
        roots={key: tuple(edges) for key, edges in roots.items()},
        name=project.name,
        extras=project.extras,
        groups=project.groups,
        default_groups=project.default_groups,
        unknowns=project.unknowns,
    )


def unasked(packages: Sequence[LockedPackage]) -> tuple[Edge, ...]:
    """Return the packages that no other asks for; in a circle that nobody asks for, each of its members."""
    wanted = {edge.name for package in packages for edge in package.requires if edge.name != package.name}
    top = [package for package in packages if package.name not in wanted]
    reached: set[str] = set()
    by_name = {package.name: package for package in packages}
    stack = [package.name for package in top]
    while stack:
        name = stack.pop()
        if name in reached or name not in by_name:
            continue
        reached.add(name)
        stack += [edge.name for edge in by_name[name].requires]
    rest = [package for package in packages if package.name not in reached]
    return tuple(Edge(name=package.name, extras=package.extras) for package in (*top, *rest))
