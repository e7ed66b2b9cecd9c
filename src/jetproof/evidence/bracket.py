"""When a run was, told without the board's clock: not before its challenge was issued, not after somebody received it.

The nonce is in the signed statement, so the run that answers it began after it was made. The age counts from that
moment, the earliest that it can have been. The board's own times must lie between the two bounds.
"""

from __future__ import annotations

from datetime import datetime

from jetproof.evidence.challenge import issue_time
from jetproof.evidence.circumstances import Circumstances
from jetproof.evidence.kept_challenges import Kept
from jetproof.evidence.reason import Reason, Refusal
from jetproof.evidence.statement import Statement


def earliest(said: Statement, around: Circumstances) -> datetime | Refusal:
    """Return when the run can have begun at the earliest, or why nobody but the board tells when it was."""
    if said.challenge is None:
        return _untrusted("nobody else saw when it ran")
    issued = issue_time(said.challenge, said.commit, said.gate, said.speaks_for)
    if issued is None:
        return _untrusted("its challenge was made for another run")
    refusal = _unwitnessed(said.challenge, issued, around)
    if refusal is not None:
        return refusal
    latest = around.now if around.trusted_time is None else min(around.now, around.trusted_time)
    if latest < issued - around.leeway:
        return Refusal(
            reason=Reason.CHALLENGE_FUTURE,
            message=f"its challenge is dated {issued:%Y-%m-%d %H:%M}Z, and it was seen at {latest:%Y-%m-%d %H:%M}Z",
        )
    if not issued - around.leeway <= said.started <= said.finished <= latest + around.leeway:
        return _untrusted(
            f"says {said.started:%Y-%m-%d %H:%M}Z to {said.finished:%Y-%m-%d %H:%M}Z, outside of the "
            f"{issued:%Y-%m-%d %H:%M}Z to {latest:%Y-%m-%d %H:%M}Z that others saw"
        )
    return issued


def _unwitnessed(text: str, issued: datetime, around: Circumstances) -> Refusal | None:
    """Return why nobody vouches for the moment at which the challenge says it was issued."""
    if around.challenge is not None and around.challenge.text == text and around.trusted_time is not None:
        return None  # who verifies names the challenge as his, and another party saw the answer
    kept = around.kept.of(text)
    if not isinstance(kept, Kept):
        return _untrusted(kept)
    if kept.since is None:
        return _untrusted("nobody can tell since when its challenge is kept: the history is cut off")
    if issued > kept.since + around.leeway:
        return Refusal(
            reason=Reason.CHALLENGE_FUTURE,
            message=f"its challenge is dated {issued:%Y-%m-%d %H:%M}Z and was kept since {kept.since:%Y-%m-%d %H:%M}Z "
            "already: it was dated ahead",
        )
    return None


def _untrusted(why: str) -> Refusal:
    return Refusal(
        reason=Reason.CLOCK_UNTRUSTED,
        message=why,
        hint="timedatectl set-ntp true, or run with a challenge that is kept before (jetproof challenge GATE --keep)",
    )
