"""Which machine a person's words name: a Jetson family, or one of the machines that are taken for one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jetproof.facts.expression import Expression
from jetproof.facts.model import PlatformClass


@dataclass(frozen=True, kw_only=True)
class Family:
    """A line of modules that share SoC and compute capability."""

    name: str
    """As in the modules table."""
    soc: str
    compute_capability: str
    last_jetpack: int
    """Newest JetPack generation that the line can ever have."""


_ORIN = {"soc": "tegra234", "compute_capability": "8.7"}
_XAVIER = {"soc": "tegra194", "compute_capability": "7.2"}
_FAMILIES: tuple[tuple[str, Family], ...] = (
    (r"AGX[ -]?Orin", Family(name="AGX Orin", last_jetpack=7, **_ORIN)),
    (r"Orin[ -]?NX|\bJ401[12]\b|\bJ301[12]\b", Family(name="Orin NX", last_jetpack=7, **_ORIN)),
    (r"Orin[ -]?Nano|\bJ3010\b|\bJ4010\b|\bJON\b", Family(name="Orin Nano", last_jetpack=7, **_ORIN)),
    (r"\bOrin\b|tegra234", Family(name="Orin", last_jetpack=7, **_ORIN)),
    (r"Xavier[ -]?NX|\bJ202[12]\b", Family(name="Xavier NX", last_jetpack=5, **_XAVIER)),
    (r"AGX[ -]?Xavier", Family(name="AGX Xavier", last_jetpack=5, **_XAVIER)),
    (r"\bXavier\b|tegra194", Family(name="Xavier", last_jetpack=5, **_XAVIER)),
    (
        r"\bThor\b|\bT5000\b|\bT4000\b|tegra264",
        Family(name="Thor", soc="tegra264", compute_capability="11.0", last_jetpack=7),
    ),
    (r"\bTX2\b|tegra186", Family(name="TX2", soc="tegra186", compute_capability="6.2", last_jetpack=4)),
    (r"\bTX1\b", Family(name="TX1", soc="tegra210", compute_capability="5.3", last_jetpack=4)),
    (
        r"(?:Jetson[ -]|\A)Nano\b|\bNano (?:2|4) ?GB|\bNano B0[01]\b|tegra210",
        Family(name="Nano", soc="tegra210", compute_capability="5.3", last_jetpack=4),
    ),
)
_COMPILED = tuple((Expression(pattern, re.IGNORECASE), family) for pattern, family in _FAMILIES)
_JETSON = Expression(
    r"\bJetson\b|\bJetPack\b|(?<![\w/.-])L4T(?![\w-])|\breComputer\b|nv_tegra_release|-tegra\b|\btegra\d", re.IGNORECASE
)

_OTHERS: tuple[tuple[PlatformClass, str], ...] = (
    (PlatformClass.IGX, r"\bIGX\b"),
    (PlatformClass.DRIVE, r"\bDRIVE (?:AGX|Orin|Thor|Xavier|PX|OS)\b|\bDRIVE\b.{0,20}\b(?:Orin|Thor|Xavier|Pegasus)\b"),
    (PlatformClass.CLARA, r"\bClara AGX\b"),
    (PlatformClass.DGX_SPARK, r"\bDGX[ _-]?Spark\b|\bGB10\b|\bGX10\b|\bZGX Nano\b|\bPro Max\b.{0,12}\bGB10\b"),
    (PlatformClass.GRACE, r"\bGH200\b|\bGB[23]00\b|\bGrace(?:[ -](?:Hopper|Blackwell))?\b"),
    (PlatformClass.SWITCH, r"\bNintendo Switch\b|\bSwitchroot\b"),
    (PlatformClass.SHIELD, r"\bShield TV\b|\bNVIDIA Shield\b"),
    (PlatformClass.RASPBERRY_PI, r"\bRaspberry ?Pi\b|\bRPi ?\d\b|\bPi [45]B?\b"),
    (
        PlatformClass.APPLE,
        (
            r"\bMacBook\b|\bMacs?\b.{0,4}\bM[1-5]\b|\bDocker Desktop\b"
            r"|\bMac (?:mini|studio|pro)\b|\bmacOS\b|\bApple (?:Silicon|M\d)\b|\bM[1-4] (?:Mac|Pro|Max)\b"
            r"|\bdarwin\b"
        ),
    ),
    (PlatformClass.WSL, r"\bWSL ?2?\b|microsoft-standard"),
    (
        PlatformClass.ARM64_SERVER,
        (
            r"\bGraviton ?\d?\b|\bAmpere (?:Altra|One)\b|\bThunderX\d?\b|\bKunpeng\b|\bAxion\b|\bg5g\.\w+"
            r"|\bt4g\.\w+|\bc[678]g\.\w+"
            r"|\bRK35\d\d\b|\bRockchip\b|\bOrange ?Pi\b|\bRadxa\b|\bODROID\b"
        ),
    ),
    (
        PlatformClass.X86,
        (
            r"\bx86(?:[-_ ]64)?\b|\bamd64\b|\b(?:GeForce|RTX|GTX|Quadro|Tesla|TITAN)\b|\b(?:A10G?|A30|A40|A100"
            r"|H100|H200|B200|L4|L40S?|V100|P100|T4)\b"
            r"|\bIntel\b|\bRyzen\b|\bXeon\b|\bWindows 1[01]\b|\bColab\b"
        ),
    ),
)
_OTHERS_COMPILED = tuple((kind, Expression(pattern, re.IGNORECASE)) for kind, pattern in _OTHERS)
_OTHER_MODEL = Expression(
    r"(?i)\b(?:server|desktop|PC|laptop|notebook|workstation|VM|virtual machine|cloud|instance|cluster|SBSA|PGX)\b"
)
_EMULATED = Expression(r"\bqemu\b|\bemulat(?:ed|ion|or)\b|\bbinfmt\b|docker-for-mac|linuxkit", re.IGNORECASE)


def family(text: str) -> Family | None:
    """Return the Jetson family that a text names, the most exact first."""
    for pattern, line in _COMPILED:
        if pattern.search(text):
            return line
    return None


def names_jetson(text: str) -> bool:
    """Whether a text speaks of a Jetson at all."""
    return bool(_JETSON.search(text))


def other_machine(text: str) -> tuple[PlatformClass, str] | None:
    """Return the kind of another machine that a text names, and its words."""
    for kind, pattern in _OTHERS_COMPILED:
        found = pattern.search(text)
        if found:
            return kind, found.group(0)
    return None


def other_model(text: str) -> tuple[PlatformClass, str] | None:
    """Return the kind of another machine that a model's name tells; plainer words count here than in a text."""
    found = _OTHER_MODEL.search(text)
    return other_machine(text) or ((PlatformClass.UNKNOWN, found.group(0)) if found else None)


def names_emulation(text: str) -> str | None:
    """Return the words by which a text says that another machine is emulated."""
    found = _EMULATED.search(text)
    return found.group(0) if found else None
