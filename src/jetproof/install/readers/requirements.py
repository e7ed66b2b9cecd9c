"""
requirements.txt and constraints files, as pip reads them.

What is read
    Requirements with markers, extras, hashes and addresses; `-r` and `-c` files, nested, within the project;
    `-e`; `--index-url`, `--extra-index-url`, `--find-links`, `--no-index`, `--pre`; lines continued with a
    backslash; comments. A wheel that is named by its file or address tells its name, its number and its tags. Files
    in UTF-16, as PowerShell writes them.

What is not decided
    A file that is missing, lies outside the project or includes itself, `${VARIABLES}`, a local path whose metadata
    has to be
    computed, and a repository or an archive, since nothing says what it needs in turn.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from jetproof.errors import UsageError
from jetproof.install.locked import (
    File,
    Index,
    Kind,
    LockedPackage,
    Project,
    Source,
    SourceKind,
    Unknown,
    Where,
    normal,
)
from jetproof.install.readers.document import MAX_PACKAGES, content, inside, is_there, where_of
from jetproof.install.readers.reader import Reader
from jetproof.install.readers.requirement import package, parsed, source_of
from jetproof_worker.redact import without_secrets

MAX_NESTING = 20
_VARIABLE = re.compile(r"\$\{[A-Z0-9_]+\}")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_EGG = re.compile(r"[#&]egg=([A-Za-z0-9._-]+)")
_HASH = re.compile(r"\s--hash[= ]\s*([a-z0-9]+:[0-9A-Fa-f]+)")
_OPTIONS = re.compile(r"\s-.*$")
"""Of one requirement: pip takes the words up to the first that begins with a dash, and passes over indexes there."""
_ARCHIVES = (".whl", ".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar")
"""What pip takes for the name of a file, without looking whether it is there."""
_SILENT = (
    "--pre", "--no-index", "--prefer-binary", "--require-hashes", "--only-binary", "--no-binary",
    "--trusted-host", "--use-feature", "--no-deps", "-i ", "--exists-action",
)  # fmt: skip


@dataclass(kw_only=True)
class _Found:
    """What has been read so far, over all nested files."""

    root: Path
    packages: list[LockedPackage] = field(default_factory=list)
    constraints: list[LockedPackage] = field(default_factory=list)
    unknowns: list[Unknown] = field(default_factory=list)
    indexes: list[Index] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    opened: list[tuple[Path, bool]] = field(default_factory=list)
    """The files that are being read, each included by the one before."""
    seen: set[tuple[Path, bool]] = field(default_factory=set)


def _joined(text: str) -> Iterator[tuple[int, str]]:
    """Yield (line number, content) with continued lines joined and comments taken off."""
    number, begun, parts = 0, 1, list[str]()
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.rstrip("\r")
        if not parts:
            begun = number
        if line.endswith("\\") and not line.lstrip().startswith("#"):
            parts.append(line[:-1])
            continue
        whole = _COMMENT.sub("", "".join([*parts, line])).strip()
        parts = []
        if whole:
            yield begun, whole
    if parts:
        yield begun, "".join(parts).strip()


def _value(line: str) -> str:
    """The argument of an option that stands alone on a line."""
    body = line.partition(" ")[2] if " " in line.split("=", 1)[0] or "=" not in line else line.partition("=")[2]
    try:
        words = shlex.split(body)
    except ValueError:
        words = body.split()
    return words[0] if words else ""


def _index(line: str, where: Where, found: _Found) -> None:
    url = _value(line)
    if url:
        found.indexes.append(Index(url=without_secrets(url), where=where))


def _nested(name: str, including: Path, where: Where, found: _Found, *, constraint: bool, depth: int) -> None:
    if "://" in name:
        why = "it is fetched from the network when it is installed"
        found.unknowns.append(Unknown(what=without_secrets(name), why=why, where=where))
        return
    target = including.parent / name
    if depth > MAX_NESTING:
        found.unknowns.append(
            Unknown(what=without_secrets(name), why=f"files nest deeper than {MAX_NESTING}", where=where)
        )
    elif not inside(found.root, target):
        found.unknowns.append(
            Unknown(what=without_secrets(name), why="it lies outside the project and is not opened", where=where)
        )
    elif not is_there(target):
        found.unknowns.append(Unknown(what=without_secrets(name), why="the file is missing", where=where))
    elif (target.resolve(), constraint) in found.opened:
        why = "it includes itself, directly or through others, and pip stops there"
        found.unknowns.append(Unknown(what=without_secrets(name), why=why, where=where))
    else:
        _read_file(target, found, constraint=constraint, depth=depth)


def _local(text: str, including: Path, where: Where, found: _Found, *, editable: bool) -> None:
    """A path: its own metadata says what it needs, where that is written down and not computed."""
    bare, _, extras = text.partition("[")
    folder = including.parent / bare.removeprefix("file://").removeprefix("file:").strip()
    what = f"-e {text}" if editable else text
    if not inside(found.root, folder):
        found.unknowns.append(
            Unknown(what=without_secrets(what), why="it lies outside the project and is not opened", where=where)
        )
        return
    if not is_there(folder / "pyproject.toml"):
        why = "what it needs is computed by its setup.py" if is_there(folder / "setup.py") else "nothing is there"
        found.unknowns.append(Unknown(what=without_secrets(what), why=why, where=where))
        return
    from jetproof.install.readers import pyproject

    key = (folder.resolve() / "pyproject.toml", False)
    if key in found.seen:
        return
    found.seen.add(key)
    project = pyproject.read(folder / "pyproject.toml", found.root)
    wanted = {f"extra:{normal(extra)}" for extra in extras.rstrip("]").split(",") if extra.strip()}
    for one in project.packages:
        if not one.only_in:
            found.packages.append(one)
        elif wanted.intersection(one.only_in):
            found.packages.append(_always(one))
    found.unknowns += project.unknowns
    found.indexes += project.indexes


def _always(one: LockedPackage) -> LockedPackage:
    import dataclasses

    return dataclasses.replace(one, only_in=())


def _by_address(line: str, where: Where, found: _Found, *, editable: bool) -> None:
    """A repository or an archive by its address or its file name alone; a marker may follow."""
    text, _, marker = (part.strip() for part in line.partition(";"))
    egg = _EGG.search(text)
    wheel = unquote(text.partition("#")[0].rpartition("/")[2])
    parts = wheel.split("-")
    source = source_of(text)
    if editable:
        source = Source(kind=SourceKind.VCS, location=source.location)
    elif "://" not in text:
        source = Source(kind=SourceKind.PATH, location=source.location)
    files: tuple[File, ...] = ()
    if wheel.endswith(".whl") and len(parts) >= 5 and parsed(parts[0]):
        name: str | None = normal(parts[0])
        release: str | None = parts[1]
        files = (File(filename=wheel),)
    else:
        name, release = (normal(egg[1]) if egg else None), None
    if name is None or (marker and parsed(f"{name}; {marker}") is None):
        why = "an address alone does not say what it is nor what it needs"
        found.unknowns.append(Unknown(what=without_secrets(text), why=why, where=where))
        return
    found.packages.append(
        LockedPackage(
            name=name,
            release=release,
            marker=marker or None,
            files=files,
            source=source,
            where=where,
            written=without_secrets(line),
        )
    )


def _is_folder(folder: Path, name: str) -> bool:
    return re.fullmatch(r"[\w./-]{1,200}", name) is not None and (folder / name).is_dir()


def _requirement(line: str, including: Path, where: Where, found: _Found, *, constraint: bool) -> None:
    hashes = tuple(_HASH.findall(line))
    text = _OPTIONS.sub("", _HASH.sub("", line)).strip()
    if not constraint and re.match(r"(git|hg|svn|bzr)\+|https?://|file:", text):
        _by_address(text, where, found, editable=False)
        return
    file = text.partition(";")[0].partition("[")[0].strip()
    if not constraint and " " not in file and file.lower().endswith(_ARCHIVES):
        _by_address(text, where, found, editable=False)
        return
    if not constraint and (text.startswith((".", "/", "~")) or _is_folder(including.parent, text.partition("[")[0])):
        _local(text, including, where, found, editable=False)
        return
    one = package(text, where, hashes=hashes)
    if isinstance(one, Unknown):
        found.unknowns.append(one)
    else:
        (found.constraints if constraint else found.packages).append(one)
    if len(found.packages) + len(found.constraints) > MAX_PACKAGES:
        raise UsageError(f"{where}: more than {MAX_PACKAGES} requirements", reason="too-large")


def _line(line: str, including: Path, where: Where, found: _Found, *, constraint: bool, depth: int) -> None:
    if _VARIABLE.search(line):
        why = "a variable of the environment stands in it, whose value is not known here"
        found.unknowns.append(Unknown(what=without_secrets(line)[:200], why=why, where=where))
    elif match := re.match(r"(-r|--requirement|-c|--constraint)(?:[ =]\s*|(?=[^-\s]))(.+)", line):
        nested = constraint or match[1] in ("-c", "--constraint")
        _nested(match[2].strip().strip("'\""), including, where, found, constraint=nested, depth=depth + 1)
    elif match := re.match(r"(?:-e|--editable)[ =]\s*(.+)", line):
        text = match[1].strip().strip("'\"")
        if re.match(r"(git|hg|svn|bzr)\+", text):
            _by_address(text, where, found, editable=True)
        else:
            _local(text, including, where, found, editable=True)
    elif line.startswith(("--index-url", "--extra-index-url", "-i ", "--find-links", "-f ", "--pypi-url")):
        _index(line, where, found)
    elif line.startswith(_SILENT):
        return
    elif line.startswith("-"):
        found.unknowns.append(Unknown(what=without_secrets(line)[:200], why="this option is not known", where=where))
    else:
        _requirement(line, including, where, found, constraint=constraint)


def _read_file(path: Path, found: _Found, *, constraint: bool, depth: int) -> None:
    key = (path.resolve(), constraint)
    file = where_of(path, found.root)
    if key in found.seen:
        return
    found.seen.add(key)
    found.opened.append(key)
    for number, line in _joined(content(path, marked=True)):
        _line(line, path, Where(file=file, line=number), found, constraint=constraint, depth=depth)
    found.opened.pop()


def read(path: Path, root: Path) -> Project:
    """Read a requirements file and what it includes."""
    found = _Found(root=root)
    _read_file(path, found, constraint=False, depth=0)
    head = content(path, marked=True)[:400]
    # with a hash on each line pip refuses whatever is not listed: then the list is complete. What a resolver wrote is
    pinned = bool(found.packages) and (
        all(one.hashes for one in found.packages)
        or ("autogenerated by" in head and all(one.release for one in found.packages))
    )
    return Project(
        kind=Kind.REQUIREMENTS,
        path=str(path),
        locked=pinned,
        packages=tuple(found.packages),
        indexes=tuple(found.indexes),
        constraints=tuple(found.constraints),
        unknowns=tuple(found.unknowns),
        notes=tuple(found.notes),
    )


def _recognises(path: Path) -> bool:
    return path.suffix in (".txt", ".in", ".pip")


READER = Reader(kind=Kind.REQUIREMENTS, recognises=_recognises, read=read)
