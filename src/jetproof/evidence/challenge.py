"""A nonce for one run, made by a machine that the board does not control, and good for one use.

Its text carries the moment of issue and a hash over commit, gate and, if one is named, the module, so that it cannot
be moved to another run. That binds, it does not authenticate: whose nonce it is, is told by where it is kept (see
`kept_challenges`), or by comparing it with the one that was issued.
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
CHALLENGES_PATH = ".jetproof/challenges"
"""Where a project keeps the challenges that it issued, one file each, named by the nonce."""
_FORM = re.compile(r"jpc1\.([0-9a-f]{32})\.([0-9]{1,12})\.([0-9a-f]{32})")
_MEMBERS = {"schema", "challenge", "commit", "gate", "issued", "module"}


@dataclass(frozen=True, kw_only=True)
class Challenge:
    """A nonce with the run that it is for."""

    text: str
    commit: str
    gate: str
    issued: datetime
    module: str | None = None
    """Name or platform class of the only machine that may answer; None: any that the gate runs on."""

    @property
    def path(self) -> str:
        """Where it is kept in a project."""
        return kept_path(nonce_of(self.text) or "")

    def as_json(self) -> dict[str, str]:
        """Return the members of a challenge file."""
        from jetproof.evidence.statement import time_text

        members = {
            "schema": SCHEMA,
            "challenge": self.text,
            "commit": self.commit,
            "gate": self.gate,
            "issued": time_text(self.issued),
        }
        return members if self.module is None else {**members, "module": self.module}


def kept_path(nonce: str) -> str:
    """Return the path of the file that keeps the challenge with that nonce."""
    return f"{CHALLENGES_PATH}/{nonce}.json"


def is_kept_path(path: str) -> bool:
    """Return whether a path of a project is one that keeps a challenge."""
    return re.fullmatch(re.escape(CHALLENGES_PATH) + r"/[0-9a-f]{32}\.json", path) is not None


def issued(commit: str, gate: str, now: datetime, nonce: str | None = None, module: str | None = None) -> Challenge:
    """Return a fresh challenge for one gate at one commit."""
    fresh = nonce or secrets.token_hex(16)
    seconds = int(now.timestamp())
    text = f"jpc1.{fresh}.{seconds}.{_binding(fresh, seconds, commit, gate, module)}"
    when = datetime.fromtimestamp(seconds, timezone.utc)
    return Challenge(text=text, commit=commit, gate=gate, issued=when, module=module)


def nonce_of(text: str) -> str | None:
    """Return the nonce in a challenge's text, or None when it has not the form of one."""
    match = _FORM.fullmatch(text)
    return None if match is None else match.group(1)


def issue_time(text: str, commit: str, gate: str, module: str | None = None) -> datetime | None:
    """Return when a challenge was issued, or None when it is not one for this commit, gate and module."""
    match = _FORM.fullmatch(text)
    if match is None or "\0" in gate:  # it parts the words that are bound
        return None
    nonce, seconds, binding = match.group(1), int(match.group(2)), match.group(3)
    # one that names no module may be answered by each
    bound = (_binding(nonce, seconds, commit, gate, named) for named in (None, module))
    if not any(hmac.compare_digest(binding, one) for one in bound):
        return None
    try:
        return datetime.fromtimestamp(seconds, timezone.utc)
    except (OverflowError, ValueError, OSError):
        return None


def _binding(nonce: str, seconds: int, commit: str, gate: str, module: str | None) -> str:
    words = (SCHEMA, nonce, str(seconds), commit, gate, *(() if module is None else (module,)))
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:32]


def challenge_from(path: Path) -> Challenge:
    """Read a challenge file. Raises UsageError when it is none."""
    from jetproof.evidence.store import read_bounded

    return parsed(read_bounded(path), str(path))


def parsed(data: bytes, what: str) -> Challenge:
    """Read the bytes of a challenge file. Raises UsageError when they are none."""
    from jetproof.evidence import strict
    from jetproof.evidence.statement import moment

    try:
        body = strict.parsed(data, what)
        if not isinstance(body, dict) or body.get("schema") != SCHEMA:
            raise UsageError(
                f"{what} is no challenge", hint="jetproof challenge GATE --json > FILE", reason="challenge"
            )
        told = moment(body.get("issued"), "issued")
    except Unreadable as error:
        raise UsageError(f"{what} is no challenge: {error.refusal.message}", reason="challenge") from None
    text, commit, gate = (str(body.get(name)) for name in ("challenge", "commit", "gate"))
    module = str(body["module"]) if "module" in body else None
    when = issue_time(text, commit, gate, module)
    if when is None:
        raise UsageError(f"the challenge in {what} is not for the commit and gate beside it", reason="challenge")
    made = Challenge(text=text, commit=commit, gate=gate, issued=when, module=module)
    # compared whole: a file that says more or other things than its text is bound to would be read in two ways
    if told != when or set(body) - _MEMBERS or issued(commit, gate, when, nonce_of(text), module).text != text:
        raise UsageError(f"the challenge in {what} is not the one that its members say", reason="challenge")
    return made


def answer(value: str) -> tuple[str, Challenge | None]:
    """Return the text that a run answers, and the challenge where `value` names a file of one."""
    path = Path(value)
    named = value.endswith(".json") or "/" in value
    if not named and (nonce_of(value) is not None or not path.is_file()):
        return value, None
    found = challenge_from(path)
    return found.text, found


def suits(challenge: Challenge, commit: str | None, gate: str) -> None:
    """Raise UsageError when a challenge is not for that run: its evidence would be refused."""
    wrong = [
        f"{what} {asked[:12] if what == 'commit' else asked}, this is {str(here)[:12] if what == 'commit' else here}"
        for what, asked, here in (("commit", challenge.commit, commit), ("gate", challenge.gate, gate))
        if asked != here
    ]
    if wrong:
        raise UsageError(
            f"the challenge is for {' and for '.join(wrong)}",
            hint=f"git checkout {challenge.commit}" if challenge.commit != commit else f"jetproof run {challenge.gate}",
            reason="challenge",
        )
