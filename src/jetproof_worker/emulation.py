"""Tell whether this very process is simulated: run by qemu-user or a translator, or told to pretend. Python >= 3.6."""

import os
import re
from typing import Any, Dict, List, Optional

from jetproof_worker import files

_FAMILIES = {
    "arm": ("aarch64", "aarch64_be", "arm64", "armv7l", "armv8l", "armv6l", "arm"),
    "x86": ("x86_64", "i686", "i586", "i386", "amd64"),
    "riscv": ("riscv64", "riscv32"),
    "power": ("ppc64le", "ppc64"),
    "s390": ("s390x",),
}
_X86_CPU = re.compile(
    r"^(vendor_id\s*:\s*(GenuineIntel|AuthenticAMD)|model name\s*:.*(Intel|AMD|VirtualApple))", re.MULTILINE
)
_ARM_CPU = re.compile(r"^CPU implementer\s*:", re.MULTILINE)
_BINFMT = re.compile(r"^interpreter (\S*qemu-(\w+)\S*)", re.MULTILINE)


def family(machine: str) -> Optional[str]:
    """Return the family of processors that an architecture's name belongs to."""
    return next((name for name, members in _FAMILIES.items() if machine in members), None)


def signs(
    machine: str, kernel_arch: object, cpuinfo: object, command: object, binfmt: object, simulated: bool
) -> List[str]:
    """Return what shows that this machine's architecture is not the real one; empty when nothing does.

    `kernel_arch` is /proc/sys/kernel/arch, which emulators of one process do not change; `command` the kernel's own
    idea of this process's command line; `binfmt` the kernel's entry for programs of this very architecture: a kernel
    that hands them to qemu cannot run them itself.
    """
    found: List[str] = []
    mine = family(machine)
    if simulated:
        found.append("JETPROOF_SIMULATED is set")
    if isinstance(kernel_arch, str) and mine is not None and family(kernel_arch.strip()) not in (mine, None):
        found.append("/proc/sys/kernel/arch says %s, uname says %s" % (kernel_arch.strip(), machine))
    if isinstance(cpuinfo, str):
        if mine == "arm" and _X86_CPU.search(cpuinfo) and not _ARM_CPU.search(cpuinfo):
            found.append("/proc/cpuinfo describes an x86 processor, uname says %s" % machine)
        if mine == "x86" and (_ARM_CPU.search(cpuinfo) or "VirtualApple" in cpuinfo):
            found.append("/proc/cpuinfo describes an ARM processor, uname says %s" % machine)
    if isinstance(command, str) and re.search(r"(^|/)qemu-[a-z0-9_]+(-static)?$", command.split("\0")[0]):
        found.append("this process is run by %s" % os.path.basename(command.split("\0")[0]))
    if isinstance(binfmt, str) and "enabled" in binfmt.splitlines()[:1]:
        handler = _BINFMT.search(binfmt)
        if handler and family(handler.group(2)) == mine and mine == "arm" and machine == "aarch64":
            found.append("the kernel hands programs for %s to %s" % (machine, os.path.basename(handler.group(1))))
    return found


def here(cpuinfo: object) -> Dict[str, Any]:
    """Return `{"emulated", "because"}` for this process."""
    command = files.raw("/proc/thread-self/cmdline")
    because = signs(
        os.uname().machine,
        files.text("/proc/sys/kernel/arch"),
        cpuinfo,
        command.decode("utf-8", "replace") if isinstance(command, bytes) else None,
        files.text("/proc/sys/fs/binfmt_misc/qemu-aarch64"),
        bool(os.environ.get("JETPROOF_SIMULATED")),
    )
    return {"emulated": bool(because), "because": because}
