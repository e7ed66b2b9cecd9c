"""Puts a wheel's files into an environment, as the wheel format says; nothing of it is run.

For boards that have no pip, or one from years ago: a wheel is an archive with a plan, and its hash was checked before.
Standard library only, Python 3.6 and later.
"""

import base64
import configparser
import csv
import errno
import hashlib
import io
import os
import re
import struct
import zipfile
import zlib
from typing import IO, Dict, Iterator, List, NamedTuple, Tuple

from jetproof_worker.names import normalised

try:
    from lzma import LZMAError
except ImportError:  # a Python that was built without it unpacks no such wheel either
    LZMAError = RuntimeError  # type: ignore[misc,assignment]

MOST = 8 << 30
"""Bytes that one wheel may unpack to."""
_INSTALLER = b"jetproof\n"
_ENTRY = re.compile(r"(?P<module>[A-Za-z_][\w.]*)\s*:\s*(?P<name>[A-Za-z_][\w.]*)\s*(\[.*\])?$")
_SCRIPT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
_ANY_PYTHON = b"#!python"
"""How a script of a wheel begins that wants the interpreter it is installed for."""
_CHUNK = 1 << 20
_METADATA = 4 << 20
"""Bytes of a file of metadata that is read as a whole."""
_ENVIRONMENTS = re.compile(r"(python|pypy|activate|deactivate)[\d.]*(\..*)?", re.IGNORECASE)
"""Programs that are the environment's own, whichever of them it has."""
_LIES = (errno.EEXIST, errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL, None)
"""What the system says of names and contents that cannot be; anything else is the disk's fault."""

Row = Tuple[str, str, int]


class BadWheel(Exception):
    """It is no wheel that can be installed here."""


class Home(NamedTuple):
    """The places of an environment."""

    root: str
    site: str
    """Its folder of packages."""

    @property
    def python(self) -> str:
        """Its interpreter."""
        return os.path.join(self.root, "bin", "python")


def unpack(wheel: str, home: Home) -> None:
    """Put all files of a wheel in their places and note them in RECORD. Raises `BadWheel`, OSError."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            _unpack(archive, home)
    except (zipfile.BadZipFile, zlib.error, LZMAError, struct.error, EOFError, RuntimeError, ValueError) as error:
        # damaged, cut off, encrypted, packed by a method that this Python does not know, named in no encoding
        raise BadWheel("%s is no archive that can be read: %s" % (os.path.basename(wheel), error)) from error
    except OSError as error:
        if error.errno not in _LIES:
            raise
        raise BadWheel("it holds what cannot be written: %s" % str(error)[:300]) from error


def _unpack(archive: zipfile.ZipFile, home: Home) -> None:
    entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]
    if sum(entry.file_size for entry in entries) > MOST:
        raise BadWheel("it would unpack to more than %d GiB" % (MOST >> 30))
    info = _info(archive, [entry.filename for entry in entries])
    wheel = normalised(os.path.basename(archive.filename or "").split("-")[0])
    if normalised(info.split("-")[0]) != wheel:
        raise BadWheel("it is called %s and says that it is %s" % (wheel[:100], info[:100]))
    rows: List[Row] = []
    for entry in entries:
        if entry.filename in (info + "/RECORD", info + "/RECORD.jws", info + "/RECORD.p7s"):
            continue
        path, script = _place(entry.filename, info, home)
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        _refuse_other(os.path.relpath(real, os.path.realpath(home.site)), info)
        with archive.open(entry) as source:
            head = source.read(len(_ANY_PYTHON)) if script else b""
            if head == _ANY_PYTHON:
                source.readline()
                head = _shebang(home.python)
            executable = script or bool(entry.external_attr >> 16 & 0o111)
            rows.append(_write(path, head, source, home, executable))
    for name, content in _scripts(archive, info, home).items():
        rows.append(_write(os.path.join(home.root, "bin", name), content, io.BytesIO(), home, True))
    rows.append(_write(os.path.join(home.site, info, "INSTALLER"), _INSTALLER, io.BytesIO(), home, False))
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerows(rows)
    table.writerow((info + "/RECORD", "", ""))
    _write(os.path.join(home.site, info, "RECORD"), text.getvalue().encode("utf-8"), io.BytesIO(), home, False)


def _info(archive: zipfile.ZipFile, names: List[str]) -> str:
    """Return the name of the wheel's metadata folder."""
    found = {name.split("/")[0] for name in names if name.split("/")[0].endswith(".dist-info")}
    if len(found) != 1:
        raise BadWheel("it holds %d metadata folders instead of one" % len(found))
    info = found.pop()
    try:
        told = _metadata(archive, info + "/WHEEL").decode("utf-8", "replace")
    except KeyError:
        raise BadWheel("it holds no file WHEEL") from None
    if not re.search(r"^Wheel-Version:\s*1\.", told, re.MULTILINE):
        raise BadWheel("it is of another format than wheel 1.x")
    return info


def _metadata(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return a file of the metadata. Raises KeyError where there is none."""
    if archive.getinfo(name).file_size > _METADATA:
        raise BadWheel("its %s is larger than %d MiB" % (name[:200], _METADATA >> 20))
    return archive.read(name)


def _place(name: str, info: str, home: Home) -> Tuple[str, bool]:
    """Return where a file goes, and whether it is a script."""
    parts = name.split("/")
    if name.startswith("/") or "\\" in name or "\0" in name or any(part in ("", ".", "..") for part in parts):
        raise BadWheel("it holds a name that leads out: %r" % name[:200])
    if parts[0] != info[: -len(".dist-info")] + ".data":
        return os.path.join(home.site, *parts), False
    kind, rest = "".join(parts[1:2]), parts[2:]
    tops = {
        "purelib": home.site,
        "platlib": home.site,
        "scripts": os.path.join(home.root, "bin"),
        "data": home.root,
        "headers": os.path.join(home.root, "include", "site", info.split("-", maxsplit=1)[0]),
    }
    if kind not in tops or not rest:
        raise BadWheel("it holds data of a kind that is not known: %r" % name[:200])
    return os.path.join(tops[kind], *rest), kind == "scripts"


def _refuse_other(path: str, info: str) -> None:
    """Refuse metadata of another distribution: it would stand before the vendor's, or before another wheel's."""
    top = path.split(os.sep, maxsplit=1)[0]
    stem, dot, kind = top.rpartition(".")
    # Python itself finds metadata whatever the case of these words
    if dot and kind.lower() in ("dist-info", "egg-info", "egg-link") and top != info:
        own = info[: -len(".dist-info")].split("-", maxsplit=1)[0]
        if kind.lower() == "dist-info" or normalised(stem.split("-")[0]) != normalised(own):
            raise BadWheel("it holds the metadata of another distribution: %s" % top[:200])


def _scripts(archive: zipfile.ZipFile, info: str, home: Home) -> Dict[str, bytes]:
    """Return the programs that the wheel's entry points ask for."""
    try:
        text = _metadata(archive, info + "/entry_points.txt").decode("utf-8")
    except KeyError:
        return {}
    points = configparser.RawConfigParser(delimiters=("=",), strict=False)
    points.optionxform = str  # type: ignore[assignment,method-assign]  # names keep their case
    try:
        points.read_string(text)
    except configparser.Error as error:
        raise BadWheel("its entry points cannot be read: %s" % error) from error
    found = {}
    for section in ("console_scripts", "gui_scripts"):
        for name, target in points.items(section) if points.has_section(section) else ():
            entry = _ENTRY.match(target)
            if entry is None or _SCRIPT.fullmatch(name) is None:
                raise BadWheel("its entry point is not understood: %r = %r" % (name[:100], target[:100]))
            lines = "import sys\nfrom {0} import {1}\n\nif __name__ == '__main__':\n    sys.exit({2}())\n".format(
                entry.group("module"), entry.group("name").split(".")[0], entry.group("name")
            )
            found[name] = _shebang(home.python) + lines.encode("utf-8")
    return found


def _shebang(python: str) -> bytes:
    """Return the first line of a script; the kernel takes neither blanks nor long paths in one."""
    if " " not in python and len(python) < 120:
        return b"#!%s\n" % os.fsencode(python)
    return b"#!/bin/sh\n'''exec' \"%s\" \"$0\" \"$@\"\n' '''\n" % os.fsencode(python)


def _write(path: str, head: bytes, source: IO[bytes], home: Home, executable: bool) -> Row:
    """Write a file below the environment and return its row of RECORD; what the environment itself needs stays."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    root = os.path.realpath(home.root)
    inside = os.path.relpath(real, root)
    folder, name = os.path.split(inside)
    own = inside == "pyvenv.cfg" or (folder == "bin" and _ENVIRONMENTS.fullmatch(name)) or os.path.islink(path)
    if own or not real.startswith(root + "/"):
        raise BadWheel("it would overwrite %s" % os.path.relpath(path, home.root))
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    told, size = hashlib.sha256(), 0
    with os.fdopen(os.open(path, flags, 0o755 if executable else 0o644), "wb") as file:
        for block in _blocks(head, source):
            file.write(block)
            told.update(block)
            size += len(block)
    digest = base64.urlsafe_b64encode(told.digest()).rstrip(b"=").decode("ascii")
    return os.path.relpath(path, home.site), "sha256=" + digest, size


def _blocks(head: bytes, source: IO[bytes]) -> Iterator[bytes]:
    if head:
        yield head
    for block in iter(lambda: source.read(_CHUNK), b""):
        yield block
