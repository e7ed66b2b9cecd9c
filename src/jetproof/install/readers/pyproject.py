"""
pyproject.toml: what a project asks for itself, without a lock.

What is read
    `[project]` with extras, `[dependency-groups]` with includes, the own tables of Poetry, PDM and Flit, and of
    `[tool.uv]` sources, indexes, overrides, constraints, excluded names, conflicts and development groups.
    Requirements that setuptools takes from files are read there.

    Judged is what `pip install .` takes. The groups that uv, Poetry or PDM take along by default are named in a note;
    `--group` judges them too.

What is not decided
    Requirements that are computed (`dynamic` without a file, a setup.py). A folder without any metadata.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from jetproof.install.locked import (
    Index,
    Kind,
    LockedPackage,
    Project,
    Source,
    SourceKind,
    Unknown,
    Where,
    extra_key,
    group_key,
    normal,
)
from jetproof.install.readers import uv_settings
from jetproof.install.readers.document import (
    content,
    inside,
    is_there,
    line_of,
    package_name,
    strings,
    table,
    tables,
    text_of,
    toml,
    where_of,
)
from jetproof.install.readers.poetry_constraint import python_bound, wishes
from jetproof.install.readers.reader import Reader, unshadowed
from jetproof.install.readers.requirement import package
from jetproof_worker.redact import without_secrets

MAX_INCLUDES = 20
_Raw = Mapping[str, object]


class _Text:
    """The text of the file, to say on which line something stands."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self._text = text

    def where(self, *wanted: str) -> Where:
        """Return the place of the first of the texts that is found."""
        for one in wanted:
            line = line_of(self._text, one)
            if line is not None:
                return Where(file=self.file, line=line)
        return Where(file=self.file)


class _Collected:
    """Packages and what could not be read, in the order of the file."""

    def __init__(self, text: _Text) -> None:
        self.text = text
        self.packages: list[LockedPackage] = []
        self.unknowns: list[Unknown] = []

    def add(self, requirement: str, *only_in: str) -> None:
        """Take one requirement."""
        one = package(
            requirement, self.text.where(f'"{requirement}"', f"'{requirement}'", requirement), only_in=only_in
        )
        if isinstance(one, Unknown):
            self.unknowns.append(one)
        else:
            self.packages.append(one)


def _groups(raw: _Raw, collected: _Collected) -> tuple[str, ...]:
    """Take `[dependency-groups]`, each with what it includes."""
    by_name = {normal(name): wanted for name, wanted in raw.items()}

    def entries(name: str, above: tuple[str, ...]) -> list[str]:
        wanted = by_name.get(name)
        if not isinstance(wanted, list) or name in above or len(above) > MAX_INCLUDES:
            why = "it includes itself" if name in above else "there is no such group"
            where = collected.text.where("[dependency-groups]")
            collected.unknowns.append(Unknown(what=f"dependency group {name}", why=why, where=where))
            return []
        found: list[str] = []
        for entry in wanted:
            if isinstance(entry, str):
                found.append(entry)
            elif isinstance(entry, dict) and isinstance(entry.get("include-group"), str):
                found += entries(normal(entry["include-group"]), (*above, name))
        return found

    for name in by_name:
        for requirement in entries(name, ()):
            collected.add(requirement, group_key(name))
    return tuple(by_name)


def _project(raw: _Raw, collected: _Collected, path: Path, root: Path, document: _Raw) -> tuple[str, ...]:
    """Take the `[project]` table; return the names of its extras."""
    file = collected.text.file
    for requirement in strings(raw.get("dependencies"), f"{file}: project.dependencies"):
        collected.add(requirement)
    optional = table(raw.get("optional-dependencies"), f"{file}: project.optional-dependencies")
    for extra, wanted in optional.items():
        for requirement in strings(wanted, f"{file}: extra {extra}"):
            collected.add(requirement, extra_key(normal(extra)))
    dynamic = strings(raw.get("dynamic"), f"{file}: project.dynamic")
    tool = table(document.get("tool"), "tool")
    poetry = table(table(tool.get("poetry"), "tool.poetry").get("dependencies"), "tool.poetry.dependencies")
    if "dependencies" in dynamic and not poetry:
        _dynamic(collected, path, root, document)
    _own_extras(collected, text_of(raw.get("name")))
    return tuple(map(normal, optional))


def _own_extras(collected: _Collected, name: str | None) -> None:
    """Let an extra that asks for the project with other extras ("newton[sim]") stand for what those ask for."""
    if name is None:
        return
    own = normal(name)
    for _ in range(MAX_INCLUDES):
        grown = False
        for one in [other for other in collected.packages if other.name == own and other.extras]:
            keys = set(one.only_in)
            for index, other in enumerate(collected.packages):
                wanted = any(extra_key(normal(extra)) in other.only_in for extra in one.extras)
                if wanted and not keys.issubset(other.only_in):
                    merged = tuple(sorted(keys.union(other.only_in))) if keys else ()
                    collected.packages[index] = replace(other, only_in=merged)
                    grown = True
        if not grown:
            break
    collected.packages[:] = [other for other in collected.packages if other.name != own]


def _dynamic(collected: _Collected, path: Path, root: Path, document: _Raw) -> None:
    """Requirements that the build computes: setuptools may read them from files, else they are not known."""
    tool = table(document.get("tool"), "tool")
    setuptools = table(table(tool.get("setuptools"), "tool.setuptools").get("dynamic"), "dynamic")
    spec = setuptools.get("dependencies")
    files = spec.get("file") if isinstance(spec, dict) else None
    names = [files] if isinstance(files, str) else list(strings(files, "tool.setuptools.dynamic")) if files else []
    hatch = table(table(table(tool.get("hatch"), "hatch").get("metadata"), "metadata").get("hooks"), "hooks")
    names += strings(table(hatch.get("requirements_txt"), "requirements_txt").get("files"), "files")
    where = collected.text.where("dynamic")
    if not names:
        why = "the build computes them (dynamic), and nothing of the project is run"
        collected.unknowns.append(Unknown(what="the project's dependencies", why=why, where=where))
        return
    from jetproof.install.readers import requirements

    for name in names:
        target = path.parent / name
        if not inside(root, target) or not is_there(target):
            why = "the file is missing or lies outside the project"
            collected.unknowns.append(Unknown(what=name, why=why, where=where))
            continue
        found = requirements.read(target, root)
        collected.packages += found.packages
        collected.unknowns += found.unknowns


def _poetry(raw: _Raw, collected: _Collected, *, main: bool) -> tuple[tuple[str, ...], tuple[str, ...], str | None]:
    """Take Poetry's tables; return the names of extras and groups, and the bound on Python."""
    file = collected.text.file
    extras = table(raw.get("extras"), f"{file}: tool.poetry.extras")
    in_extras: dict[str, list[str]] = {}
    for extra, names in extras.items():
        for name in strings(names, f"{file}: extra {extra}"):
            in_extras.setdefault(normal(name), []).append(extra_key(normal(extra)))
    python: str | None = None
    own = table(raw.get("dependencies"), f"{file}: tool.poetry.dependencies")
    bound = own.get("python")
    if isinstance(bound, str):
        python = python_bound(bound)
    if main:
        for name, wanted in own.items():
            if name != "python":
                _poetry_one(name, wanted, collected, tuple(in_extras.get(normal(name), ())))
    groups = {
        "dev": {"dependencies": raw.get("dev-dependencies")} if raw.get("dev-dependencies") else None,
        **table(raw.get("group"), f"{file}: tool.poetry.group"),
    }
    for group, details in groups.items():
        if isinstance(details, dict):
            for name, wanted in table(details.get("dependencies"), f"{file}: group {group}").items():
                _poetry_one(name, wanted, collected, (group_key(normal(group)),))
    named = tuple(normal(group) for group, details in groups.items() if details)
    return tuple(map(normal, extras)), named, python


def _flit(raw: _Raw, collected: _Collected) -> tuple[str, ...]:
    """Take the table that Flit had before `[project]`; return the names of its extras."""
    file = collected.text.file
    for requirement in strings(raw.get("requires"), f"{file}: tool.flit.metadata.requires"):
        collected.add(requirement)
    extras = table(raw.get("requires-extra"), f"{file}: tool.flit.metadata.requires-extra")
    for extra, wanted in extras.items():
        for requirement in strings(wanted, f"{file}: extra {extra}"):
            collected.add(requirement, extra_key(normal(extra)))
    return tuple(map(normal, extras))


def _poetry_one(name: str, wanted: object, collected: _Collected, only_in: tuple[str, ...]) -> None:
    where = collected.text.where(f"\n{name} =", f"\n{name}=", f'\n"{name}" =', name)
    if where.line is not None:
        where = replace(where, line=where.line + 1)  # the text that is looked for begins on the line before
    for bound, marker, details in wishes(name, wanted):
        if bound is None:
            why = "its bound is in a notation that is not understood"
            collected.unknowns.append(Unknown(what=f"{name} = {wanted!r:.120}", why=why, where=where))
            continue
        if details.get("optional") is True and not only_in:
            continue
        source = Source(kind=SourceKind.UNKNOWN)
        for word, kind in (("git", SourceKind.VCS), ("url", SourceKind.URL), ("path", SourceKind.PATH)):
            if isinstance(details.get(word), str):
                source = Source(kind=kind, location=str(details[word]))
        exact = bound[2:] if bound.startswith("==") and "," not in bound and not bound.endswith("*") else None
        collected.packages.append(
            LockedPackage(
                name=package_name(name, collected.text.file),
                release=exact,
                specifier=bound or None,
                marker=marker,
                extras=strings(details.get("extras"), name),
                source=source,
                only_in=only_in,
                where=where,
                written=f"{name} {bound}".strip(),
            )
        )


def _pdm(raw: _Raw, collected: _Collected) -> tuple[str, ...]:
    groups = table(raw.get("dev-dependencies"), f"{collected.text.file}: tool.pdm.dev-dependencies")
    for group, wanted in groups.items():
        for requirement in strings(wanted, group):
            if not requirement.startswith("-e"):
                collected.add(requirement, group_key(normal(group)))
    return tuple(map(normal, groups))


def _default_groups(groups: Sequence[str], poetry: _Raw, tool: _Raw) -> tuple[str, ...]:
    """The groups that are installed along by default: Poetry's that are not optional, PDM's all, uv's "dev"."""
    if poetry:
        details = table(poetry.get("group"), "tool.poetry.group")
        optional = {
            normal(name) for name, one in details.items() if isinstance(one, dict) and one.get("optional") is True
        }
        return tuple(dict.fromkeys(group for group in groups if group not in optional))
    if "pdm" in tool:
        return tuple(dict.fromkeys(groups))
    return uv_settings.default_groups(table(tool.get("uv"), "tool.uv"), groups)


def _elsewhere(collected: _Collected, path: Path, root: Path) -> Project | None:
    """Without metadata of its own: setup.cfg or setup.py beside it, as another reader tells it."""
    from jetproof.install.readers import setup_cfg, setup_py

    for name, read_it in ((setup_cfg.NAME, setup_cfg.read), (setup_py.NAME, setup_py.read)):
        beside = path.parent / name
        if beside.is_file():
            found = read_it(beside, root)
            if found.packages or found.unknowns:
                return found
    why = "the file has no metadata of a project, and no setup.cfg or setup.py stands beside it"
    collected.unknowns.append(
        Unknown(what="the project's dependencies", why=why, where=Where(file=collected.text.file, line=1))
    )
    return None


def read(path: Path, root: Path) -> Project:
    """Read a pyproject.toml."""
    text = content(path)
    document = toml(path, text)
    file = where_of(path, root)
    lines = _Text(file, text)
    collected = _Collected(lines)
    tool = table(document.get("tool"), f"{file}: tool")
    project = document.get("project")
    poetry = table(tool.get("poetry"), f"{file}: tool.poetry")
    extras: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    metadata = table(project, f"{file}: project")
    python = text_of(metadata.get("requires-python"))
    beside: Project | None = None
    if project is not None:
        extras = _project(metadata, collected, path, root, document)
    if poetry:
        # since Poetry 2 its own table only adds to [project] what that cannot say
        more, groups, bound = _poetry(poetry, collected, main=project is None or "dependencies" not in metadata)
        extras, python = (*extras, *more), python or bound
    flit = table(table(tool.get("flit"), f"{file}: tool.flit").get("metadata"), f"{file}: tool.flit.metadata")
    if project is None and flit:
        extras, python = _flit(flit, collected), text_of(flit.get("requires-python"))
    elif project is None and not poetry.get("dependencies"):
        beside = _elsewhere(collected, path, root)
    groups = (
        *groups,
        *_groups(table(document.get("dependency-groups"), f"{file}: dependency-groups"), collected),
        *_pdm(table(tool.get("pdm"), f"{file}: tool.pdm"), collected),
    )
    settings = uv_settings.read(table(tool.get("uv"), f"{file}: tool.uv"), lines.where, file)
    if settings.development:
        groups = (*groups, "dev")
    return Project(
        kind=Kind.PYPROJECT,
        path=str(path),
        name=text_of(metadata.get("name"))
        or text_of(poetry.get("name") or flit.get("module"))
        or (beside.name if beside else None),
        requires_python=python or (beside.requires_python if beside else None),
        requires_python_where=lines.where("requires-python", "\npython ="),
        locked=False,
        packages=(*collected.packages, *settings.development, *(beside.packages if beside else ())),
        extras=extras,
        groups=tuple(dict.fromkeys(groups)),
        default_groups=_default_groups(groups, poetry, tool),
        indexes=(*settings.indexes, *_poetry_indexes(poetry, lines)),
        conflicts=settings.conflicts,
        computed=beside is not None and beside.computed,
        constraints=settings.constraints,
        overrides=settings.overrides,
        unknowns=(*collected.unknowns, *settings.unknowns, *(beside.unknowns if beside else ())),
    )


def _poetry_indexes(poetry: _Raw, lines: _Text) -> Sequence[Index]:
    found: list[Index] = []
    for raw in tables(poetry.get("source"), f"{lines.file}: tool.poetry.source"):
        url, name = text_of(raw.get("url")), text_of(raw.get("name"))
        if url:
            explicit = raw.get("priority") in ("explicit", "supplemental")
            found.append(Index(url=without_secrets(url), name=name, explicit=explicit, where=lines.where(url)))
    named = {index.name: index for index in found}
    for name, wanted in table(poetry.get("dependencies"), f"{lines.file}: tool.poetry.dependencies").items():
        for _, marker, details in wishes(name, wanted):
            index = named.get(text_of(details.get("source")))
            if index is not None and "source" in details:
                found.append(replace(index, packages=(normal(name),), explicit=True, marker=marker))
    return found


READER = Reader(kind=Kind.PYPROJECT, recognises=unshadowed("pyproject.toml"), read=read)
