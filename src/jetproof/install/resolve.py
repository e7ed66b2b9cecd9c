"""From a project or its lock to a plan: uv resolves what has no lock, with the vendor's packages left out.

The vendor's torch is never shown to the resolver: a constraint on it would be met by picking ancient releases of
everything that asks for a newer one. Held names are excluded, and what asks for them is judged afterwards.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from jetproof.errors import JetproofError, Refused
from jetproof.install import plan as planning
from jetproof.install import quantization
from jetproof.install.held import LISTED, is_held
from jetproof.install.interpreter import Interpreter
from jetproof.install.locked import Project
from jetproof.install.plan import Item, Plan, holds
from jetproof.install.quantization import Build
from jetproof.install.uv import Sources, Uv
from jetproof.install.uv_answers import Resolved, files, parse, pylock
from jetproof_worker.redact import without_secrets

_MAX_ROUNDS = 5


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What a person asked to have installed."""

    path: Path
    """A project's folder, a lock, a requirements file or a wheel."""
    project: Project
    """What the readers made of it."""
    locked: bool
    """Whether it lists everything with hashes, so that nothing has to be resolved."""
    editable: Path | None = None
    """Folder of the project itself, when it is to be installed too."""
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    constraint_files: tuple[tuple[str, Path], ...] = ()
    """Files that the surroundings name, as (variable, path)."""
    bounds: tuple[tuple[str, str], ...] = ()
    """Further bounds as (requirement, where from): of the vendor's torch and of the tables."""
    let_in: Build | None = None
    """The wheel of bitsandbytes that a tier lets in."""

    def stays(self, name: str) -> bool:
        """Say whether a name is held and not let in."""
        return is_held(name) and (self.let_in is None or name != quantization.NAME)


@dataclass(frozen=True, kw_only=True)
class Resolver:
    """Plans for one interpreter; keeps its files in a folder of its own."""

    uv: Uv
    interpreter: Interpreter
    sources: Sources
    scratch: Path

    def plan(self, wanted: Wanted) -> Plan:
        """Return the plan. Raises Refused when there is no solution, or a bound contradicts the lock."""
        _python_fits(wanted.project, self.interpreter)
        firm = (*wanted.bounds, *_bounds_of(wanted.constraint_files))
        bounds = (*firm, *self._vendor_bounds())
        made = self._locked(wanted, firm) if wanted.locked else self._unlocked(wanted, bounds)
        return replace(
            made,
            project=None if wanted.editable is None else str(wanted.editable),
            project_name=None if wanted.editable is None else wanted.project.name,
            constraints=tuple(f"{text} ({origin})" for text, origin in (firm if wanted.locked else bounds)),
        )

    def _locked(self, wanted: Wanted, bounds: Sequence[tuple[str, str]]) -> Plan:
        let_in = frozenset(name for name in (quantization.NAME,) if not wanted.stays(name))
        selected = planning.kept(
            wanted.project, self.interpreter, extras=wanted.extras, groups=wanted.groups, let_in=let_in
        )
        items = planning.items(selected)
        if wanted.let_in is not None:
            items = tuple(planning.taken(one, wanted.let_in) if one.name in let_in else one for one in items)
        _contradictions(items, bounds, self.interpreter)
        items = self._with_files(items)
        askers = {asker.split(" ")[0] for named in selected.held.values() for asker, _ in named}
        known = [
            (asker, (), [f"{name}{specifier or ''}"])
            for name, found in selected.held.items()
            for asker, specifier in found
            if specifier is not None
        ]
        asked, note = self._asked([item for item in items if item.name in askers])
        return Plan(
            items=items,
            dropped=tuple(sorted(selected.held)),
            absent=planning.absent(
                {name: [asker for asker, _ in found] for name, found in selected.held.items()}, self.interpreter
            ),
            demands=planning.demands([*known, *asked], self.interpreter),
            from_lock=wanted.project.path,
            notes=(*wanted.project.notes, *note),
        )

    def _unlocked(self, wanted: Wanted, bounds: Sequence[tuple[str, str]]) -> Plan:
        excluded = [name for name in LISTED if wanted.stays(name)]
        for _ in range(_MAX_ROUNDS):
            found = self._compile(wanted, bounds, excluded)
            more = [item.name for item in found.items if wanted.stays(item.name)]
            if not more:
                break
            excluded += more
        else:
            raise Refused("uv keeps choosing packages of the vendor's", reason="held-in-plan")
        notes: list[str] = []
        held: dict[str, list[str]] = {}
        older: tuple[planning.Backtracked, ...] = ()
        try:
            free = self._compile(wanted, (), ())
        except JetproofError as error:
            notes.append(
                "what the project would get without the vendor's torch cannot be resolved, so whether something got "
                f"an older release is not known: {error.message.splitlines()[0]}"
            )
        else:
            older = planning.backtracked(found.tops, found.releases, free.releases)
            chosen = {item.name for item in found.items}
            for item in free.items:
                if wanted.stays(item.name):
                    askers = [by for by in item.wanted_by if by in chosen]
                    if askers or item.name in free.tops:
                        held[item.name] = [*askers, *(["the project"] if item.name in free.tops else [])]
        own = self._own_demands(wanted.project)
        for name, by in own.items():
            if wanted.stays(name):
                held.setdefault(name, []).append(by[0])
        every = {asker for some in held.values() for asker in some}
        # who asks for what is held is known from the free answer alone; without that all are asked
        items = self._with_files(found.items)
        if wanted.let_in is not None:
            items = tuple(planning.taken(one, wanted.let_in) if one.name == quantization.NAME else one for one in items)
        asked, note = self._asked([item for item in items if item.name in every or notes])
        mine = [(by, (), [line]) for by, line in own.values()]
        return Plan(
            items=items,
            dropped=tuple(sorted(held)),
            absent=planning.absent(held, self.interpreter),
            demands=planning.demands([*mine, *asked], self.interpreter),
            backtracked=older,
            notes=(*wanted.project.notes, *notes, *note),
        )

    def _own_demands(self, project: Project) -> dict[str, tuple[str, str]]:
        """Map each held name that the project itself asks for to (who, requirement)."""
        who = project.name or "the project"
        return {
            package.name: (who, f"{package.name}{package.specifier or ''}")
            for package in project.packages
            if is_held(package.name) and holds(package.marker, self.interpreter.markers)
        }

    def _compile(self, wanted: Wanted, bounds: Sequence[tuple[str, str]], excluded: Sequence[str]) -> Resolved:
        source = wanted.path
        if source.suffix == ".whl":
            source = self._write("wanted.in", [source.resolve().as_uri()])
        words = ["pip", "compile", str(source), *self.interpreter.for_uv, "--generate-hashes"]
        words += ["--no-header", "--no-strip-extras", "--emit-index-annotation", "--annotation-style", "split", "-q"]
        if source.name in ("pyproject.toml", "setup.py", "setup.cfg"):
            words += [word for extra in wanted.extras for word in ("--extra", extra)]
            words += [word for group in wanted.groups for word in ("--group", f"{source}:{group}")]
        if bounds:
            words += ["--constraints", str(self._write("bounds.txt", [text for text, _ in bounds]))]
        if wanted.let_in is not None:
            line = f"{quantization.NAME} @ {wanted.let_in.address}"
            words += ["--overrides", str(self._write("let-in.txt", [line]))]
        if excluded:
            words += ["--excludes", str(self._write("held.txt", excluded))]
            words += ["--build-constraints", str(self.guard())]
        return parse(self.uv.run([*words, *self.sources.arguments()], cwd=source.parent))

    def _asked(self, items: Sequence[Item]) -> tuple[list[tuple[str, Sequence[str], list[str]]], tuple[str, ...]]:
        """Read what these items ask for from their own metadata: (who, extras, requirements), and what to tell."""
        checkable = [item for item in items if item.wheel is not None and item.hashes]
        later = sorted(item.name for item in items if item not in checkable)
        note: tuple[str, ...] = ()
        if later:
            note = (f"what {', '.join(later)} asks of torch is known only once it is built, and checked then",)
        found: dict[str, list[str]] = {}
        if checkable:
            try:
                found = self.requirements(checkable)
            except JetproofError as error:
                why = error.message.splitlines()[0]
                note = (
                    f"what the packages ask of torch is known only once they are installed, and checked then: {why}",
                )
        return [(f"{item.name} {item.release}", item.extras, found.get(item.name, [])) for item in checkable], note

    def requirements(self, items: Sequence[Item]) -> dict[str, list[str]]:
        """Fetch wheels into a folder that is thrown away, and return the requirements that they state."""
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            lines = self._write("asking.txt", [item.line for item in items])
            words = ["pip", "install", "--target", folder, "--no-deps", "--require-hashes", "-r", str(lines)]
            words += ["--only-binary", ":all:", *self.interpreter.for_uv, "-q"]
            self.uv.run([*words, *self._sources(items).arguments()], cwd=self.scratch)
            return {
                canonicalize_name(dist.name): [str(line) for line in dist.requires or ()]
                for dist in metadata.distributions(path=[folder])
            }

    def _with_files(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """Ask uv which file each item would be, without fetching it: a wheel, or a source that must be built."""
        from_index = [item for item in items if item.address is None]
        if not from_index:
            return tuple(items)
        lines = self._write("plan.in", [item.line for item in from_index])
        words = ["pip", "compile", str(lines), "--no-deps", "--format", "pylock.toml", "--no-header", "-q"]
        words += [*self.interpreter.for_uv, "--build-constraints", str(self.guard())]
        told = self.uv.run([*words, *self._sources(from_index).arguments()], cwd=self.scratch)
        chosen = files(told)
        return tuple(
            replace(item, wheel=file.wheel, build=file.wheel is None, size=file.size)
            if item.address is None and (file := chosen.get(item.name)) is not None
            else item
            for item in items
        )

    def build(self, place: str) -> Build:
        """Return the newest wheel of bitsandbytes at a place: a file, the URL of one, or an index. Nothing else of it.

        Raises UsageError for another package's wheel, and what uv raises where there is none for this interpreter.
        """
        address, _, _ = place.partition("#")
        if "://" not in place:
            return quantization.local(Path(place))
        direct = address.endswith(".whl")
        if direct:
            quantization.check_name(unquote(address.rpartition("/")[2]))
        line = f"{quantization.NAME} @ {place}" if direct else quantization.NAME
        words = ["pip", "compile", str(self._write("build.in", [line])), "--no-deps", "--only-binary", ":all:", "-q"]
        words += ["--no-header", "--format", "pylock.toml", *self.interpreter.for_uv]
        sources = Sources(index_url=None if direct else place, offline=self.sources.offline, no_index=direct)
        nothing_else = replace(self.uv, config=self._write("empty.toml", ()))
        package = pylock(nothing_else.run([*words, *sources.arguments()], cwd=self.scratch)).packages[0]
        file = package.archive or next(iter(package.wheels or ()), None)
        found = None if file is None else file.hashes.get("sha256")
        if file is None or file.url is None or found is None:
            raise Refused(f"{without_secrets(place)} gives no hash for {quantization.NAME}", reason="no-hash")
        return Build(filename=unquote(file.url.rpartition("/")[2]), address=file.url, sha256=found, place=place)

    def _sources(self, items: Iterable[Item]) -> Sources:
        return with_indexes(self.sources, items)

    def _vendor_bounds(self) -> tuple[tuple[str, str], ...]:
        """What the vendor's own packages ask of free ones: a newer sympy must not break the torch that stays."""
        found: list[tuple[str, str]] = []
        for dist in self.interpreter.held:
            if not dist.active:
                continue
            for text in dist.requires:
                try:
                    asked = Requirement(text)
                except InvalidRequirement:
                    continue
                marked = asked.marker is None or holds(str(asked.marker), self.interpreter.markers)
                if marked and asked.specifier and asked.url is None and not is_held(asked.name):
                    found.append((f"{asked.name}{asked.specifier}", f"asked by {dist.name} {dist.release}"))
        return tuple(dict.fromkeys(found))

    def guard(self) -> Path:
        """Return a file of build constraints that no torch can meet, so that none enters an isolated build."""
        return self._write("guard.txt", [f"{name}<0" for name in LISTED])

    def _write(self, name: str, lines: Iterable[str]) -> Path:
        path = self.scratch / name
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path


def with_indexes(sources: Sources, items: Iterable[Item]) -> Sources:
    """Add the indexes that the lock names, unless the person chose one."""
    if sources.index_url or sources.no_index:
        return sources
    named = dict.fromkeys(item.index for item in items if item.index)
    return replace(sources, extra_index_urls=tuple(dict.fromkeys((*sources.extra_index_urls, *named))))


def _python_fits(project: Project, interpreter: Interpreter) -> None:
    if project.requires_python is None:
        return
    try:
        fits = SpecifierSet(project.requires_python).contains(interpreter.release, prereleases=True)
    except InvalidSpecifier:
        return
    if not fits:
        raise Refused(
            f"{project.name or project.path} needs Python {project.requires_python}, and the vendor's torch lies in "
            f"Python {interpreter.release} ({interpreter.executable})",
            hint="A wheel of torch fits one Python only: choose an older release of the project, or another JetPack.",
            reason="python-unfit",
        )


def _bounds_of(files: Iterable[tuple[str, Path]]) -> tuple[tuple[str, str], ...]:
    """Read constraint files; lines about held packages are met already, since those are not touched."""
    found: list[tuple[str, str]] = []
    for variable, path in files:
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise Refused(
                f"{variable} names {path}, which cannot be read: {error.strerror}",
                hint=f"unset {variable}, or give the file back.",
                reason="constraint-file",
            ) from error
        for line in text.splitlines():
            try:
                bound = Requirement(line.partition(" #")[0].partition("#")[0].strip())
            except InvalidRequirement:
                continue
            if bound.url is None and bound.specifier and not is_held(bound.name):
                marker = f" ; {bound.marker}" if bound.marker else ""
                found.append((f"{bound.name}{bound.specifier}{marker}", f"{variable}, {path}"))
    return tuple(found)


def _contradictions(items: Sequence[Item], bounds: Sequence[tuple[str, str]], interpreter: Interpreter) -> None:
    releases: Mapping[str, str | None] = {item.name: item.release for item in items}
    for text, origin in bounds:
        bound = Requirement(text)
        if bound.marker is not None and not holds(str(bound.marker), interpreter.markers):
            continue
        locked = releases.get(canonicalize_name(bound.name))
        if locked is not None and not bound.specifier.contains(locked, prereleases=True):
            raise Refused(
                f"the lock has {bound.name} {locked}, and {bound.name}{bound.specifier} is needed here ({origin})",
                hint=f"Add {bound.name}{bound.specifier} to the project and lock it again, or leave the lock out: "
                "jetproof install pyproject.toml (or requirements.txt)",
                reason="lock-contradicts",
            )
