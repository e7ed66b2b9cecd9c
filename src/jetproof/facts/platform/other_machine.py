"""What shows that a machine is not a Jetson: rows of the table, the architecture, an emulator."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jetproof.facts.model import PlatformClass
from jetproof.facts.platform.signs import Kind, Sign, Signs
from jetproof.tables import Tables
from jetproof.tables.rows import OtherMachine

TEGRA_PRODUCTS = frozenset(
    {
        PlatformClass.IGX,
        PlatformClass.CLARA,
        PlatformClass.DRIVE,
        PlatformClass.SWITCH,
        PlatformClass.SHIELD,
        PlatformClass.TEGRA_OTHER,
    }
)
"""Products that may carry a Jetson module, its kernel and its release file, and are no Jetson all the same."""

_WEAK = frozenset({"dgx-kernel", "server-vendor"})
"""Rows that a Jetson module outweighs: a kernel's flavour and a maker's name do not name a product."""

_DISCRETE = re.compile(
    r"\b(?:GeForce|RTX|GTX|Quadro|Tesla|TITAN|[AHLB]\d{2,3}[A-Z]?|T4G?|V100|P100|T1000|NVIDIA [AHLB]\d{1,3})\b"
)


@dataclass(frozen=True, kw_only=True)
class Found:
    """One reason why the machine is another one."""

    platform_class: PlatformClass
    sign: Sign
    why: str
    strong: bool
    compute_capability: str | None = None


def _searched(row: OtherMachine, signs: Signs) -> tuple[Sign, ...]:
    match row.where:
        case "part":
            return signs.of(Kind.PART, Kind.BOARD_ID)
        case "boardids":
            return signs.of(Kind.BARE_BOARD_ID) + tuple(
                Sign(kind=sign.kind, value=sign.value.removeprefix("p"), read_from=sign.read_from)
                for sign in signs.of(Kind.BOARD_ID)
            )
        case "compatible":
            return signs.of(Kind.COMPATIBLE, Kind.DTS_NAME)
        case where:
            return signs.of(Kind(where))


def _matches(row: OtherMachine, sign: Sign) -> bool:
    # words like DRIVE and SHIELD are names only in capitals
    flags = 0 if row.where == "model" and row.platform_class == "drive" else re.IGNORECASE
    text = sign.value.replace("_", " ") if row.where == "model" else sign.value
    return re.search(row.pattern, text, flags) is not None or re.search(row.pattern, sign.value, flags) is not None


def _architecture(signs: Signs) -> list[Found]:
    return [
        Found(
            platform_class=PlatformClass.X86 if sign.value in {"x86_64", "x86"} else PlatformClass.UNKNOWN,
            sign=sign,
            why=f"the architecture is {sign.value}, and Jetsons are aarch64",
            strong=True,
        )
        for sign in signs.of(Kind.ARCH)
        if sign.value != "aarch64"
    ] + [
        Found(platform_class=PlatformClass.X86, sign=sign, why="the CPU is x86", strong=True)
        for sign in signs.of(Kind.X86_CPU)
    ]


def _foreign_board(signs: Signs) -> list[Found]:
    """A device tree in which no entry is NVIDIA's."""
    entries = signs.of(Kind.COMPATIBLE)
    makers = {sign.value.partition(",")[0] for sign in entries if "," in sign.value}
    if not entries or "nvidia" in makers or not makers:
        return []
    return [
        Found(
            platform_class=PlatformClass.UNKNOWN,
            sign=entries[0],
            why="no entry of the device tree's compatible list is NVIDIA's",
            strong=True,
        )
    ]


def emulated(signs: Signs) -> Sign | None:
    """Return the sign that shows an emulated processor: an Arm system on an x86 CPU, or a CPU that only QEMU has."""
    x86 = [sign for sign in signs.of(Kind.ARCH) if sign.value == "x86_64"] + list(signs.of(Kind.X86_CPU))
    arm = [sign for sign in signs.of(Kind.ARCH, Kind.GUEST_ARCH) if sign.value == "aarch64"]
    if x86 and arm:
        return arm[0]
    guests = [sign for sign in signs.of(Kind.GUEST_ARCH) if sign.value == "x86_64"]
    if guests and arm:
        return guests[0] if not signs.of(Kind.COMPATIBLE, Kind.MODEL) else None
    return signs.first(Kind.TCG)


def discrete_gpu(signs: Signs) -> Sign | None:
    """Return the sign of a graphics card, which no Jetson has on its own."""
    return next((sign for sign in signs.of(Kind.GPU) if _DISCRETE.search(sign.value)), None)


def found(signs: Signs, tables: Tables) -> tuple[Found, ...]:
    """Return every reason why the machine is not a Jetson, the most telling first."""
    reasons = [
        Found(
            platform_class=PlatformClass(row.platform_class),
            sign=sign,
            why=row.why,
            strong=row.id not in _WEAK,
            compute_capability=row.compute_capability,
        )
        for row in tables.other_machines
        for sign in _searched(row, signs)
        if _matches(row, sign)
    ]
    reasons += _architecture(signs) + _foreign_board(signs)
    return tuple(
        sorted(
            reasons,
            key=lambda one: (one.platform_class is PlatformClass.UNKNOWN, one.platform_class is PlatformClass.X86),
        )
    )
