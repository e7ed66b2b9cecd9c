"""Runs the worker for a controller at the other end of a link that may be cut, and keeps what it said.

What the worker tells goes into a spool, from which a reader sends it over whatever link there is at the moment. The
keeper ends, and everything it made with it, when it is told to or when nobody has attended for the grace time.
Standard library only, Python 3.6 and later.
"""

import fcntl
import hashlib
import json
import os
import signal
import sys
import threading
import time
from typing import Any, Dict, List, Optional

from jetproof_worker import board_place, files, frames, link_boot, process

SPOOL = "spool"
KEPT = "kept"
"""Locked and holding the keeper's process id, as long as it lives."""
ATTENDED = "attended"
"""Locked, shared, by each reader."""
MOST_SPOOLED = 512 << 20
"""Bytes that one run may tell."""
GPU_LOCK = "/tmp/jetproof-gpu.lock"  # noqa: S108 - the place that all users' runs on a machine agree on
_HERE = "@jetproof@"
"""Stands in a request for the run's folder, which only the board knows."""
_LOOK = 0.25
_FORGOTTEN = 600.0


class TooMuch(Exception):
    """The worker told more than the spool may hold."""


class Spool:
    """The records of one run, in the order in which they came."""

    def __init__(self, path: str, token: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        self._token = token
        self._size = 0

    def tell(self, record: Dict[str, Any]) -> None:
        """Add a record of the keeper's own."""
        self.keep(dict(record, link=self._token))

    def keep(self, record: Dict[str, Any]) -> None:
        """Add a record. Raises `TooMuch`."""
        self._size += len(frames.frame(record))
        if self._size > MOST_SPOOLED and record.get("record") != "link-end":
            raise TooMuch("more than %d MiB of records" % (MOST_SPOOLED >> 20))
        frames.write(self._fd, record)


def main(folder: str, header: Dict[str, Any], ready: int) -> None:
    """Run what was asked, then wait until the controller has read it all or is gone for good."""
    kept = os.open(os.path.join(folder, KEPT), os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(kept, fcntl.LOCK_EX)
    os.write(kept, b"%d\n" % os.getpid())
    sweep(os.path.dirname(folder))
    os.makedirs(os.path.join(folder, "tmp"), mode=0o700, exist_ok=True)
    os.close(os.open(os.path.join(folder, ATTENDED), os.O_RDWR | os.O_CREAT, 0o600))
    spool = Spool(os.path.join(folder, SPOOL), header["token"])
    spool.tell(
        {
            "record": "link-hello",
            "folder": folder,
            "home": os.path.expanduser("~"),
            "account": files.user_name(),
            "python": sys.executable,
            "device_id": _device_id(),
        }
    )
    threading.Thread(target=_watch, args=(folder, float(header["grace"])), daemon=True).start()
    os.write(ready, b"ok")
    os.close(ready)
    try:
        spool.tell(_run_alone(folder, header, spool) if header["mode"] == "serve" else _run(folder, header, spool))
        while True:
            time.sleep(3600)  # ended by a signal: the reader's, or that of the watch
    finally:
        process.kill_descendants()
        _undo(folder)


def _undo(folder: str) -> None:
    """Have an installation that was ended from outside leave what was there before it."""
    try:
        with open(os.path.join(folder, "request.json"), "rb") as file:
            request = json.loads(file.read().decode("utf-8"))
    except (OSError, ValueError):
        return
    if request.get("do") == "install":
        board_place.undo(str(request["venv"]))


def _run_alone(folder: str, header: Dict[str, Any], spool: Spool) -> Dict[str, Any]:
    """Run with the lock of the board's GPU held: two gates must not share it."""
    lock = _lock_gpu()
    if lock is None:
        return {"record": "link-end", "status": "busy", "code": None, "stderr": "", "detail": GPU_LOCK}
    try:
        return _run(folder, header, spool)
    finally:
        _unlock_gpu(lock)


def _run(folder: str, header: Dict[str, Any], spool: Spool) -> Dict[str, Any]:
    """Run the worker and return the record that tells its end."""
    with open(os.path.join(folder, "request.json"), "rb") as file:
        request = here(json.loads(file.read().decode("utf-8")), folder)
    nonce = request["nonce"]
    reader = frames.Reader()
    said = _Said(spool) if request.get("progress") else None

    def arrived(chunk: bytes) -> None:
        for record in reader.feed(chunk):
            if record.get("nonce") == nonce:
                spool.keep(record)

    worker = os.path.join(folder, "worker.pyz")
    flags = ["-B", "-E", "-S"] if header["mode"] == "collect" else ["-B"]
    environment = dict(os.environ, TMPDIR=os.path.join(folder, "tmp"))
    project = os.path.join(folder, "project")
    before = digests(project)
    try:
        done = process.run(
            [sys.executable, *flags, worker, header["mode"]],
            float(header["timeout"]),
            stdin=json.dumps(request).encode("utf-8"),
            env=environment,
            cwd=os.path.expanduser("~") if os.path.isdir(os.path.expanduser("~")) else "/",
            limit=1 << 16,
            on_stdout=arrived,
            on_stderr=said,
        )
    except TooMuch as error:
        return {"record": "link-end", "status": "failed", "code": None, "stderr": "", "detail": str(error)}
    end: Dict[str, Any] = {
        "record": "link-end",
        "status": done.status,
        "code": done.code,
        "stderr": done.stderr.decode("utf-8", "replace"),
        "detail": done.detail,
        "seconds": done.seconds,
    }
    after = digests(project)
    changed = sorted(name for name in before if after.get(name) != before[name])
    if changed:
        detail = "the project's files were changed on the board while it ran: %s" % ", ".join(changed[:3])
        end.update(status="failed", code=None, detail=detail)
    return end


class _Said:
    """Passes on whole lines of progress."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._rest = b""

    def __call__(self, chunk: bytes) -> None:
        lines = (self._rest + chunk).split(b"\n")
        self._rest = lines.pop()[-4096:]
        for line in lines:
            if line.startswith(b"jetproof: "):
                self._spool.tell({"record": "link-said", "text": line.decode("utf-8", "replace")[:500]})


def here(value: Any, folder: str) -> Any:
    """Return a request with the run's folder in the places that stand for it."""
    if isinstance(value, str):
        return folder + value[len(_HERE) :] if value == _HERE or value.startswith(_HERE + "/") else value
    if isinstance(value, list):
        return [here(member, folder) for member in value]
    if isinstance(value, dict):
        return {name: here(member, folder) for name, member in value.items()}
    return value


def digests(project: str) -> Dict[str, str]:
    """Return what each file of the project holds, by its path; what was made beside them is not asked."""
    found = {}
    for place, _, names in os.walk(project):
        for name in names:
            path = os.path.join(place, name)
            if os.path.islink(path):
                found[path[len(project) + 1 :]] = "-> " + os.readlink(path)
                continue
            try:
                with open(path, "rb") as file:
                    digest = hashlib.sha256()
                    for block in iter(lambda: file.read(1 << 20), b""):
                        digest.update(block)
            except OSError as error:
                found[path[len(project) + 1 :]] = "unreadable: %s" % error.strerror
                continue
            found[path[len(project) + 1 :]] = digest.hexdigest()
    return found


def _watch(folder: str, grace: float) -> None:
    """End the keeper when nobody has attended for `grace` seconds."""
    attended = os.open(os.path.join(folder, ATTENDED), os.O_RDWR)
    seen = time.monotonic()
    while time.monotonic() - seen <= grace:
        time.sleep(min(_LOOK, grace))
        if not alone(attended):
            seen = time.monotonic()
    os.kill(os.getpid(), signal.SIGTERM)


def alone(descriptor: int) -> bool:
    """Whether nobody else holds a lock on this file."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return True


def _lock_gpu() -> Optional[int]:
    """Return the lock that all runs on this board share; None when another has it."""
    path = _gpu_lock()
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    for _ in range(10):
        try:
            descriptor = os.open(path, flags | os.O_CREAT, 0o644)
        except PermissionError:
            descriptor = os.open(path, flags)  # another account's, in a sticky folder
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), os.stat(path)):
                return descriptor
        except FileNotFoundError:
            pass  # its last holder removed it just now
        except OSError:
            os.close(descriptor)
            return None
        os.close(descriptor)
    return None


def _unlock_gpu(lock: int) -> None:
    try:
        os.unlink(_gpu_lock())  # while it is held, so that nobody can hold the same name twice
    except OSError:
        pass  # another account's: it was there before
    os.close(lock)


def _gpu_lock() -> str:
    return os.environ.get("JETPROOF_GPU_LOCK") or GPU_LOCK


def sweep(folder: str) -> List[str]:
    """Remove what a power cut left of earlier runs of this account; return the folders that went."""
    gone = []
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if not name.startswith(link_boot.PREFIX) or not link_boot.is_ours(path):
            continue
        try:
            descriptor = os.open(os.path.join(path, KEPT), os.O_RDWR | os.O_NOFOLLOW)
        except OSError:
            if time.time() - os.lstat(path).st_mtime > _FORGOTTEN:
                link_boot.remove(path)
                gone.append(path)
            continue
        try:
            dead = alone(descriptor) and os.fstat(descriptor).st_size > 0
        finally:
            os.close(descriptor)
        if dead:
            clear(path)
            gone.append(path)
    return gone


def clear(folder: str) -> None:
    """Remove what a keeper left that was killed."""
    _undo(folder)
    link_boot.remove(folder)
    lock = _lock_gpu()
    if lock is not None:
        _unlock_gpu(lock)


def _device_id() -> Optional[str]:
    """Return the id that jetproof itself keeps on this machine, if it ever ran here."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    try:
        with open(os.path.join(base, "jetproof", "device-id"), "rb") as file:
            text = file.read(100).decode("ascii", "replace").strip()
    except OSError:
        return None
    return text if len(text) == 32 and all(letter in "0123456789abcdef" for letter in text) else None
