"""What will be installed, what is held back, and what a person has to agree to: computed, nothing done yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from packaging.markers import InvalidMarker, Marker, UndefinedComparison, UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version

from jetproof.errors import Undecided
from jetproof.install.fit import Demand, Fit, demand
from jetproof.install.held import Family, family, is_held
from jetproof.install.interpreter import Interpreter
from jetproof.install.locked import DEFAULT, Edge, LockedPackage, Project, SourceKind, extra_key, group_key
from jetproof.install.markers import Markers
from jetproof.install.quantization import NAME, Build, Ruling
from jetproof.install.selection import selection

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
    project_name: str | None = None
    """Its name, where that is known beforehand."""
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
    quantization: Ruling | None = None
    """What the policy says of bitsandbytes; None where nobody asks for it."""

    @property
    def let_in(self) -> frozenset[str]:
        """Held names that come in nevertheless, because a tier requires them and a build for the board is there."""
        return frozenset({NAME} if self.quantization is not None and self.quantization.build is not None else ())

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
        if one.fit in (None, Fit.AS_IS) or one.name in self.overrule or one.asker in self.overrule:
            return False
        return not (one.fit is Fit.ALPHA and self.alpha)


@dataclass(frozen=True, kw_only=True)
class Kept:
    """The packages of a lock that this interpreter gets without the held ones and what only those want."""

    packages: tuple[LockedPackage, ...]
    extras: Mapping[str, tuple[str, ...]]
    """Name to the extras that somebody asks of it."""
    wanted_by: Mapping[str, tuple[str, ...]]
    held: Mapping[str, tuple[tuple[str, str | None], ...]]
    """Held name to (who asks, specifier where the lock tells it)."""


def kept(
    project: Project,
    interpreter: Interpreter,
    *,
    extras: Sequence[str] = (),
    groups: Sequence[str] = (),
    let_in: frozenset[str] = frozenset(),
) -> Kept:
    """Walk a lock from what the project asks for, and go no further at every held package that is not let in.

    Raises Undecided when the lock leaves open whether something is installed.
    """

    def stays(name: str) -> bool:
        return is_held(name) and name not in let_in

    # a held package that asks for nothing leads nowhere, so that what only it wants is not reached
    pruned = replace(
        project,
        packages=tuple(
            replace(package, requires=(), optional={}) if stays(package.name) else package
            for package in project.packages
        ),
    )
    found = selection(pruned, interpreter, extras=extras, groups=groups)
    if found.unknowns:
        first = found.unknowns[0]
        raise Undecided(
            f"{project.path} leaves open what is installed: {first.what}: {first.why} ({first.where})",
            hint="Lock the project again.",
            reason="lock-unclear",
        )
    chosen = tuple(one.package for one in found.selected)
    markers = Markers(interpreter.markers, extras=frozenset(extras), groups=frozenset(groups))
    asked: list[tuple[str, Edge]] = [
        (project.name or "the project", edge)
        for key in (DEFAULT, *map(extra_key, extras), *map(group_key, groups))
        for edge in (project.roots or {}).get(key, ())
    ]
    for package in chosen:
        asked.extend((package.wanted, edge) for edge in package.requires)
        asked.extend((package.wanted, edge) for edges in package.optional.values() for edge in edges)
    wanted: dict[str, set[str]] = {package.name: set(package.extras) for package in chosen}
    by: dict[str, list[str]] = {}
    held: dict[str, list[tuple[str, str | None]]] = {package.name: [] for package in chosen if stays(package.name)}
    for asker, edge in asked:
        if edge.name in wanted and markers.holds(edge.marker):
            wanted[edge.name].update(edge.extras)
            by.setdefault(edge.name, []).append(asker.split(" ")[0])
            if edge.name in held:
                held[edge.name].append((asker, edge.specifier))
    return Kept(
        packages=tuple(sorted((one for one in chosen if not stays(one.name)), key=lambda one: one.name)),
        extras={name: tuple(sorted(found)) for name, found in wanted.items() if found},
        wanted_by={name: tuple(dict.fromkeys(askers)) for name, askers in by.items()},
        held={name: tuple(dict.fromkeys(askers)) for name, askers in held.items()},
    )


def holds(marker: str | None, environment: Environment, extras: Sequence[str] = ()) -> bool:
    """Say whether a marker is true there, for any of the extras; one that cannot be read counts as true."""
    if not marker:
        return True
    try:
        parsed = Marker(marker)
        return any(parsed.evaluate({**environment, "extra": extra}) for extra in ("", *extras))
    except (InvalidMarker, UndefinedComparison, UndefinedEnvironmentName, InvalidVersion):
        return True


def items(selected: Kept) -> tuple[Item, ...]:
    """Turn the packages of a lock into items; the project itself and its workspace are not among them."""
    return tuple(item for item in (_item(package, selected) for package in selected.packages) if item is not None)


def _item(package: LockedPackage, selected: Kept) -> Item | None:
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


def taken(item: Item, build: Build) -> Item:
    """Return the item with the wheel that is to be taken for it."""
    return replace(
        item,
        release=build.release,
        address=build.address,
        hashes=(f"sha256:{build.sha256}",),
        wheel=build.filename,
        index=None,
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
            if requirement.marker and not holds(str(requirement.marker), interpreter.markers, extras):
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
