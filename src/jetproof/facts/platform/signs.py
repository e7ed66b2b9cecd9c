"""One piece of evidence about the machine, and the kinds there are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """What a sign speaks about."""

    MODEL = "model"
    """The board's own text: device tree, firmware tables."""
    COMPATIBLE = "compatible"
    """One entry of the device tree's compatible list."""
    PART = "part"
    """A board number from the EEPROM, like p3701-0005."""
    BOARD_ID = "boardids"
    """A board number that the boot loader handed on, like p3668-0001."""
    BARE_BOARD_ID = "bare-boardids"
    """A board number without the SKU, like 2595."""
    DTS_NAME = "dts-name"
    SOC = "soc"
    L4T_FILE = "l4t-file"
    """A release, from /etc/nv_tegra_release."""
    L4T_BUILD = "l4t-build"
    """A release file that a build tool made up: it tells nothing about the host."""
    L4T_PACKAGE = "l4t-package"
    L4T_KERNEL = "l4t-kernel"
    """A release in the kernel's own name, as Yocto writes it."""
    JETPACK_PACKAGE = "jetpack-package"
    BOARD_FIELD = "board-field"
    """BOARD of the release file: a reference family, never the SoC, save t210ref."""
    KERNEL = "kernel"
    ARCH = "arch"
    """What the machine says it is."""
    GUEST_ARCH = "guest-arch"
    """What a container started on the machine says it is."""
    CPU = "cpu"
    """implementer:part, or a name or vendor."""
    X86_CPU = "x86-cpu"
    GPU = "gpu"
    CAPABILITY = "capability"
    DGX_RELEASE = "dgx-release"
    OS = "os-release"
    DISTRIBUTION_KIND = "distribution-kind"
    """"yocto", "balena" or "nixos": systems without a JetPack."""
    VENDOR = "dmi-vendor"
    CARRIER = "carrier"
    MEMORY = "memory"
    """MemTotal in MiB."""
    TPCS = "tpcs"
    """Active GPU clusters."""
    POWER_MODE = "power-mode"
    TCG = "tcg"
    """A CPU that only an emulator has."""


_MOST_NAMED = 4


@dataclass(frozen=True, kw_only=True)
class Sign:
    """One value of one kind, and where it was read."""

    kind: Kind
    value: str
    read_from: str


@dataclass(frozen=True, kw_only=True)
class Signs:
    """All signs of one read-out."""

    all: tuple[Sign, ...]

    def of(self, *kinds: Kind) -> tuple[Sign, ...]:
        """Return the signs of these kinds, in the order they were read."""
        return tuple(sign for sign in self.all if sign.kind in kinds)

    def first(self, *kinds: Kind) -> Sign | None:
        """Return the first sign of these kinds."""
        return next(iter(self.of(*kinds)), None)


def distinct(signs: Iterable[Sign]) -> tuple[Sign, ...]:
    """Return one sign for each value."""
    by_value: dict[str, Sign] = {}
    for sign in signs:
        by_value.setdefault(sign.value, sign)
    return tuple(by_value.values())


def named(signs: Iterable[Sign]) -> str:
    """Return signs as a person reads them: value and place."""
    shown = [f"{sign.value} ({sign.read_from})" for sign in signs]
    more = f"; and {len(shown) - _MOST_NAMED} more" if len(shown) > _MOST_NAMED else ""
    return "; ".join(shown[:_MOST_NAMED]) + more
