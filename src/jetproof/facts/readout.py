"""The texts of a machine that facts are taken from: files by path, commands by their line. Bounded and made plain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from jetproof.target.reading import Reading, Reason

TEXT_LIMIT = 1 << 18
"""Characters of one text that are looked at; what tells a machine stands far before."""

_BASE = re.compile(r"^(?:/sys/firmware/devicetree/base|/proc/device-tree)/")


@dataclass(frozen=True, kw_only=True)
class Text:
    """One text and where it was read."""

    read_from: str
    text: str


def plain_path(path: str) -> str:
    """Return a path with the device tree's two names made one."""
    return _BASE.sub("/proc/device-tree/", path.strip())


def plain(text: str) -> str:
    """Return a text with NULs as line ends, without trailing blanks, cut to a bounded length."""
    return text[:TEXT_LIMIT].replace("\0", "\n").replace("\r", "").strip("\n \t")


@dataclass(frozen=True, kw_only=True)
class ReadOut:
    """What was read from one machine. Not listed means: not known."""

    files: Mapping[str, Reading] = field(default_factory=dict)
    commands: Mapping[str, Reading] = field(default_factory=dict)
    in_container: bool | None = None
    """What the read-out itself says about a container around it, if anything."""
    emulated: bool = False
    """Whether the collector itself found an emulator around it."""

    def file(self, path: str) -> Reading:
        """Return what reading the file gave."""
        return self.files.get(plain_path(path), Reading(read_from=path, reason=Reason.NOT_READ))

    def command(self, line: str) -> Reading:
        """Return what running the command gave."""
        return self.commands.get(line, Reading(read_from=line, reason=Reason.NOT_READ))

    def texts(self) -> Iterator[tuple[str, Text]]:
        """Yield ("file", text) and ("command", text) for everything that was read."""
        for kind, readings in (("file", self.files), ("command", self.commands)):
            for name, reading in readings.items():
                if reading.text is not None:
                    yield kind, Text(read_from=name, text=plain(reading.text))
