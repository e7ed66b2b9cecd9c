"""The machine runs the processor architecture that the gate is about, natively.

What it proves
    The machine names itself as wanted (`aarch64` by default), this interpreter is a 64-bit program of that very
    architecture, and nothing shows that the processor is emulated.

What it does not prove
    Anything about a GPU, or that the board is a Jetson. An emulator that leaves no trace is not recognised.

Reasons
    `wrong-architecture`, `emulated`
"""

from __future__ import annotations

import os
import struct
import sys

from jetproof_worker import emulation, files
from jetproof_worker.probe import MIB, Context, Failed, Probe

_MACHINES = {183: "aarch64", 62: "x86_64", 40: "arm", 3: "x86", 243: "riscv64", 21: "ppc64le"}


def run(context: Context) -> None:
    """Compare the machine and this interpreter's own file with what is wanted."""
    wanted = context.params.get("machine", ["aarch64"])
    wanted = [wanted] if isinstance(wanted, str) else list(wanted)
    machine = os.uname().machine
    bits = struct.calcsize("P") * 8
    program = program_machine(sys.executable)
    context.detail.update(machine=machine, pointer_bits=bits, interpreter=program)
    names = {"arm64": "aarch64"}
    if names.get(machine, machine) not in [names.get(name, name) for name in wanted]:
        raise Failed("wrong-architecture", "%s is wanted, the machine is %s" % (" or ".join(wanted), machine))
    if bits != 64 or (program is not None and program != names.get(machine, machine)):
        raise Failed("wrong-architecture", "the interpreter is a %d-bit program for %s" % (bits, program))
    told = emulation.here(files.text("/proc/cpuinfo"))
    context.detail["emulation"] = told
    if told["emulated"] and context.params.get("emulated") is not True:
        raise Failed("emulated", "; ".join(told["because"]))


def program_machine(path: str) -> "str | None":
    """Return the architecture that an ELF file was built for, None when it is none."""
    try:
        with open(path, "rb") as file:
            head = file.read(20)
    except OSError:
        return None
    if len(head) < 20 or head[:4] != b"\x7fELF":
        return None
    number = struct.unpack("<H" if head[5] == 1 else ">H", head[18:20])[0]
    return _MACHINES.get(number, "ELF machine %d" % number)


PROBE = Probe(
    id="architecture",
    run=run,
    params={
        "machine": "name or names of the architecture, `aarch64` if not given",
        "emulated": "true: an emulated processor is told and no failure (set where the run's origin says emulated)",
    },
    needs_torch=False,
    timeout=30,
    memory=64 * MIB,
    weight=0.1,
)
