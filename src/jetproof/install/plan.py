"""What will be installed, what is held back, and what a person has to agree to: computed, nothing done yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from packaging.markers import InvalidMarker, Marker, UndefinedComparison, UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version

from jetproof.install.fit import Demand, Fit, demand
from jetproof.install.held import Family, family, is_held
from jetproof.install.interpreter import Interpreter
from jetproof.install.locked import DEFAULT, Edge, LockedPackage, Project, SourceKind, extra_key, group_key

Environment = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class Item:
    """One distribution that will be installed."""

    name: str
    release: str | None
    """None for what is taken from a repository, folder or address."""
    extras: tuple[str, ...] = ()
    hashes: tuple[str, ...] = ()
    """Like "sha256:ab…": any of them may match."""
    address: str | None = None
    """A URL, a repository with its commit, or a folder; None for what comes from an index."""
    editable: bool = False
    wanted_by: tuple[str, ...] = ()
    index: str | None = None
    wheel: str | None = None
    """File name of the wheel that will be taken; None when it has to be built, or that is not known yet."""
    build: bool = False
    """Whether it has to be built from source here."""
    size: int | None = None
    """Bytes to fetch."""

    @property
    def line(self) -> str:
        """The line of a requirements file, hashes included."""
        extras = f"[{','.join(self.extras)}]" if self.extras else ""
        if self.address is not None:
            text = f"{self.name}{extras} @ {self.address}"
        else:
            text = f"{self.name}{extras}=={self.release}"
        return " ".join((text, *(f"--hash={value}" for value in self.hashes)))


@dataclass(frozen=True, kw_only=True)
class Absent:
    """A held package that is wanted and not there. It is never filled from an index."""

    name: str
    family: Family
    wanted_by: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Backtracked:
    """A requirement of the project that got an older release than it would get without the vendor's torch."""

    name: str
    chosen: str
    free: str


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The items in the order of their names, and everything a person should know before they are installed."""

    items: tuple[Item, ...]
    project: str | None = None
    """Folder of the project itself, when it is installed as an editable one."""
    dropped: tuple[str, ...] = ()
    """Held names that the project or its lock wanted."""
    absent: tuple[Absent, ...] = ()
    demands: tuple[Demand, ...] = ()
    """All requirements on held packages that are known beforehand."""
    backtracked: tuple[Backtracked, ...] = ()
    constraints: tuple[str, ...] = ()
    """Bounds that were respected, with where they come from."""
    from_lock: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def alphas(self) -> tuple[Demand, ...]:
        """Requirements that the vendor's build meets by its release number only."""
        return tuple(one for one in self.demands if one.fit is Fit.ALPHA)

    @property
    def unfit(self) -> tuple[Demand, ...]:
        """Requirements that the vendor's build does not meet."""
        return tuple(one for one in self.demands if one.fit in (Fit.UNFIT, Fit.UNKNOWN))

    @property
    def builds(self) -> tuple[Item, ...]:
        """What has to be built from source."""
        return tuple(item for item in self.items if item.build)


@dataclass(frozen=True, kw_only=True)
class Agreed:
    """What a person agreed to beforehand."""

    alpha: bool = False
    overrule: frozenset[str] = field(default_factory=frozenset)
    """Names, of packages that ask or of held packages that are asked for."""

    def refuses(self, demands: Iterable[Demand]) -> tuple[Demand, ...]:
        """Return the demands that stand in the way of installing."""
        return tuple(one for one in demands if self._refuses(one))

    def _refuses(self, one: Demand) -> bool:
        if one.fit in (None, Fit.AS_IS) or one.name in self.overrule or one.by.split(" ")[0] in self.overrule:
            return False
        return not (one.fit is Fit.ALPHA and self.alpha)


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The packages of a lock that this interpreter gets without the held ones and what only those want."""

    packages: tuple[LockedPackage, ...]
    extras: Mapping[str, tuple[str, ...]]
    wanted_by: Mapping[str, tuple[str, ...]]
    held: Mapping[str, tuple[tuple[str, str | None], ...]]
    """Held name to (who asks, specifier where the lock tells it)."""


def selection(
    project: Project, environment: Environment, *, extras: Sequence[str] = (), groups: Sequence[str] = ()
) -> Selection:
    """Walk a lock from what the project asks for, and stop at every held package."""
    return _Walk(project, environment, (DEFAULT, *map(extra_key, extras), *map(group_key, groups))).result()


class _Walk:
    def __init__(self, project: Project, environment: Environment, keys: tuple[str, ...]) -> None:
        self.project = project
        self.environment = environment
        self.keys = keys
        self.by_name: dict[str, list[LockedPackage]] = {}
        for package in project.packages:
            self.by_name.setdefault(package.name, []).append(package)
        self.chosen: dict[str, LockedPackage] = {}
        self.extras: dict[str, set[str]] = {}
        self.wanted_by: dict[str, list[str]] = {}
        self.held: dict[str, list[tuple[str, str | None]]] = {}
        self._names = tuple(key.partition(":")[2] for key in keys if key.startswith("extra:"))

    def result(self) -> Selection:
        if self.project.roots is None:
            self._flat()
        else:
            asker = self.project.name or "the project"
            self._follow([(asker, edge) for key in self.keys for edge in self.project.roots.get(key, ())])
        return Selection(
            packages=tuple(self.chosen[name] for name in sorted(self.chosen)),
            extras={name: tuple(sorted(found)) for name, found in self.extras.items() if found},
            wanted_by={name: tuple(dict.fromkeys(found)) for name, found in self.wanted_by.items()},
            held={name: tuple(dict.fromkeys(found)) for name, found in self.held.items()},
        )

    def _flat(self) -> None:
        """Take each package whose marker fits. What only a held one wants cannot be told from what the project
        itself wants, and stays: it is free of CUDA and does no harm.
        """
        for package in self.project.packages:
            if not self._wanted(package):
                continue
            for edge in package.requires:
                if is_held(edge.name) and not is_held(package.name) and self._holds(edge.marker):
                    self.held.setdefault(edge.name, []).append((package.wanted, edge.specifier))
            if is_held(package.name):
                self.held.setdefault(package.name, [])
            else:
                self.chosen.setdefault(package.name, package)
                self.extras.setdefault(package.name, set()).update(package.extras)

    def _wanted(self, package: LockedPackage) -> bool:
        return (not package.only_in or any(key in self.keys for key in package.only_in)) and self._holds(package.marker)

    def _follow(self, waiting: list[tuple[str, Edge]]) -> None:
        seen: set[tuple[str, str]] = set()
        while waiting:
            asker, edge = waiting.pop()
            if not self._holds(edge.marker):
                continue
            if is_held(edge.name):
                self.held.setdefault(edge.name, []).append((asker, edge.specifier))
                continue
            package = self._copy(edge)
            if package is None:
                continue
            self.chosen.setdefault(package.name, package)
            self.wanted_by.setdefault(package.name, []).append(asker.split(" ")[0])
            self.extras.setdefault(package.name, set()).update(edge.extras)
            for extra in (DEFAULT, *edge.extras):
                if (package.name, extra) in seen:
                    continue
                seen.add((package.name, extra))
                edges = package.requires if extra == DEFAULT else package.optional.get(extra, ())
                waiting.extend((package.wanted, more) for more in edges)

    def _copy(self, edge: Edge) -> LockedPackage | None:
        """Choose among several locked copies of one name."""
        for package in self.by_name.get(edge.name, ()):
            if edge.release is not None and package.release != edge.release:
                continue
            if edge.source is not None and package.source != edge.source:
                continue
            if self._holds(package.marker):
                return package
        return None

    def _holds(self, marker: str | None) -> bool:
        return holds(marker, self.environment, self._names)


def holds(marker: str | None, environment: Environment, extras: Sequence[str] = ()) -> bool:
    """Say whether a marker is true there, for any of the extras; one that cannot be read counts as true."""
    if not marker:
        return True
    try:
        parsed = Marker(marker)
        return any(parsed.evaluate({**environment, "extra": extra}) for extra in ("", *extras))
    except (InvalidMarker, UndefinedComparison, UndefinedEnvironmentName, InvalidVersion):
        return True


def items(selected: Selection) -> tuple[Item, ...]:
    """Turn the packages of a lock into items; the project itself and its workspace are not among them."""
    return tuple(item for item in (_item(package, selected) for package in selected.packages) if item is not None)


def _item(package: LockedPackage, selected: Selection) -> Item | None:
    kind = package.source.kind
    if kind in (SourceKind.PROJECT, SourceKind.CONDA):
        return None
    hashes = dict.fromkeys(f"sha256:{file.sha256}" for file in package.files if file.sha256)
    hashes.update(dict.fromkeys(package.hashes))
    direct = kind in (SourceKind.URL, SourceKind.VCS, SourceKind.PATH, SourceKind.EDITABLE)
    return Item(
        name=package.name,
        release=None if direct else package.release,
        extras=selected.extras.get(package.name, ()),
        hashes=() if kind in (SourceKind.VCS, SourceKind.PATH, SourceKind.EDITABLE) else tuple(hashes),
        address=package.source.location if direct else None,
        editable=kind is SourceKind.EDITABLE,
        wanted_by=selected.wanted_by.get(package.name, ()),
        index=package.source.location if kind is SourceKind.INDEX else None,
    )


def absent(held: Mapping[str, Sequence[str]], interpreter: Interpreter) -> tuple[Absent, ...]:
    """Return the held packages that somebody wants and the interpreter does not have."""
    found: list[Absent] = []
    for name in sorted(held):
        kind = family(name)
        if kind is not None and interpreter.active(name) is None:
            found.append(Absent(name=name, family=kind, wanted_by=tuple(sorted(set(held[name])))))
    return tuple(found)


def demands(asked: Iterable[tuple[str, Sequence[str], Iterable[str]]], interpreter: Interpreter) -> tuple[Demand, ...]:
    """Judge requirements on held packages: of each asker (name and number, extras) the lines of its metadata."""
    found: dict[tuple[str, str], Demand] = {}
    for by, extras, lines in asked:
        for text in lines:
            try:
                requirement = Requirement(text)
            except InvalidRequirement:
                continue
            if not is_held(requirement.name):
                continue
            if requirement.marker and not holds(str(requirement.marker), interpreter.environment, extras):
                continue
            there = interpreter.active(requirement.name)
            one = demand(by, text.partition(";")[0].strip(), None if there is None else there.release)
            if one is not None:
                found[by, one.requirement] = one
    return tuple(found.values())


def backtracked(tops: Iterable[str], chosen: Mapping[str, str], free: Mapping[str, str]) -> tuple[Backtracked, ...]:
    """Compare what the project's own requirements got with what they would get were nothing held."""
    found: list[Backtracked] = []
    for name in sorted(set(tops)):
        with_vendor, without = chosen.get(name), free.get(name)
        if with_vendor is None or without is None:
            continue
        try:
            older = Version(with_vendor) < Version(without)
        except InvalidVersion:
            continue
        if older:
            found.append(Backtracked(name=name, chosen=with_vendor, free=without))
    return tuple(found)


Metadata = Callable[[Sequence[Item]], Mapping[str, Sequence[str]]]
"""Fetches the requirements of these items: name to the lines of Requires-Dist."""
