"""What `[tool.uv]` says about packages: sources, indexes, overrides, bounds, excluded names, conflicts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from jetproof.install.locked import (
    Index,
    LockedPackage,
    Unknown,
    Where,
    extra_key,
    group_key,
    normal,
)
from jetproof.install.readers.document import strings, table, tables, text_of
from jetproof.install.readers.requirement import package
from jetproof_worker.redact import without_secrets

NEVER = "sys_platform == 'never'"
"""A marker that holds nowhere: how an override leaves a package out."""
_Place = Callable[..., Where]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The part of uv's settings that decides which packages come and from where."""

    indexes: tuple[Index, ...]
    constraints: tuple[LockedPackage, ...]
    overrides: tuple[LockedPackage, ...]
    development: tuple[LockedPackage, ...]
    conflicts: tuple[tuple[str, ...], ...]
    unknowns: tuple[Unknown, ...]


def _requirements(
    raw: object, place: _Place, what: str, unknowns: list[Unknown], *only_in: str
) -> tuple[LockedPackage, ...]:
    found: list[LockedPackage] = []
    for text in strings(raw, what):
        one = package(text, place(f'"{text}"', text), only_in=only_in)
        if isinstance(one, Unknown):
            unknowns.append(one)
        else:
            found.append(one)
    return tuple(found)


def _excluded(raw: object, place: _Place) -> tuple[LockedPackage, ...]:
    return tuple(
        LockedPackage(name=normal(name), marker=NEVER, where=place(f'"{name}"'))
        for name in strings(raw, "tool.uv.exclude-dependencies")
    )


def _indexes(raw: Mapping[str, object], place: _Place) -> tuple[Index, ...]:
    named: dict[str, Index] = {}
    found: list[Index] = []
    for one in tables(raw.get("index"), "tool.uv.index"):
        url, name = text_of(one.get("url")), text_of(one.get("name"))
        if not url:
            continue
        index = Index(
            url=without_secrets(url), name=name, explicit=one.get("explicit") is True, where=place(f'"{url}"')
        )
        found.append(index)
        if name:
            named[name] = index
    pip = table(raw.get("pip"), "tool.uv.pip")
    plain = [
        raw.get("index-url"),
        pip.get("index-url"),
        *_list(raw.get("extra-index-url")),
        *_list(pip.get("extra-index-url")),
    ]
    found += [Index(url=without_secrets(url), where=place(f'"{url}"')) for url in plain if isinstance(url, str)]
    for name, sources in table(raw.get("sources"), "tool.uv.sources").items():
        for source in sources if isinstance(sources, list) else [sources]:
            if isinstance(source, dict):
                found += _taken(normal(name), name, source, named, place)
    return tuple(found)


def _taken(
    name: str, written: str, raw: Mapping[str, object], named: Mapping[str, Index], place: _Place
) -> list[Index]:
    """The index, or the address, that a package is said to come from."""
    only_in = (
        *((extra_key(normal(str(raw["extra"]))),) if "extra" in raw else ()),
        *((group_key(normal(str(raw["group"]))),) if "group" in raw else ()),
    )
    where = place(f"\n{written} =", f'"{written}"', written)
    if where.line is not None:
        where = Where(file=where.file, line=where.line + 1)
    index = named.get(str(raw.get("index")))
    url = index.url if index else next(filter(None, (text_of(raw.get(key)) for key in ("url", "git", "path"))), None)
    if raw.get("workspace") is True:
        url = "another member of the workspace"
    if url is None:
        return []
    return [
        Index(
            url=without_secrets(url),
            name=index.name if index else None,
            explicit=True,
            marker=text_of(raw.get("marker")),
            packages=(name,),
            only_in=only_in,
            address=index is None,
            where=where,
        )
    ]


def _list(raw: object) -> list[object]:
    return raw if isinstance(raw, list) else []


def _conflicts(raw: object) -> tuple[tuple[str, ...], ...]:
    found: list[tuple[str, ...]] = []
    for conflict in _list(raw):
        keys = [
            extra_key(normal(str(one["extra"]))) if "extra" in one else group_key(normal(str(one.get("group"))))
            for one in _list(conflict)
            if isinstance(one, dict)
        ]
        found.append(tuple(keys))
    return tuple(found)


def default_groups(raw: Mapping[str, object], groups: Iterable[str]) -> tuple[str, ...]:
    """Return those of the groups that `uv sync` installs without being asked."""
    wanted = raw.get("default-groups", ["dev"])
    every = dict.fromkeys(groups)
    if wanted == "all":
        return tuple(every)
    return tuple(group for group in map(normal, strings(wanted, "tool.uv.default-groups")) if group in every)


def read(raw: Mapping[str, object], place: _Place, file: str) -> Settings:
    """Read the table `tool.uv`; `place` says where a text stands."""
    unknowns: list[Unknown] = []
    name = f"{file}: tool.uv"
    overrides = _requirements(raw.get("override-dependencies"), place, name, unknowns)
    pip = table(raw.get("pip"), f"{name}.pip")
    return Settings(
        indexes=_indexes(raw, place),
        constraints=_requirements(raw.get("constraint-dependencies"), place, name, unknowns),
        overrides=(
            *overrides,
            *_excluded(raw.get("exclude-dependencies"), place),
            *_excluded(pip.get("exclude-dependencies"), place),
        ),
        development=_requirements(raw.get("dev-dependencies"), place, name, unknowns, group_key("dev")),
        conflicts=_conflicts(raw.get("conflicts")),
        unknowns=tuple(unknowns),
    )
