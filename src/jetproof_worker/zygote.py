"""A process that is forked for each item: either bare, or holding the one import of torch.

It runs no operation and starts no thread, so that a fork of it is a sound process. The supervisor speaks with it over a
socket pair of whole messages; the pipes of an item's process travel with the order to fork it. An ended item stays
unreaped until the supervisor says so: its process id and group stay its own until all its descendants are ended.
"""

from __future__ import annotations

import array
import faulthandler
import importlib
import json
import os
import select
import signal
import socket
import sys
import time
import traceback
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from jetproof_worker import item_process, kernel, process

PIPES = ("result", "journal", "stderr", "dump")
"""The pipes of an item's process, in the order in which they travel."""

_MESSAGE = 1 << 20
_SAID = 16384
_ONE_THREAD = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NVPL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


class Zygote:
    """The supervisor's end: a running zygote, its socket, and what it printed."""

    def __init__(self, with_torch: bool, pid: int, link: socket.socket, stderr: int, dump: int) -> None:
        self.with_torch = with_torch
        self.pid = pid
        self.link = link
        self.said = {stderr: process.HeadTail(_SAID), dump: process.HeadTail(_SAID)}
        self.ready = False
        self.started = time.monotonic()
        self._stderr, self._dump = stderr, dump

    def say(self, order: Mapping[str, Any], fds: Sequence[int] = ()) -> bool:
        """Send one order; False when the zygote is gone."""
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds).tobytes())] if fds else []
        try:
            self.link.sendmsg([json.dumps(order).encode("ascii")], rights)
        except OSError:
            return False
        return True

    def heard(self) -> Optional[List[Dict[str, Any]]]:
        """Return the messages that have come, or None when the zygote is gone."""
        messages: List[Dict[str, Any]] = []
        while True:
            try:
                data = self.link.recv(_MESSAGE)
            except BlockingIOError:
                return messages
            except OSError:
                return messages or None
            if not data:
                return messages or None
            messages.append(json.loads(data))

    def listen(self, number: int) -> bool:
        """Take what it printed on one of its pipes; False when that has been closed."""
        try:
            data = os.read(number, _MESSAGE)
        except (BlockingIOError, InterruptedError):
            return True
        except OSError:
            return False
        self.said[number].feed(data)
        return bool(data)

    def text(self) -> str:
        """What it printed so far, head and tail."""
        return self.said[self._stderr].value().decode("utf-8", "replace")

    def trace(self) -> str:
        """The traceback that it left when it crashed or was asked for one."""
        return self.said[self._dump].value().decode("utf-8", "replace")

    def close(self) -> None:
        """Let go of its socket and pipes; it ends by itself when the socket closes."""
        self.link.close()
        for number in self.said:
            os.close(number)


def reap(pid: int) -> Optional[int]:
    """Wait for a process that has been killed and has become ours; its wait status, None when it does not end."""
    for _ in range(200):
        try:
            done, status = os.waitpid(pid, os.WNOHANG)
        except OSError:
            return None
        if done:
            return status
        time.sleep(0.01)
    return None


def start(with_torch: bool, with_compiler: bool = False) -> Zygote:
    """Fork a zygote: with torch, and with torch's compiler front end too, or bare."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    here.setblocking(False)
    for end in (here, there):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2 * _MESSAGE)
    errors_in, errors_out = os.pipe()
    dump_in, dump_out = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        status = 70
        try:
            here.close()
            _be(there, (with_torch, with_compiler), parent, errors_out, dump_out)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    there.close()
    os.close(errors_out)
    os.close(dump_out)
    for number in (errors_in, dump_in):
        os.set_blocking(number, False)
    return Zygote(with_torch, pid, here, errors_in, dump_in)


def _be(link: socket.socket, imports: Tuple[bool, bool], parent: int, errors: int, dump: int) -> None:
    os.setsid()
    process.adopt_orphans()
    kernel.die_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(errors, 1)
    os.dup2(errors, 2)
    kept = {0, 1, 2, dump, link.fileno()}
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in kept:
            try:
                os.close(int(name))
            except OSError:
                pass
    faulthandler.enable(file=dump, all_threads=True)
    faulthandler.register(item_process.DUMP_SIGNAL, file=dump, all_threads=True, chain=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    with_torch, with_compiler = imports
    _answer(link, dict(_imported(with_compiler) if with_torch else {}, ready=True))
    _serve(link)


def _imported(with_compiler: bool) -> Dict[str, Any]:
    """Import torch and say what it left behind: threads, device nodes, CUDA's state."""
    before = dict(os.environ)
    for name in _ONE_THREAD:
        os.environ[name] = "1"
    started = time.monotonic()
    try:
        torch = importlib.import_module("torch")
        version = getattr(torch, "version", None)
        told: Dict[str, Any] = {
            "torch": str(torch.__version__),
            "cuda": getattr(version, "cuda", None),
            "file": getattr(torch, "__file__", None),
        }
        if with_compiler:
            told["compiler"] = _compiler()
        told["cuda_initialised"] = bool(torch.cuda.is_initialized())
    except BaseException as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == "torch"
        told = {
            "reason": "no-torch" if missing else "torch-import-failed",
            "message": "%s: %s" % (type(error).__name__, error),
            "traceback": traceback.format_exc()[-8000:],
        }
    finally:
        os.environ.clear()
        os.environ.update(before)  # what an item starts must not inherit the limit
    told["seconds"] = time.monotonic() - started
    told["threads"] = kernel.threads()
    told["device_nodes"] = kernel.gpu_nodes()
    sys.stdout.flush()
    sys.stderr.flush()
    return told


def _compiler() -> str:
    """Import torch's own compiler front end, which several items need and none may start; say how that went.

    It is part of torch and costs as much again: torchvision, transformers and bitsandbytes each bring it along.
    """
    try:
        importlib.import_module("torch._dynamo")
    except BaseException as error:  # an old torch has none, and the items then tell what they miss
        return "%s: %s" % (type(error).__name__, error)
    return "ok"


def _answer(link: socket.socket, message: Mapping[str, Any]) -> None:
    link.sendall(json.dumps(message).encode("ascii"))


def _serve(link: socket.socket) -> None:
    """Fork, report and reap as told, until the supervisor closes its end."""
    woken, wake = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    running: Dict[int, str] = {}
    while True:
        ready, _, _ = select.select([link.fileno(), woken], [], [])
        if woken in ready:
            try:
                os.read(woken, 4096)
            except BlockingIOError:
                pass
        for pid in list(running):
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                _answer(link, {"ended": pid, "item": running.pop(pid)})
        if link.fileno() in ready:
            rights_room = socket.CMSG_SPACE(len(PIPES) * array.array("i").itemsize)
            data, ancillary, _, _ = link.recvmsg(_MESSAGE, rights_room)
            if not data:
                return
            fds = array.array("i")
            for level, kind, payload in ancillary:
                if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                    fds.frombytes(payload[: len(payload) - len(payload) % fds.itemsize])
            _obey(link, json.loads(data), list(fds), running)


def _obey(link: socket.socket, order: Mapping[str, Any], fds: List[int], running: Dict[int, str]) -> None:
    if order["do"] == "fork":
        job = order["job"]
        parent = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            _answer(link, {"unforked": job["id"], "message": str(error)})
            pid = -1
        if pid == 0:
            item_process.live(job, dict(zip(PIPES, fds)), parent)
        for number in fds:
            os.close(number)
        if pid > 0:
            running[pid] = job["id"]
            _answer(link, {"forked": pid, "item": job["id"]})
    elif order["do"] == "reap":
        pid = order["pid"]
        try:
            _, status, usage = os.wait4(pid, 0)
        except OSError as error:
            _answer(link, {"reaped": pid, "status": None, "message": str(error)})
            return
        _answer(link, {"reaped": pid, "status": status, "peak": usage.ru_maxrss * 1024})
    elif order["do"] == "forget":
        for pid in order["pids"]:
            try:
                os.waitpid(pid, os.WNOHANG)
            except OSError:
                pass  # not ours, or gone
