"""The memory that CPU and GPU share, what eats it, and the disk. All sizes in bytes."""

from __future__ import annotations

import re

from jetproof.facts.fact import Fact, absent, known, not_read, unknown
from jetproof.facts.model import Memory
from jetproof.target.reading import Reading, Reason
from jetproof.target.snapshot import Snapshot

_MEMINFO = "/proc/meminfo"
_NO_LIMIT = 1 << 60
"""A cgroup's limit above this means none."""
_LIMITS = ("cgroup/memory.max", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""The lowest of all groups as the worker found it; else the outermost group's, in read-outs made by hand."""


def _kib(name: str, member: str, meminfo: Reading) -> Fact[int]:
    """One line of /proc/meminfo."""
    if meminfo.text is None:
        return not_read(name, meminfo)
    found = re.search(rf"^{member}:\s+(\d{{1,15}}) kB\s*$", meminfo.text, re.MULTILINE)
    if found:
        return known(name, int(found[1]) * 1024, _MEMINFO)
    return absent(name, _MEMINFO, f"no line {member}")


def _zram(snapshot: Snapshot) -> Fact[int]:
    """Swap on zram devices, from the size column of /proc/swaps."""
    swaps = snapshot.file("/proc/swaps")
    if swaps.text is None:
        return not_read("memory.zram", swaps)
    sizes = re.findall(r"^/dev/zram\d+\s+\w+\s+(\d{1,15})\s", swaps.text, re.MULTILINE)
    return known("memory.zram", sum(int(size) * 1024 for size in sizes), swaps.read_from)


def _nvmap(snapshot: Snapshot) -> Fact[int]:
    """The total that NvMap's clients hold; root alone may read it."""
    clients = snapshot.file("/sys/kernel/debug/nvmap/iovmm/clients")
    if clients.text is None:
        return not_read("memory.nvmap_used", clients)
    found = re.search(r"^total\s+(\d{1,15})K\b", clients.text, re.MULTILINE)
    if not found:
        return unknown("memory.nvmap_used", Reason.NOT_UNDERSTOOD, clients.read_from)
    return known("memory.nvmap_used", int(found[1]) * 1024, clients.read_from)


def _cgroup(snapshot: Snapshot) -> Fact[int]:
    name = "memory.cgroup_limit"
    for path in _LIMITS:
        text = (snapshot.file(path).text or "").strip()
        if text == "max" or (text.isascii() and text.isdigit() and int(text[:20]) >= _NO_LIMIT):
            return absent(name, path, "no limit")
        if text.isascii() and text.isdigit():
            return known(name, int(text[:20]), path)
    return unknown(name)


def _disk(snapshot: Snapshot) -> Fact[int]:
    space = snapshot.disk.get("/")
    return unknown("memory.disk_free") if space is None else known("memory.disk_free", space.free, "/")


def memory(snapshot: Snapshot) -> Memory:
    """Return the sizes that the snapshot tells."""
    meminfo = snapshot.file(_MEMINFO)
    return Memory(
        total=_kib("memory.total", "MemTotal", meminfo),
        available=_kib("memory.available", "MemAvailable", meminfo),
        free=_kib("memory.free", "MemFree", meminfo),
        swap_total=_kib("memory.swap_total", "SwapTotal", meminfo),
        swap_free=_kib("memory.swap_free", "SwapFree", meminfo),
        zram=_zram(snapshot),
        cma_free=_kib("memory.cma_free", "CmaFree", meminfo),
        nvmap_used=_nvmap(snapshot),
        cgroup_limit=_cgroup(snapshot),
        disk_free=_disk(snapshot),
    )
