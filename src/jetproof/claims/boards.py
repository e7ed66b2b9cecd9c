"""Names of boards and releases in free text."""

from __future__ import annotations

import re
from enum import Enum


class Level(Enum):
    """What a sentence is about: importing on ARM64 is never taken for a Jetson."""

    JETSON = "jetson"
    ARM64 = "arm64"


FAMILIES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("Jetson AGX Orin", r"\b(?:AGX[\s_-]*Orin|Orin[\s_-]*AGX)\b"),
        ("Jetson Orin Nano", r"\b(?:Orin[\s_-]*Nano|Nano[\s_-]*Orin)\b"),
        ("Jetson Orin NX", r"\bOrin[\s_-]*NX\b"),
        ("Jetson Thor", r"\b(?:(?:AGX|Jetson)[\s_-]*Thor|Thor[\s_-]*(?:T5000|T4000|developer kit))\b"),
        ("Jetson Xavier NX", r"\bXavier[\s_-]*NX\b"),
        ("Jetson AGX Xavier", r"\b(?:AGX[\s_-]*Xavier|Xavier[\s_-]*AGX)\b"),
        ("Jetson TX2", r"\bTX2i?\b"),
        ("Jetson TX1", r"\bTX1\b"),
        ("Jetson Nano", r"\bJetson[\s_-]*Nano\b(?![\s_-]*Orin)"),
    )
)
"""Module families as people write them."""

JETSON = re.compile(
    r"(?<![-_./`$])\b(?:jetsons?|jetpack|l4t)\b(?![-_](?!nano|agx|orin|xavier|tx|thor)[a-z]|[./]\w)"
    r"|\b(?:xavier|orin|agx|TX2i?)\b(?!-64gb-)|(?<=[\s(])thor\b(?=[\s,;.)|/]|$)",
    re.IGNORECASE,
)
"""A word that makes a sentence speak of a Jetson; names of programs like jetson-stats do not."""

ARM64 = re.compile(r"\b(?:arm64|aarch64|linux[/-]arm64|armv8)\b", re.IGNORECASE)
CUDA = re.compile(r"\b(?:cuda|gpu|tensorrt)\b", re.IGNORECASE)
JETPACK = re.compile(r"\b(?:jetpack|jp)[\s_-]*v?(\d+(?:\.\d+)*)\b", re.IGNORECASE)


def families(text: str) -> tuple[str, ...]:
    """Return the families that a text names."""
    return tuple(name for name, pattern in FAMILIES if pattern.search(text))


def releases(text: str) -> tuple[str, ...]:
    """Return the JetPack releases that a text names."""
    return tuple(dict.fromkeys(JETPACK.findall(text)))


def level(text: str) -> Level | None:
    """Return what a text is about; a Jetson goes before ARM64, since it asks for more."""
    if JETSON.search(text):
        return Level.JETSON
    return Level.ARM64 if ARM64.search(text) else None
