"""
Old evidence offered again: for a run that was asked for later, or under a challenge that served already.
"""

from __future__ import annotations

from collections.abc import Iterator

from jetproof.evidence.challenge import issue_time, nonce_of
from jetproof.evidence.circumstances import Circumstances, Evidence
from jetproof.evidence.reason import Reason, Refusal


def check(evidence: Evidence, around: Circumstances) -> Iterator[Refusal]:
    """Yield what is wrong with the challenge."""
    said = evidence.statement
    if said.challenge is None:
        if around.challenge is not None or around.challenge_required:
            yield Refusal(
                reason=Reason.CHALLENGE_MISSING,
                message="the run answers no challenge, and one was issued",
                hint="jetproof run GATE --challenge NONCE",
            )
        return
    if around.challenge is not None and said.challenge != around.challenge.text:
        yield Refusal(
            reason=Reason.CHALLENGE_DIFFERENT, message="the run answers another challenge than the one that was issued"
        )
    issued = issue_time(said.challenge, said.commit, said.gate, said.speaks_for)
    if issued is None:
        yield Refusal(
            reason=Reason.CHALLENGE_DIFFERENT,
            message="the challenge was not issued for this commit, gate and machine",
        )
    # a clock that nobody set says nothing of before and after: `clock` tells what is wrong with it
    elif said.ntp_synced is True and said.started < issued - around.leeway:
        yield Refusal(
            reason=Reason.CHALLENGE_LATER_THAN_RUN,
            message=f"it began {said.started:%Y-%m-%d %H:%M}Z, before its challenge of {issued:%Y-%m-%d %H:%M}Z",
        )
    first = around.used_challenges.get(nonce_of(said.challenge) or said.challenge)
    if first is not None and evidence.payload_sha256 != first.payload_sha256 and said.replaces != first.sha256:
        yield Refusal(
            reason=Reason.CHALLENGE_REUSED, message=f"the challenge was used already by evidence {first.sha256[:12]}"
        )
