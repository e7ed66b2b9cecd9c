"""Everything a judgement looks at: the project, the board, what is held there, and the tables."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from jetproof.errors import UsageError
from jetproof.install.finding import Because
from jetproof.install.locked import Index, Project, SourceKind, Where, normal
from jetproof.install.markers import Markers
from jetproof.install.selection import Selected, Selection
from jetproof.install.stack_environment import StackBoard, WheelFit
from jetproof.tables import Tables
from jetproof.tables.builds import builds, newest_vendor_wheel
from jetproof.tables.rows import TorchBuild
from jetproof.tables.stacks import Stack


@dataclass(frozen=True, kw_only=True)
class Held:
    """One of the vendor's packages that has to stay as it is."""

    name: str
    release: str | None
    """Its full number, as the board's interpreter reports it; None when it is not known."""
    named: bool
    """Whether a person or the board named it; else it is what the tables give for the stack."""

    @property
    def told(self) -> str:
        """Name and number, for a message."""
        return f"{self.name} {self.release}" if self.release else f"{self.name} (number not known)"


def held(text: str) -> Held:
    """Read "torch==2.8.0a0+5228986c39.nv25.6" or a bare "torch". UsageError for anything else."""
    hint = "write it as pip shows it: --held 'torch==2.8.0a0+5228986c39.nv25.6'"
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        raise UsageError(f"--held {text!r}: not a package", hint=hint, reason="bad-held") from None
    exact = [one for one in requirement.specifier if one.operator in ("==", "===")]
    if len(exact) != len(requirement.specifier) or len(exact) > 1 or (exact and "*" in exact[0].version):
        raise UsageError(f"--held {text!r}: one exact number was expected", hint=hint, reason="bad-held")
    release = exact[0].version if exact else None
    if release is not None:
        try:
            Version(release)
        except ValueError:  # a number of thousands of digits is none either
            raise UsageError(
                f"--held {text[:100]!r}: {release[:100]!r} is no number", hint=hint, reason="bad-held"
            ) from None
    return Held(name=normal(requirement.name), release=release, named=True)


def vendor_held(stack: Stack, tables: Tables) -> Held:
    """Return the torch that a stack's owner most likely has: NVIDIA's newest wheel, else the Jetson index's."""
    wheel = newest_vendor_wheel(stack, tables.torch_builds)
    if wheel is not None:
        return Held(name="torch", release=wheel.torch_version, named=False)
    for one in builds(stack, tables.torch_builds):
        if one.build.kind == "package-index" and one.verdict.verdict in ("yes", "partly"):
            return Held(name="torch", release=_first_number(one.build.torch_version), named=False)
    return Held(name="torch", release=None, named=False)


def _first_number(text: str | None) -> str | None:
    for word in (text or "").replace(",", " ").split():
        try:
            return str(Version(word)) if word.count(".") >= 2 else None
        except InvalidVersion:
            continue
    return None


@dataclass(frozen=True, kw_only=True)
class Case:
    """One project on one board."""

    project: Project
    selection: Selection
    board: StackBoard
    held: Mapping[str, Held]
    """By normalised name; always with torch."""
    tables: Tables
    fits: WheelFit
    markers: Markers
    keys: frozenset[str]
    """The extras and groups that were asked for, and the plain install."""
    asked: str | None = None
    """The path that a person named; None when only the file is known."""

    @property
    def torch(self) -> Held:
        """The vendor's torch."""
        return self.held["torch"]

    def build(self, held_one: Held) -> TorchBuild | None:
        """Return the table's row of a held torch, when it has one."""
        if held_one.release is None:
            return None
        wanted = Version(held_one.release)
        return next(
            (row for row in self.tables.torch_builds if row.torch_version and _same(row.torch_version, wanted)), None
        )

    def indexes_for(self, name: str) -> Sequence[Index]:
        """Return the indexes that the project takes one package from, on this board."""
        return [
            index
            for index in self.project.indexes
            if name in index.packages
            and self.markers.holds(index.marker)
            and (not index.only_in or not self.keys.isdisjoint(index.only_in))
        ]

    def takes_python(self, bound: str) -> bool | None:
        """Say whether a bound admits the board's Python; None when it cannot be read."""
        try:
            return SpecifierSet(bound).contains(self.board.python_full, prereleases=True)
        except InvalidSpecifier:
            return None

    @property
    def because_held(self) -> Because:
        """Quote what is held."""
        told = "tables: the newest vendor build for this stack"
        if self.torch.named:
            told = "--held" if self.board.stack.partition("/")[0] in self.tables.stacks else "--held or the read-out"
        return Because(fact="held", value=self.torch.told, read_from=told)

    @property
    def because_board(self) -> Because:
        """Quote the board."""
        return Because(fact="board", value=self.board.told, read_from=self.board.stack)

    def because(self, one: Selected) -> Because:
        """Quote who asks for a package and how."""
        asked = one.package.written or f"{one.package.name}{one.specifier or ''}"
        if one.package.release is not None and one.package.written is None:
            asked = f"{one.package.name} {one.package.release}"
        return Because(
            fact=" > ".join((*one.wanted_by, one.package.name)), value=asked, read_from=str(one.package.where)
        )

    def by_index(self, one: Selected) -> bool:
        """Whether a package is fetched by name from an index."""
        return one.package.source.kind in (SourceKind.INDEX, SourceKind.UNKNOWN)

    @property
    def quoted_path(self) -> str:
        """What was named for the audit, a file or its folder, as a shell takes it: for commands that are pasted."""
        return shlex.quote(self.asked or self.project.path)

    @property
    def quoted_file(self) -> str:
        """The file that was read, as a shell takes it."""
        return shlex.quote(self.project.path)

    @property
    def file(self) -> Where:
        """The audited file as a whole."""
        return Where(file=self.project.path.rpartition("/")[2], line=1)


def _same(text: str, wanted: Version) -> bool:
    try:
        return Version(text) == wanted
    except InvalidVersion:
        return False
