"""Colour and marks for a terminal; plain text anywhere else."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TextIO

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}


@dataclass(frozen=True, kw_only=True)
class Style:
    """Whether to colour. The library gets one handed in and never asks the terminal itself."""

    colour: bool = False

    def __call__(self, text: str, *names: str) -> str:
        """Return the text in the named styles, or as it is."""
        if not self.colour or not names:
            return text
        return f"\x1b[{';'.join(_CODES[name] for name in names)}m{text}\x1b[0m"


PLAIN = Style()


def style_for(stream: TextIO) -> Style:
    """Colour only on a terminal, and never where NO_COLOR or TERM=dumb ask for none."""
    wanted = stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return Style(colour=wanted or os.environ.get("FORCE_COLOR", "") not in ("", "0"))


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, which takes an s for any but one."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def printable(text: str) -> str:
    """Return foreign text with control characters shown, so that it cannot drive the terminal."""
    return "".join(char if char.isprintable() or char in "\n\t" else f"\\x{ord(char):02x}" for char in text)


def printable_line(text: str) -> str:
    """Return foreign text with line breaks and tabs shown, too: a name cannot look like a line of its own."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def one_line(text: str) -> str:
    """Return foreign text on one line: its line ends are shown too, so that it cannot pass for lines of ours."""
    return printable(text).replace("\n", "\\n").replace("\t", " ")
