"""Which of a project's packages a board would get, and who asks for each."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from jetproof.install.locked import (
    DEFAULT,
    Edge,
    LockedPackage,
    Project,
    SourceKind,
    Unknown,
    Where,
    extra_key,
    group_key,
    normal,
)
from jetproof.install.markers import Markers

MAX_SPECIFIER = 2_000
"""Characters of a bound on releases; no lock has one near it."""


class Marked(Protocol):
    """Whatever packages are selected for: a board that is not at hand, or an interpreter that is."""

    @property
    def markers(self) -> Mapping[str, str]:
        """Values of the environment markers."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Selected:
    """One package that would be installed."""

    package: LockedPackage
    wanted_by: tuple[str, ...]
    """Who asks for it, from the project down; without the package itself."""
    specifier: str | None
    """What the nearest asker wrote, where that is known."""
    marker: str | None
    """The marker under which it is asked for."""


@dataclass(frozen=True, kw_only=True)
class Selection:
    """What a board would get of a project."""

    selected: tuple[Selected, ...]
    unknowns: tuple[Unknown, ...]
    """What could not be decided: markers that are none, packages that the lock does not list."""

    def named(self, name: str) -> tuple[Selected, ...]:
        """Return the selected packages of that name."""
        return tuple(one for one in self.selected if one.package.name == name)


def encoded(project: Project, extras: Iterable[str], groups: Iterable[str]) -> frozenset[str]:
    """The names by which uv's markers speak of the extras and groups of a workspace's members."""
    names: set[str] = set()
    for member in project.members:
        names.update(f"extra-{len(member)}-{member}-{extra}" for extra in extras)
        names.update(f"group-{len(member)}-{member}-{group}" for group in groups)
    return frozenset(names)


def selection(project: Project, board: Marked, *, extras: Sequence[str] = (), groups: Sequence[str] = ()) -> Selection:
    """Return what a board would get of a project, with the given extras and groups beside a plain install."""
    wanted_extras = frozenset(map(normal, extras))
    wanted_groups = frozenset(map(normal, groups))
    keys = [DEFAULT, *map(extra_key, sorted(wanted_extras)), *map(group_key, sorted(wanted_groups))]
    active = wanted_extras | encoded(project, wanted_extras, wanted_groups)
    markers = Markers(board.markers, extras=active, groups=wanted_groups)
    return _flat(project, markers, frozenset(keys)) if project.roots is None else _walk(project, markers, keys)


def _unreadable(package: LockedPackage, marker: str | None) -> Unknown:
    return Unknown(what=package.wanted, why=f"its marker cannot be read: {(marker or '')[:200]}", where=package.where)


def _flat(project: Project, markers: Markers, keys: frozenset[str]) -> Selection:
    """Every package whose marker holds and that is asked for: nobody's requirements lead to another package."""
    selected: list[Selected] = []
    unknowns: list[Unknown] = []
    top = (project.name or "the project",)
    overridden = {package.name: package for package in project.overrides}
    bounds: dict[str, list[str]] = {}
    for bound in project.constraints:
        if bound.specifier and markers.holds(bound.marker):
            bounds.setdefault(bound.name, []).append(bound.specifier)
    for package in project.packages:
        if package.only_in and keys.isdisjoint(package.only_in):
            continue
        # an override replaces what was asked, marker and all
        asked = overridden.get(package.name, package)
        holds = markers.holds(asked.marker)
        if holds is None:
            unknowns.append(_unreadable(package, asked.marker))
        if not holds:
            continue
        specifier = ",".join([*filter(None, [asked.specifier]), *bounds.get(package.name, ())]) or None
        selected.append(Selected(package=package, wanted_by=top, specifier=specifier, marker=asked.marker))
    return Selection(selected=tuple(selected), unknowns=tuple(unknowns))


def _walk(project: Project, markers: Markers, keys: Sequence[str]) -> Selection:
    """Follow the requirements from the project's own; each package once, each of its extras once."""
    roots = project.roots or {}
    by_name: dict[str, list[LockedPackage]] = {}
    for package in project.packages:
        by_name.setdefault(package.name, []).append(package)
    first: dict[int, Selected] = {}
    seen: set[tuple[int, str]] = set()
    unknowns: dict[str, Unknown] = {}
    top = (project.name or "the project",)
    queue: deque[tuple[Edge, tuple[str, ...], frozenset[str]]] = deque(
        (edge, _asker(top, key), frozenset()) for key in keys for edge in roots.get(key, ())
    )
    members = frozenset(project.members)
    while queue:
        edge, asked_by, active = queue.popleft()
        holds = markers.holds(edge.marker, active) if len(edge.specifier or "") <= MAX_SPECIFIER else None
        candidates = _candidates(edge, by_name.get(edge.name, ()))
        if holds is None:
            unknowns[f"{edge.name} {edge.marker}"] = Unknown(
                what=edge.name,
                why=f"its marker or its bound cannot be read: {(edge.marker or edge.specifier or '')[:200]}",
                where=candidates[0].where if candidates else project.packages[0].where,
            )
        if not holds:
            continue
        for package in candidates:
            kept = markers.holds(package.marker, active)
            if kept is None:
                unknowns[f"{package.name} {package.marker}"] = _unreadable(package, package.marker)
            if not kept:
                continue
            key = id(package)
            if key not in first:
                first[key] = Selected(
                    package=package, wanted_by=asked_by, specifier=edge.specifier, marker=edge.marker or package.marker
                )
                chain = (*asked_by, package.name) if len(asked_by) < 50 else asked_by
                wanted = frozenset(edge.extras)
                queue.extend((onward, chain, wanted) for onward in package.requires)
            for extra in map(normal, edge.extras):
                if (key, extra) not in seen:
                    seen.add((key, extra))
                    chain = (*first[key].wanted_by, f"{package.name}[{extra}]")[:50]
                    queue.extend((onward, chain, frozenset((extra,))) for onward in package.optional.get(extra, ()))
                    if not package.optional:
                        # poetry and pdm keep what an extra adds among the requirements, under a marker
                        queue.extend(
                            (onward, chain, frozenset((extra,)))
                            for onward in package.requires
                            if onward.marker and "extra" in onward.marker
                        )
        if not candidates and edge.name not in members and project.locked and project.complete and not edge.source:
            unknowns[edge.name] = Unknown(
                what=edge.name,
                why=f"{asked_by[-1]} asks for it and the lock does not list it",
                where=project.packages[0].where if project.packages else _nowhere(project),
            )
    chosen = [
        one
        for one in first.values()
        if one.package.source.kind is not SourceKind.PROJECT and one.package.name not in members
    ]
    return Selection(selected=tuple(chosen), unknowns=tuple(unknowns.values()))


def _asker(top: tuple[str, ...], key: str) -> tuple[str, ...]:
    """Who asks for what stands below a key: the project, with the group that it stands in."""
    kind, _, group = key.partition(":")
    return (f"{top[0]} (group {group})",) if kind == "group" else top


def _nowhere(project: Project) -> Where:
    return Where(file=project.path)


def _candidates(edge: Edge, packages: Sequence[LockedPackage]) -> Sequence[LockedPackage]:
    """The locked copies that a requirement means: the named one, else those that its specifier admits."""
    if len(packages) <= 1:
        return packages
    if edge.release is not None:
        exact = [
            package
            for package in packages
            if package.release == edge.release and (edge.source is None or package.source == edge.source)
        ]
        return exact or [package for package in packages if package.release == edge.release]
    if not edge.specifier:
        return packages
    try:
        specifiers = SpecifierSet(edge.specifier)
    except InvalidSpecifier:
        return packages
    if len(edge.specifier) > MAX_SPECIFIER:
        return packages
    fitting = [package for package in packages if _fits(package.release, specifiers)]
    return fitting or packages


def _fits(release: str | None, specifiers: SpecifierSet) -> bool:
    if release is None:
        return True
    try:
        return specifiers.contains(Version(release), prereleases=True)
    except InvalidVersion:
        return True
