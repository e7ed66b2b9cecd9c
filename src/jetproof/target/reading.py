"""What reading one thing from a machine can give: its text, that it is absent, or why it is not known."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Reason(Enum):
    """Why something is not known. "Could not ask" is never "no"."""

    NOT_READ = "not-read"
    """Nobody looked: the read-out does not list it."""
    NO_PERMISSION = "no-permission"
    TIMED_OUT = "timed-out"
    TOO_LARGE = "too-large"
    NOT_TEXT = "not-text"
    FAILED = "failed"
    """The program that would have told ended with an error."""
    NOT_UNDERSTOOD = "not-understood"
    """It was read, and it is not in a form known here."""
    CONFLICT = "conflict"
    """Two places say different things."""
    NOT_DERIVABLE = "not-derivable"
    """What it would follow from is itself unknown."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One file's or one command's text as it was read. Exactly one of the three states.

    `text` is set when it is known; `absent` when the machine is known not to have it; else `reason` says why
    it is unknown. `read_from` is the path or the command line.
    """

    read_from: str
    text: str | None = None
    absent: bool = False
    reason: Reason | None = None
    detail: str = ""
