"""A nonce for one run, made by a machine that the board does not control, and good for one use.

Its text carries the moment of issue and a hash over commit and gate, so that it cannot be moved to another run. That
binds, it does not authenticate: who must know that the nonce is his own compares it with the one he issued.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from jetproof.errors import UsageError
from jetproof.evidence.reason import Unreadable

SCHEMA = "jetproof/challenge/1"
_FORM = re.compile(r"jpc1\.([0-9a-f]{32})\.([0-9]{1,12})\.([0-9a-f]{32})")


@dataclass(frozen=True, kw_only=True)
class Challenge:
    """A nonce with the run that it is for."""

    text: str
    commit: str
    gate: str
    issued: datetime

    def as_json(self) -> dict[str, str]:
        """Return the members of a challenge file."""
        from jetproof.evidence.statement import time_text

        return {
            "schema": SCHEMA,
            "challenge": self.text,
            "commit": self.commit,
            "gate": self.gate,
            "issued": time_text(self.issued),
        }


def issued(commit: str, gate: str, now: datetime, nonce: str | None = None) -> Challenge:
    """Return a fresh challenge for one gate at one commit."""
    fresh = nonce or secrets.token_hex(16)
    seconds = int(now.timestamp())
    text = f"jpc1.{fresh}.{seconds}.{_binding(fresh, seconds, commit, gate)}"
    return Challenge(text=text, commit=commit, gate=gate, issued=datetime.fromtimestamp(seconds, timezone.utc))


def issue_time(text: str, commit: str, gate: str) -> datetime | None:
    """Return when a challenge was issued, or None when it is not one for this commit and gate."""
    match = _FORM.fullmatch(text)
    if match is None:
        return None
    nonce, seconds, binding = match.group(1), int(match.group(2)), match.group(3)
    if not hmac.compare_digest(binding, _binding(nonce, seconds, commit, gate)):
        return None
    try:
        return datetime.fromtimestamp(seconds, timezone.utc)
    except (OverflowError, ValueError, OSError):
        return None


def _binding(nonce: str, seconds: int, commit: str, gate: str) -> str:
    words = "\0".join((SCHEMA, nonce, str(seconds), commit, gate))
    return hashlib.sha256(words.encode()).hexdigest()[:32]


def challenge_from(path: Path) -> Challenge:
    """Read a challenge file. Raises UsageError when it is none."""
    from jetproof.evidence import strict
    from jetproof.evidence.store import read_bounded

    try:
        body = strict.parsed(read_bounded(path), str(path))
    except Unreadable as error:
        raise UsageError(f"{path} is no challenge: {error.refusal.message}", reason="challenge") from None
    if not isinstance(body, dict) or body.get("schema") != SCHEMA:
        raise UsageError(f"{path} is no challenge", hint="jetproof challenge GATE --json > FILE", reason="challenge")
    text, commit, gate = (str(body.get(name)) for name in ("challenge", "commit", "gate"))
    when = issue_time(text, commit, gate)
    if when is None:
        raise UsageError(f"the challenge in {path} is not for the commit and gate beside it", reason="challenge")
    return Challenge(text=text, commit=commit, gate=gate, issued=when)
