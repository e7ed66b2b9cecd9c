"""Begin on a board what was sent over a link: read all of it, check it, and only then leave a trace.

This file's text is sent ahead of everything else and run by the board's Python, so it imports nothing of this package
until the packed worker lies in the run's own folder. Standard library only, Python 3.6 and later.
"""

import hashlib
import io
import json
import os
import shutil
import signal
import stat
import sys
import tarfile
import tempfile
from typing import Any, BinaryIO, Dict, List

ABSENT = 66
"""Exit status: there is no such run here."""
REFUSED = 67
"""Exit status: it could not be begun; standard error says why."""
PREFIX = "jetproof-link-"
"""What the name of a run's folder begins with."""
_HEADER_LIMIT = 1 << 16
_stopping: List[int] = []


class Stop(BaseException):
    """The run is to end now and to leave nothing."""


def folder_of(token: str) -> str:
    """Return the folder of the run that has this token."""
    return os.path.join(tempfile.gettempdir(), PREFIX + token)


def is_ours(folder: str) -> bool:
    """Whether a run's folder is a folder, no link, and of this account."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()


def main(stream: BinaryIO) -> int:
    """Begin a run, read on in one, or end one, as the first line says; return the exit status."""
    header = json.loads(stream.readline(_HEADER_LIMIT).decode("utf-8"))
    folder = folder_of(header["token"])
    if header["do"] == "start":
        parcel = stream.read(header["size"])
        if hashlib.sha256(parcel).hexdigest() != header["sha256"]:
            return ABSENT  # the link was cut on the way: nothing has begun
        trouble = _start(folder, header, parcel)
        if trouble:
            sys.stderr.write("jetproof-link: %s\n" % trouble)
            return REFUSED
        del parcel
    if not is_ours(folder):
        return ABSENT
    sys.path.insert(0, os.path.join(folder, "worker.pyz"))
    try:
        from jetproof_worker import link_reader

        return link_reader.main(folder, header)
    except (ImportError, FileNotFoundError):
        return ABSENT  # it was removed meanwhile


def _start(folder: str, header: Dict[str, Any], parcel: bytes) -> str:
    """Leave a keeper behind that has nothing to do with the link; return what went wrong, or nothing."""
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(told)
            os.setsid()
            if os.fork() == 0:
                _keep(folder, header, parcel, tell)
        finally:
            os._exit(0)
    os.close(tell)
    os.waitpid(child, 0)
    with os.fdopen(told, "rb") as pipe:
        said = pipe.read(2000).decode("utf-8", "replace")
    return "" if said == "ok" else said or "the run ended before it began"


def _keep(folder: str, header: Dict[str, Any], parcel: bytes, tell: int) -> None:
    """Be the keeper: the folder is there exactly as long as this function runs."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _stop)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:  # the start was sent twice, as its first answer was lost on the way
        os.write(tell, b"ok")
        return
    except OSError as error:
        os.write(tell, ("cannot make %s: %s" % (folder, error.strerror)).encode())
        return
    try:
        unpack(parcel, folder)
        sys.path.insert(0, os.path.join(folder, "worker.pyz"))
        from jetproof_worker import link_keeper

        link_keeper.main(folder, header, tell)
    except OSError as error:
        _say(tell, "cannot write to %s: %s" % (folder, error.strerror or error))
    except Stop:
        pass
    except Exception as error:
        _say(tell, "%s: %s" % (type(error).__name__, error))
    finally:
        _stopping.append(0)  # from here on nothing interrupts
        remove(folder)


def remove(folder: str) -> None:
    """Remove a run's folder, also what the run made unwritable in it."""
    for _ in range(3):
        for place, names, _files in os.walk(folder):
            for path in (os.path.join(place, name) for name in names):
                try:
                    if not os.path.islink(path):
                        os.chmod(path, 0o700)
                except OSError:
                    pass
        shutil.rmtree(folder, ignore_errors=True)
        if not os.path.lexists(folder):
            return


def unpack(parcel: bytes, folder: str) -> None:
    """Write what was sent below `folder`: regular files, folders and links, each under a name inside it."""
    with tarfile.open(fileobj=io.BytesIO(parcel), mode="r:gz") as archive:
        for entry in archive:
            parts = entry.name.split("/")
            if entry.name.startswith("/") or ".." in parts or "" in parts:
                raise ValueError("a name that leads out of the folder: %r" % entry.name)
            path = os.path.join(folder, *parts)
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            if entry.issym():
                os.symlink(entry.linkname, path)
            elif entry.isdir():
                os.makedirs(path, mode=0o700, exist_ok=True)
            elif entry.isreg():
                source = archive.extractfile(entry)
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
                with os.fdopen(os.open(path, flags, 0o700 if entry.mode & 0o100 else 0o600), "wb") as file:
                    shutil.copyfileobj(source, file)  # type: ignore[arg-type]
            else:
                raise ValueError("neither file, folder nor link: %r" % entry.name)


def _say(tell: int, text: str) -> None:
    try:
        os.write(tell, text.encode("utf-8", "replace"))
    except OSError:
        pass  # it had been told "ok" already, and the descriptor is closed


def _stop(number: int, frame: Any) -> None:
    del frame
    if not _stopping:
        _stopping.append(number)
        raise Stop(number)
