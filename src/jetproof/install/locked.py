"""What a project wants installed, as its lock or its metadata says, whichever file format that was."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar, overload

from jetproof_worker.names import normalised

Made = TypeVar("Made")

DEFAULT = ""
"""Key of what a plain install wants, without extras and groups."""


def extra_key(name: str) -> str:
    """Key of `Project.roots` and `LockedPackage.only_in` for an extra."""
    return f"extra:{name}"


def group_key(name: str) -> str:
    """Key of `Project.roots` and `LockedPackage.only_in` for a dependency group."""
    return f"group:{name}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Where:
    """A place in a file, relative to the project's root. `line` counts from 1; None where it is not known."""

    file: str
    line: int | None = None

    def __str__(self) -> str:
        return self.file if self.line is None else f"{self.file}:{self.line}"


class SourceKind(Enum):
    """Where a package is taken from."""

    INDEX = "index"
    URL = "url"
    VCS = "vcs"
    PATH = "path"
    EDITABLE = "editable"
    CONDA = "conda"
    PROJECT = "project"
    """The audited project itself, or a member of its workspace."""
    UNKNOWN = "unknown"
    """The file does not say: whatever index is configured."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Where a package is taken from; credentials in addresses are already left out."""

    kind: SourceKind
    location: str | None = None


ANYWHERE = Source(kind=SourceKind.UNKNOWN)


@dataclass(frozen=True, kw_only=True, slots=True)
class File:
    """One file that a lock offers for a package. `size` in bytes."""

    filename: str
    url: str | None = None
    sha256: str | None = None
    size: int | None = None

    @property
    def is_wheel(self) -> bool:
        """Whether it is a wheel; else it is a source archive."""
        return self.filename.endswith(".whl")


class Lazy(Sequence[Made]):
    """A list whose entries are made only when somebody looks: a lock names thousands of files, a board needs few."""

    __slots__ = ("_entries", "_make", "_raw")

    def __init__(self, raw: Sequence[Mapping[str, object]], make: Callable[[Mapping[str, object]], Made]) -> None:
        self._raw = raw
        self._make = make
        self._entries: tuple[Made, ...] | None = None

    def _all(self) -> tuple[Made, ...]:
        if self._entries is None:
            self._entries = tuple(map(self._make, self._raw))
        return self._entries

    def __len__(self) -> int:
        return len(self._raw)

    @overload
    def __getitem__(self, index: int) -> Made: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Made]: ...
    def __getitem__(self, index: int | slice) -> Made | Sequence[Made]:
        return self._all()[index]

    def __iter__(self) -> Iterator[Made]:
        # most who look stop at the first that fits
        return map(self._make, self._raw) if self._entries is None else iter(self._entries)


@dataclass(frozen=True, kw_only=True, slots=True)
class Edge:
    """One requirement: who is wanted, under which marker, with which extras.

    `release` and `source` are set where a lock names exactly one of several locked copies.
    """

    name: str
    specifier: str | None = None
    marker: str | None = None
    extras: tuple[str, ...] = ()
    release: str | None = None
    source: Source | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class LockedPackage:
    """One package that the project wants.

    From a lock `release` is the locked number. From plain requirements it is None (unless pinned with `==`) and
    `specifier` is what was written. `only_in` names the extras and groups that want it; empty means a plain
    install does. `optional` maps an extra of this package to what that extra adds.
    """

    name: str
    """Normalised."""
    release: str | None = None
    specifier: str | None = None
    marker: str | None = None
    extras: tuple[str, ...] = ()
    requires: Sequence[Edge] = ()
    optional: Mapping[str, Sequence[Edge]] = field(default_factory=dict)
    files: Sequence[File] = ()
    hashes: tuple[str, ...] = ()
    """Hashes (`sha256:…`) that are not tied to a file name."""
    source: Source = ANYWHERE
    requires_python: str | None = None
    only_in: tuple[str, ...] = ()
    where: Where
    written: str | None = None
    """The line as it stands in the file, where that is worth quoting."""

    @property
    def wanted(self) -> str:
        """How the package is named in a message: with its number, or with what is asked of it."""
        if self.release is not None:
            return f"{self.name} {self.release}"
        return f"{self.name}{self.specifier or ''}"


class Kind(Enum):
    """The file formats that are understood."""

    UV_LOCK = "uv.lock"
    PYLOCK = "pylock.toml"
    POETRY_LOCK = "poetry.lock"
    PDM_LOCK = "pdm.lock"
    PIPFILE_LOCK = "Pipfile.lock"
    PIXI_LOCK = "pixi.lock"
    REQUIREMENTS = "requirements.txt"
    PYPROJECT = "pyproject.toml"
    SETUP_CFG = "setup.cfg"
    SETUP_PY = "setup.py"
    WHEEL = "wheel"
    ENVIRONMENT = "environment"
    UNREAD = "unread"
    """A file in a format that is not understood."""


@dataclass(frozen=True, kw_only=True)
class Unknown:
    """A part of the input that could not be read, with the reason. With one of these nothing is called OK."""

    what: str
    why: str
    where: Where


@dataclass(frozen=True, kw_only=True)
class Index:
    """A package index that the project names."""

    url: str
    """Without credentials."""
    name: str | None = None
    explicit: bool = False
    """Only for the packages that name it."""
    marker: str | None = None
    packages: tuple[str, ...] = ()
    """The packages that are taken from it; empty for any."""
    only_in: tuple[str, ...] = ()
    address: bool = False
    """Whether the package itself stands there: a repository, an archive, a folder. Nothing else says what it needs."""
    where: Where


@dataclass(frozen=True, kw_only=True)
class Project:
    """What one file, or the files it refers to, wants installed."""

    kind: Kind
    path: str
    """The file that was read, as it was named."""
    name: str | None = None
    requires_python: str | None = None
    requires_python_where: Where | None = None
    locked: bool
    """Whether all packages are listed, those wanted by others too."""
    packages: tuple[LockedPackage, ...]
    roots: Mapping[str, Sequence[Edge]] | None = None
    """What the project itself asks for, by `DEFAULT`, `extra_key` or `group_key`. None: each of `packages` whose
    marker and `only_in` fit is installed."""
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    indexes: tuple[Index, ...] = ()
    conflicts: tuple[tuple[str, ...], ...] = ()
    """Extras and groups (by key) that cannot be had together."""
    unknowns: tuple[Unknown, ...] = ()
    notes: tuple[str, ...] = ()
    """What the reader chose or left out, for the person."""
    constraints: tuple[LockedPackage, ...] = ()
    """Bounds that want nothing by themselves."""
    overrides: tuple[LockedPackage, ...] = ()
    """Requirements that replace those of the packages themselves."""
    computed: bool = False
    """Whether the requirements are computed by a program that was not run: then they decide nothing."""
    complete: bool = True
    """Whether a package that is wanted and not listed is a fault of the lock; an environment may inherit it."""
    environments: tuple[str, ...] = ()
    """Markers of the environments a lock was made for; empty for any."""
    default_groups: tuple[str, ...] = ()
    """Groups that the project's own tool installs along unless it is told not to, like uv's dev."""
    members: tuple[str, ...] = ()
    """Normalised names of the project's own packages, which a lock lists among the others."""


def normal(name: str) -> str:
    """Return a distribution's name in the form that all its spellings share."""
    lower = name.lower()
    if "_" not in lower and "." not in lower and "--" not in lower:
        return lower  # nearly all names in a lock
    return normalised(lower)
