"""
A machine that says it is a Jetson and contradicts itself, and a run that was no live one.

What a board says about itself is compared with the tables: module, part number, chip, compute capability, release.
This finds mistakes and clumsy forgeries. Without hardware attestation a signer who lies well is believed: the trust is
in the signer.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.evidence.circumstances import Circumstances, Evidence
from jetproof.evidence.reason import Reason, Refusal


def check(evidence: Evidence, around: Circumstances) -> Iterator[Refusal]:
    """Yield each contradiction of the machine with itself or with the tables."""
    said = evidence.statement
    if said.origin != "live":
        yield Refusal(
            reason=Reason.ORIGIN_NOT_LIVE,
            message=f"the run is {said.origin[:40]}, not live: it proves nothing about a machine",
        )
    for message in _contradictions(evidence, around):
        yield Refusal(reason=Reason.DEVICE_CONTRADICTION, message=message)


def _contradictions(evidence: Evidence, around: Circumstances) -> Iterator[str]:
    device = evidence.statement.device
    kind, arch, module = device.get("platformClass"), device.get("arch"), device.get("module")
    told = [item for item in device.get("compatible") or () if isinstance(item, str)]
    tegra = any("tegra" in item for item in told)
    if kind != "jetson":
        if module is not None:
            yield f"it names the module {module} on a machine of class {kind}"
        if kind == "x86" and (arch != "x86_64" or tegra):
            yield f"class x86 beside architecture {arch}" + (" and a Tegra device tree" if tegra else "")
        return
    if arch != "aarch64":
        yield f"a Jetson whose architecture is {arch}"
    if not tegra:
        yield "a Jetson whose device tree names no Tegra"
    rows = [row for row in around.tables.modules if module in (row.name, row.family_name)]
    if not rows:
        yield f"the module {module!r} is not known"
        return
    chip, capability = device.get("chip"), device.get("cc")
    if chip not in {row.soc for row in rows}:
        yield f"{module} with the chip {chip}, expected {rows[0].soc}"
    if not any(item == f"nvidia,{rows[0].soc}" for item in told):
        yield f"{module}, and the device tree does not name {rows[0].soc}"
    if capability is not None and capability not in {row.compute_capability for row in rows}:
        yield f"{module} with compute capability {capability}, expected {rows[0].compute_capability}"
    part = device.get("moduleSku")
    if isinstance(part, str) and not any(part.lower() in row.part_numbers for row in rows):
        yield f"{module} with the part number {part}"
    yield from _release(evidence, around)


def _release(evidence: Evidence, around: Circumstances) -> Iterator[str]:
    device = evidence.statement.device
    l4t, jetpack = device.get("l4t"), device.get("jetpack")
    rows = [row for row in around.tables.releases if row.l4t == l4t]
    # a point release that the tables do not know yet is no contradiction
    if rows and jetpack is not None and jetpack not in {row.jetpack for row in rows}:
        yield f"L4T {l4t} with JetPack {jetpack}, expected {rows[0].jetpack}"
    if rows and not any(device.get("chip") in row.socs for row in rows):
        yield f"L4T {l4t} on {device.get('chip')}, which it does not support"
