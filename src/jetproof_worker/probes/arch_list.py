"""The build of torch has code for this GPU's compute capability.

What it proves
    `torch.cuda.get_arch_list()` names machine code for the device's capability, or PTX of no higher capability that the
    driver can translate; and a kernel of torch's own starts on it. On integrated GPUs (Tegra) machine code of a lower
    capability of the same generation does not count: the sm_80 code of a server build does not start on an sm_87 board.

What it does not prove
    That cuDNN, cuBLAS or other packages have such code too.

Reasons
    `not-covered`, `no-kernel-image`
"""

from __future__ import annotations

import re
from typing import Sequence, Tuple

from jetproof_worker.probe import GIB, Context, Failed, Probe

_ARCH = re.compile(r"(sm|compute)_(\d+)(\d)([af]?)")


def run(context: Context) -> None:
    """Compare the build's list with the device, then start a kernel."""
    torch = context.torch()
    context.device()
    capability = torch.cuda.get_device_capability(0)
    arches = list(torch.cuda.get_arch_list())
    integrated = bool(getattr(torch.cuda.get_device_properties(0), "is_integrated", False))
    how = covered(arches, capability, integrated)
    context.detail.update(
        arch_list=arches, capability="%d.%d" % capability, integrated=integrated, covered_by=how, device="cuda"
    )
    if how is None:
        message = "the build has %s; the device needs sm_%d%d" % (" ".join(arches) or "no code", *capability)
        raise Failed("not-covered", message)
    try:
        total = (torch.ones(1024, device="cuda") * 2).sum().item()
    except RuntimeError as error:
        if "no kernel image" in str(error):
            raise Failed("no-kernel-image", str(error).partition("\n")[0]) from error
        raise
    context.measure("kernel", abs(total - 2048), "", 0.0)


def covered(arches: Sequence[str], capability: Tuple[int, int], integrated: bool) -> "str | None":
    """Return the entry of the list that serves a device of this capability, the most exact one; None when none does."""
    best = None
    for arch in arches:
        match = _ARCH.fullmatch(arch)
        if match is None:
            continue
        kind, suffix = match.group(1), match.group(4)
        found = (int(match.group(2)), int(match.group(3)))
        if kind == "sm" and found == capability:
            return arch
        if suffix == "a":
            continue  # code for one capability only
        if suffix == "f" and found[0] == capability[0] and found <= capability:
            best = best or arch  # code for a family
        elif not suffix and kind == "compute" and found <= capability:
            best = arch
        elif not suffix and kind == "sm" and found[0] == capability[0] and found < capability and not integrated:
            best = best or arch
    return best


PROBE = Probe(id="arch-list", run=run, timeout=120, memory=GIB, weight=0.9)
