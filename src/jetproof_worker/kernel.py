"""What the Linux kernel is asked for: who dies with whom, free memory, out-of-memory kills, open device nodes."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
from typing import List, Optional

from jetproof_worker import memory_groups

_PR_SET_PDEATHSIG = 1
_GPU_NODES = ("/dev/nvidia", "/dev/nvhost", "/dev/nvmap", "/dev/nvgpu", "/dev/nvsciipc", "/dev/dri/")
_LOG_LIMIT = 16384
_VICTIM = 700
"""Of 1000: above what anything else is given, as its death tells the most."""


def die_with_parent(parent: int, number: int = signal.SIGKILL) -> bool:
    """Have the kernel send this process a signal when its parent ends; False where that cannot be had.

    `parent` is the process id that the parent had before the fork: when it is gone already, nothing would ever come.
    """
    try:
        asked = bool(ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0) == 0)
    except (OSError, AttributeError):
        asked = False
    if os.getppid() != parent:
        os.kill(os.getpid(), number)
    return asked


def prefer_as_victim() -> Optional[int]:
    """Have the kernel choose this process first when memory runs out; return the score now in force."""
    try:
        with open("/proc/self/oom_score_adj", "r+") as file:
            now = int(file.read())
            if now < _VICTIM:
                file.seek(0)
                file.write(str(_VICTIM))
                now = _VICTIM
    except (OSError, ValueError):
        return None
    return now


def available_memory() -> Optional[int]:
    """Bytes that can be had without swapping: MemAvailable, or less where this process's cgroup allows less."""
    found = _meminfo("MemAvailable")
    for folder in _memory_groups():
        most = _number(os.path.join(folder, "memory.max")) or _number(os.path.join(folder, "memory.limit_in_bytes"))
        used = _number(os.path.join(folder, "memory.current")) or _number(os.path.join(folder, "memory.usage_in_bytes"))
        if most is None or used is None:
            continue
        cached = _statistic(os.path.join(folder, "memory.stat"), "inactive_file") or 0
        left = max(most - used + cached, 0)
        found = left if found is None else min(found, left)
    return found


def out_of_memory_kills() -> int:
    """How many processes the kernel has killed for memory so far, on the whole machine or in this cgroup."""
    most = _statistic("/proc/vmstat", "oom_kill") or 0
    for folder in _memory_groups():
        for name in ("memory.events", "memory.oom_control"):
            most = max(most, _statistic(os.path.join(folder, name), "oom_kill") or 0)
    return most


def threads() -> Optional[int]:
    """How many threads this process has."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return None


def gpu_nodes() -> List[str]:
    """GPU device nodes that this process holds open."""
    found = []
    try:
        names = os.listdir("/proc/self/fd")
    except OSError:
        return []
    for name in names:
        try:
            target = os.readlink("/proc/self/fd/" + name)
        except OSError:
            continue
        if target.startswith(_GPU_NODES):
            found.append(target)
    return sorted(set(found))


class Log:
    """New lines of the kernel's log since this was opened, where it may be read."""

    def __init__(self) -> None:
        self._fd: Optional[int]
        try:
            self._fd = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            os.lseek(self._fd, 0, os.SEEK_END)
        except OSError:
            self._fd = None

    def news(self) -> str:
        """Return what was logged since the last call, at most the last 16 KiB."""
        lines: List[str] = []
        while self._fd is not None:
            try:
                entry = os.read(self._fd, 8192)
            except BlockingIOError:
                break
            except OSError as error:
                if error.errno == errno.EPIPE:
                    continue  # older lines were overwritten: the next read goes on with those that are left
                break
            if not entry:
                break
            lines.append(entry.partition(b";")[2].split(b"\n")[0].decode("utf-8", "replace"))
            del lines[:-400]
        return "\n".join(lines)[-_LOG_LIMIT:]


def _meminfo(name: str) -> Optional[int]:
    try:
        with open("/proc/meminfo") as file:
            for line in file:
                if line.startswith(name + ":"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return None


def _memory_groups() -> List[str]:
    try:
        with open("/proc/self/cgroup", errors="replace") as file:
            return memory_groups.folders(file.read())
    except OSError:
        return []


def _number(path: str) -> Optional[int]:
    try:
        with open(path) as file:
            value = int(file.read())
    except (OSError, ValueError):
        return None  # absent, or "max"
    return value if value < 1 << 60 else None  # version 1 writes a number near 2^63 for "no limit"


def _statistic(path: str, name: str) -> Optional[int]:
    try:
        with open(path) as file:
            for line in file:
                words = line.split()
                if len(words) == 2 and words[0] == name:
                    return int(words[1])
    except (OSError, ValueError):
        pass
    return None
