"""
A machine that says it is a Jetson and contradicts itself, and a run that was no live one.

What a board says about itself is compared with the tables: module, part number, chip, compute capability, release.
This finds mistakes and clumsy forgeries. Without hardware attestation a signer who lies well is believed: the trust is
in the signer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from jetproof.evidence.circumstances import Circumstances, Evidence
from jetproof.evidence.reason import Reason, Refusal
from jetproof.tables import Tables


def check(evidence: Evidence, around: Circumstances) -> Iterator[Refusal]:
    """Yield each contradiction of the machine with itself or with the tables."""
    said = evidence.statement
    if said.origin != "live":
        yield Refusal(
            reason=Reason.ORIGIN_NOT_LIVE,
            message=f"the run is {said.origin[:40]}, not live: it proves nothing about a machine",
        )
    for message in _contradictions(around.tables, _told(said.device, said.module)):
        yield Refusal(reason=Reason.DEVICE_CONTRADICTION, message=message)


@dataclass(frozen=True, kw_only=True)
class _Told:
    """What a machine says about itself; the same for each run of one board."""

    kind: str | None
    arch: str | None
    module: str | None
    part: str | None
    chip: str | None
    capability: str | None
    l4t: str | None
    jetpack: str | None
    compatible: tuple[str, ...]


def _told(device: Mapping[str, object], module: str | None) -> _Told:
    def text(name: str) -> str | None:
        value = device.get(name)
        return value if isinstance(value, str) else None

    listed = device.get("compatible")
    return _Told(
        kind=text("platformClass"),
        arch=text("arch"),
        module=module,
        part=text("moduleSku"),
        chip=text("chip"),
        capability=text("cc"),
        l4t=text("l4t"),
        jetpack=text("jetpack"),
        compatible=tuple(item for item in listed if isinstance(item, str)) if isinstance(listed, list) else (),
    )


@lru_cache(maxsize=1024)
def _contradictions(tables: Tables, told: _Told) -> tuple[str, ...]:
    return tuple(_all(tables, told))


def _all(tables: Tables, told: _Told) -> Iterator[str]:
    tegra = any("tegra" in item for item in told.compatible)
    if told.kind != "jetson":
        if told.module is not None:
            yield f"it names the module {told.module} on a machine of class {told.kind}"
        if told.kind == "x86" and (told.arch != "x86_64" or tegra):
            yield f"class x86 beside architecture {told.arch}" + (" and a Tegra device tree" if tegra else "")
        return
    if told.arch != "aarch64":
        yield f"a Jetson whose architecture is {told.arch}"
    if told.compatible and not tegra:
        yield "a Jetson whose device tree names no Tegra"
    rows = [row for row in tables.modules if told.module in (row.name, row.family_name)]
    if not rows:
        yield f"the module {told.module!r} is not known"
        return
    if told.chip not in {row.soc for row in rows}:
        yield f"{told.module} with the chip {told.chip}, expected {rows[0].soc}"
    if told.compatible and f"nvidia,{rows[0].soc}" not in told.compatible:
        yield f"{told.module}, and the device tree does not name {rows[0].soc}"
    if told.capability is not None and told.capability not in {row.compute_capability for row in rows}:
        yield f"{told.module} with compute capability {told.capability}, expected {rows[0].compute_capability}"
    if told.part is not None and not any(told.part.lower() in row.part_numbers for row in rows):
        yield f"{told.module} with the part number {told.part}"
    yield from _release(tables, told)


def _release(tables: Tables, told: _Told) -> Iterator[str]:
    rows = [row for row in tables.releases if row.l4t == told.l4t]
    # a point release that the tables do not know yet is no contradiction
    if rows and told.jetpack is not None and told.jetpack not in {row.jetpack for row in rows}:
        yield f"L4T {told.l4t} with JetPack {told.jetpack}, expected {rows[0].jetpack}"
    if rows and not any(told.chip in row.socs for row in rows):
        yield f"L4T {told.l4t} on {told.chip}, which it does not support"
