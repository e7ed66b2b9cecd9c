"""
A marker decides by processor, and cannot tell a Jetson from an ARM server.

Why it matters
    `platform_machine == 'aarch64'` holds on a Jetson, a Grace server and a Raspberry Pi alike. No standard marker knows
    CUDA's release or L4T. A torch, an NVIDIA library or an ONNX runtime picked by it is the wrong one on two of three.

What to do
    Keep such packages in an extra that a person asks for, and let the board's own index or wheel decide the build.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.install.case import Case
from jetproof.install.finding import Because, Finding, Remedy, Severity
from jetproof.install.held import is_held
from jetproof.install.judgements.judgement import Judgement
from jetproof.install.markers import names_machine

_OTHERS = frozenset({"onnxruntime-gpu", "onnxruntime", "flash-attn", "xformers", "decord", "cupy-cuda12x", "jax"})
_SHOWN = 3


def check(case: Case) -> Iterator[Finding]:
    """Find packages with code for a GPU that are chosen by the processor alone."""
    found = [
        one
        for one in case.selection.selected
        if names_machine(one.marker) and (is_held(one.package.name) or one.package.name in _OTHERS)
    ]
    for index in case.project.indexes:
        if index.packages and names_machine(index.marker) and case.markers.holds(index.marker):
            yield Finding(
                rule=JUDGEMENT.id,
                name=JUDGEMENT.name,
                severity=Severity.NOTE,
                package=index.packages[0],
                where=index.where,
                message=f"where {index.packages[0]} comes from is decided by the processor: {index.marker}",
                because=(Because(fact="marker", value=index.marker or "", read_from=str(index.where)),),
                remedy=(Remedy(text="ask for it by an extra; no marker can tell a Jetson from a server"),),
            )
    if not found:
        return
    first = found[0]
    names = ", ".join(one.package.wanted for one in found[:_SHOWN])
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    yield Finding(
        rule=JUDGEMENT.id,
        name=JUDGEMENT.name,
        severity=Severity.NOTE,
        package=first.package.name,
        release=first.package.release,
        wanted_by=first.wanted_by,
        where=first.package.where,
        message=f"a marker chooses by processor and takes a Jetson for an ARM server: {names}{more}",
        because=tuple(
            Because(fact=f"marker of {one.package.name}", value=one.marker or "", read_from=str(one.package.where))
            for one in found[:_SHOWN]
        ),
        remedy=(Remedy(text="ask for it by an extra; no marker can tell a Jetson from a server"),),
    )


JUDGEMENT = Judgement(id="JA012", name="marker-for-machine", check=check)
