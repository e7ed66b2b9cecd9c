"""
setup.cfg: setuptools' older, declarative metadata.

What is read
    `install_requires`, `extras_require` and `python_requires` below `[options]`, also from `file:`.

What is not decided
    `attr:` and whatever a setup.py beside it does beyond calling `setup()`.
"""

from __future__ import annotations

import configparser
from pathlib import Path

from jetproof.errors import UsageError
from jetproof.install.locked import Kind, LockedPackage, Project, Unknown, Where, extra_key, normal
from jetproof.install.readers.document import content, inside, is_there, line_of, where_of
from jetproof.install.readers.reader import Reader, unshadowed
from jetproof.install.readers.requirement import package

NAME = "setup.cfg"


def _entries(value: str) -> list[str]:
    return [
        line.strip()
        for part in value.split("\n")
        for line in part.split(";;")
        if line.strip() and line.strip()[0] != "#"
    ]


def _add(
    value: str, path: Path, root: Path, text: str, only_in: tuple[str, ...]
) -> tuple[list[LockedPackage], list[Unknown]]:
    file = where_of(path, root)
    if value.strip().startswith(("file:", "attr:")):
        where = Where(file=file, line=line_of(text, value.strip().split("\n")[0]))
        name = value.strip().removeprefix("file:").split(",")[0].strip()
        target = path.parent / name
        if value.strip().startswith("attr:") or not inside(root, target) or not is_there(target):
            return [], [Unknown(what=value.strip(), why="it is computed, missing or outside the project", where=where)]
        from jetproof.install.readers import requirements

        found = requirements.read(target, root)
        return list(found.packages), list(found.unknowns)
    packages: list[LockedPackage] = []
    unknowns: list[Unknown] = []
    for entry in _entries(value):
        one = package(entry, Where(file=file, line=line_of(text, entry)), only_in=only_in)
        if isinstance(one, Unknown):
            unknowns.append(one)
        else:
            packages.append(one)
    return packages, unknowns


def read(path: Path, root: Path) -> Project:
    """Read a setup.cfg, and look whether a setup.py beside it computes more."""
    from jetproof.install.readers import setup_py

    text = content(path)
    file = where_of(path, root)
    config = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        config.read_string(text)
    except configparser.Error as error:
        raise UsageError(f"{path}: not valid: {str(error).splitlines()[0]}", reason="not-ini") from None
    packages, unknowns = _add(config.get("options", "install_requires", fallback=""), path, root, text, ())
    extras: list[str] = []
    if config.has_section("options.extras_require"):
        for extra, value in config.items("options.extras_require"):
            more, unread = _add(value, path, root, text, (extra_key(normal(extra)),))
            extras.append(normal(extra))
            packages += more
            unknowns += unread
    beside = path.parent / setup_py.NAME
    if beside.is_file() and not setup_py.is_bare(beside):
        why = "its setup.py can add requirements, and nothing of the project is run"
        unknowns.append(
            Unknown(what="the project's dependencies", why=why, where=Where(file=where_of(beside, root), line=1))
        )
    elif not config.has_section("options"):
        why = "the file holds no metadata of a project"
        unknowns.append(Unknown(what="the project's dependencies", why=why, where=Where(file=file, line=1)))
    python = config.get("options", "python_requires", fallback=None)
    return Project(
        kind=Kind.SETUP_CFG,
        path=str(path),
        name=config.get("metadata", "name", fallback=None),
        requires_python=python,
        requires_python_where=Where(file=file, line=line_of(text, "python_requires")),
        locked=False,
        packages=tuple(packages),
        extras=tuple(extras),
        unknowns=tuple(unknowns),
    )


READER = Reader(kind=Kind.SETUP_CFG, recognises=unshadowed(NAME), read=read)
