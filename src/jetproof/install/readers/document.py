"""Reading one hostile file: bounded, strict, and with the place of every fault."""

from __future__ import annotations

import codecs
import gc
import json
import re
import stat
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import cast

from jetproof.errors import UsageError
from jetproof.install.locked import Where

MAX_BYTES = 64 << 20
"""A lock of 10 000 packages is about 25 MB."""
MAX_PACKAGES = 50_000
MAX_NUMBER = 2_000
"""Characters of a release or of a bound on releases."""
MAX_DEPTH = 100
"""Of nested tables and lists; no lock comes near it."""
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""The longer ones first: a mark of UTF-32 begins with one of UTF-16."""
_ROOT_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "pixi.toml")


def project_root(path: Path) -> Path:
    """Return the folder that files may refer to each other in: the nearest one above that looks like a project."""
    start = path if path.is_dir() else path.parent
    for folder in (start, *list(start.resolve().parents)[:4]):
        if any((folder / mark).exists() for mark in _ROOT_MARKS):
            return folder.resolve()
    return start.resolve()


def inside(root: Path, path: Path) -> bool:
    """Whether a path, with all links followed, lies below the root."""
    try:
        return path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):
        return False


def is_there(path: Path) -> bool:
    """Whether a file that a foreign text names is there; a name that no file can have is not."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def content(path: Path, *, marked: bool = False) -> str:
    """Return a file's text. UsageError when it is no regular file, too large or not UTF-8.

    `marked`: UTF-16 and UTF-32 too where a mark at the beginning says so; pip reads those, and PowerShell writes them.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(f"{path} is not a regular file", hint="name a lock, a requirements file or a folder")
        if status.st_size > MAX_BYTES:
            raise UsageError(f"{path} has {status.st_size} bytes; at most {MAX_BYTES} are read", reason="too-large")
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise UsageError(f"{path} does not exist", hint="name a lock, a requirements file or a folder") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if data.startswith(codecs.BOM_UTF8):
        data = data[3:]
    encoding = next((name for mark, name in _MARKS if marked and data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}:{line}: not UTF-8 text", hint="convert it with iconv, or write it anew") from None
    return text.replace("\r\n", "\n") if "\r" in text else text


def toml(path: Path, text: str) -> dict[str, object]:
    """Return a TOML document. UsageError with the line where it stops being one."""
    import tomli

    # a parsed document holds no circles; the collector would walk hundreds of thousands of new objects for nothing
    collecting = gc.isenabled()
    gc.disable()
    try:
        return tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        # the message already ends with "(at line 3, column 4)" or "(at end of document)"
        line = getattr(error, "lineno", None)
        place = f"{path}:{line}" if line else str(path)
        raise UsageError(
            f"{place}: not valid TOML: {error}", hint="is it complete? write it anew", reason="not-toml"
        ) from None
    except (RecursionError, ValueError) as error:
        raise UsageError(f"{path}: not valid TOML: {error}", reason="not-toml") from None
    finally:
        if collecting:
            gc.enable()


def json_object(path: Path, text: str) -> dict[str, object]:
    """Return a JSON object. UsageError with the line where it stops being one."""
    try:
        parsed = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"{path}:{error.lineno}: not valid JSON: {error.msg}", reason="not-json") from None
    except (RecursionError, ValueError) as error:
        raise UsageError(f"{path}: not valid JSON: {error}", reason="not-json") from None
    if not isinstance(parsed, dict):
        raise UsageError(f"{path}: an object was expected at the top", reason="not-json")
    return parsed


def table(value: object, what: str) -> Mapping[str, object]:
    """Return the value if it is a table; an absent one is empty. UsageError when it is something else."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise UsageError(f"{what}: a table was expected, found {type(value).__name__}", reason="wrong-shape")
    return cast("Mapping[str, object]", value)


def tables(value: object, what: str) -> Sequence[Mapping[str, object]]:
    """Return the value if it is a list of tables; an absent one is empty. UsageError when it is something else."""
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise UsageError(f"{what}: a list of tables was expected", reason="wrong-shape")
    if len(value) > MAX_PACKAGES:
        raise UsageError(f"{what}: {len(value)} entries; at most {MAX_PACKAGES} are read", reason="too-large")
    return cast("Sequence[Mapping[str, object]]", value)


def strings(value: object, what: str) -> tuple[str, ...]:
    """Return the value if it is a list of texts; an absent one is empty. UsageError when it is something else."""
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise UsageError(f"{what}: a list of texts was expected", reason="wrong-shape")
    return tuple(cast("list[str]", value))


def text_of(value: object) -> str | None:
    """Return the value if it is a text, else None."""
    return value if isinstance(value, str) else None


def lines_of(text: str, header: str, count: int) -> Callable[[int], int | None]:
    """Return a function that gives the line of the n-th table with that header, like ``[[package]]``.

    Headers stand in the file in the order in which the parser lists the tables. When their number is not `count`
    (one stands inside a text, say) no line is told rather than a wrong one.
    """
    mark = f"\n{header}"
    lines: list[int] = []
    at, line, seen = -1 if text.startswith(header) else text.find(mark), 1, 0
    while at != -1 or (not lines and text.startswith(header)):
        line += text.count("\n", seen, at + 1)
        seen = at + 1
        lines.append(line)
        at = text.find(mark, seen)
    if len(lines) != count:
        return lambda _index: None
    return lambda index: lines[index]


def line_of(text: str, wanted: str, *, start: int = 0) -> int | None:
    """Return the line on which a text first stands, from an offset on."""
    at = text.find(wanted, start)
    return None if at < 0 else text.count("\n", 0, at) + 1


def where_of(path: Path, root: Path) -> str:
    """Return how a file is named in findings: relative to the root where it lies below it."""
    try:
        return str(path.resolve().relative_to(root.resolve()))
    except (OSError, RuntimeError, ValueError):
        return path.name


class Lock:
    """A lock in TOML: its text, what is in it, and where each of its entries stands."""

    def __init__(self, path: Path, root: Path) -> None:
        self.text = content(path)
        self.document = toml(path, self.text)
        self.file = where_of(path, root)

    def entries(self, name: str) -> list[tuple[Mapping[str, object], Where]]:
        """Return the tables ``[[name]]``, each with its place. UsageError when they are something else."""
        raws = tables(self.document.get(name), f"{self.file}: {name}")
        lines = lines_of(self.text, f"[[{name}]]", len(raws))
        return [(raw, Where(file=self.file, line=lines(index))) for index, raw in enumerate(raws)]

    def where(self, wanted: str, *, start: int = 0, end: int | None = None) -> Where:
        """Return the place where a text first stands."""
        return Where(file=self.file, line=line_of(self.text[:end], wanted, start=start))


def sha256_of(value: object) -> str | None:
    """Return the digest of a hash written as ``sha256:…``; None for another one."""
    return value[7:] if isinstance(value, str) and value.startswith("sha256:") else None


_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\Z")


def package_name(value: object, what: str) -> str:
    """Return a package's normalised name. UsageError for what is no name, such as one that climbs out of a folder."""
    from jetproof.install.locked import normal

    if not isinstance(value, str) or len(value) > 255 or not _NAME.match(value):
        raise UsageError(f"{what}: not a package name: {value!r:.120}", reason="bad-name")
    return normal(value)


def place(file: str, line: int | None) -> Where:
    """Return a place in a file."""
    return Where(file=file, line=line)
