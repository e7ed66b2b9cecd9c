"""
NVIDIA's CUDA libraries come as wheels.

Why it matters
    JetPack brings CUDA, cuDNN and TensorRT for the board. The wheels are built for ARM servers; those for CUDA 12 do
    not work with L4T's driver, and all of them lie before JetPack's on the loader's way once something preloads them.
    They also take gigabytes on an eMMC.

What to do
    Leave them out: they are not needed where the vendor's torch stays.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.install.case import Case
from jetproof.install.finding import Finding, Severity
from jetproof.install.held import Family, family
from jetproof.install.judgements.judgement import Judgement, hold

_SHOWN = 6


def check(case: Case) -> Iterator[Finding]:
    """Find NVIDIA's libraries among what would be installed."""
    found = [
        one
        for one in case.selection.selected
        if family(one.package.name) in (Family.NVIDIA, Family.CUDA, Family.TENSORRT)
        and one.package.name not in case.held
    ]
    if not found:
        return
    first = found[0]
    names = ", ".join(one.package.wanted for one in found[:_SHOWN])
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    askers = list(dict.fromkeys(one.wanted_by[-1] for one in found))
    yield Finding(
        rule=JUDGEMENT.id,
        name=JUDGEMENT.name,
        severity=Severity.WARNING,
        package=first.package.name,
        release=first.package.release,
        wanted_by=first.wanted_by,
        where=first.package.where,
        message=f"{len(found)} of NVIDIA's libraries for servers come as wheels, asked for by "
        f"{', '.join(askers[:3])}: {names}{more}",
        because=tuple(case.because(one) for one in found[:_SHOWN]),
        remedy=hold(case),
    )


JUDGEMENT = Judgement(id="JA007", name="nvidia-wheels", check=check)
