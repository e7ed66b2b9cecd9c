"""Decides what a piece of evidence is worth: every check runs, every reason against it is told."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from jetproof.errors import ExitCode
from jetproof.evidence import envelope as envelopes
from jetproof.evidence import statement as statements
from jetproof.evidence.checks import clock, device, files, policy, replay, result, signature, subject
from jetproof.evidence.circumstances import Circumstances, Evidence
from jetproof.evidence.reason import Effect, Reason, Refusal, Unreadable
from jetproof.evidence.trust import TrustedKey

Check = Callable[[Evidence, Circumstances], Iterator[Refusal]]

CHECKS: tuple[Check, ...] = (
    subject.check,
    result.check,
    policy.check,
    device.check,
    clock.check,
    replay.check,
    files.check,
)
"""Every check beside the signature's, in the order in which refusals are told."""


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What came of verifying one file."""

    name: str
    evidence: Evidence | None
    """None when the bytes are no evidence in form."""
    signer: TrustedKey | None
    refusals: tuple[Refusal, ...]
    unchecked: tuple[str, ...]
    """What could not be checked here, in words; nothing of it is taken for granted."""
    at: datetime
    """When it was verified."""
    maximum_age_days: int = 30

    @property
    def valid(self) -> bool:
        """Whether it stands: signed by a trusted key, unchanged, for the subject it names."""
        return self.evidence is not None and not self._any(Effect.INVALID)

    @property
    def timely(self) -> bool:
        """Whether its time serves."""
        return not self._any(Effect.UNTIMELY)

    @property
    def proven(self) -> bool:
        """Whether it proves what it says: it stands, it is fresh, and every planned item passed."""
        return self.evidence is not None and not self.refusals

    @property
    def exit_code(self) -> ExitCode:
        """The exit code for this alone."""
        if not self.valid:
            return ExitCode.EVIDENCE_INVALID
        if not self.timely:
            return ExitCode.STALE
        return ExitCode.OK if self.proven else ExitCode.NO

    def has(self, reason: Reason) -> bool:
        """Return whether it is refused for that reason."""
        return any(refusal.reason is reason for refusal in self.refusals)

    def _any(self, effect: Effect) -> bool:
        return any(refusal.reason.effect is effect for refusal in self.refusals)


def read(data: bytes, name: str = "") -> Evidence:
    """Read an envelope and its statement from a file's bytes, or raise Unreadable with the reason."""
    envelope = envelopes.parsed(data)
    return Evidence(
        envelope=envelope,
        statement=statements.parsed(envelope.payload),
        sha256=hashlib.sha256(data).hexdigest(),
        payload_sha256=hashlib.sha256(envelope.payload).hexdigest(),
        name=name,
    )


def verified(data: bytes, around: Circumstances, name: str = "") -> Verification:
    """Return what a file's bytes are worth under these circumstances. Never raises for what the bytes hold."""
    try:
        evidence = read(data, name)
    except Unreadable as error:
        return Verification(
            name=name, evidence=None, signer=None, refusals=(error.refusal,), unchecked=(), at=around.now
        )
    return judged(evidence, around)


def judged(evidence: Evidence, around: Circumstances) -> Verification:
    """Return what evidence that was read already is worth."""
    signer = signature.accepted(evidence.envelope, around.trust)
    refusals: list[Refusal] = []
    if isinstance(signer, Refusal):
        # nothing below an unaccepted signature is looked at: it is just somebody's text
        return Verification(
            name=evidence.name,
            evidence=evidence,
            signer=None,
            refusals=(signer,),
            unchecked=("all else, for want of a signature",),
            at=around.now,
        )
    when = clock.effective(evidence.statement, around.trusted_time)
    standing = signature.standing(signer, evidence.statement, when)
    if standing is not None:
        refusals.append(standing)
    for check in CHECKS:
        refusals.extend(check(evidence, around))
    refusals.extend(result.shortfalls(evidence.statement))
    return Verification(
        name=evidence.name,
        evidence=evidence,
        signer=signer,
        refusals=tuple(refusals),
        unchecked=tuple(_unchecked(around)),
        at=around.now,
        maximum_age_days=around.maximum_age_days,
    )


def _unchecked(around: Circumstances) -> Iterator[str]:
    if around.repository is None:
        yield "subject and policy were not recomputed: there is no checkout"
    if around.side_files is None:
        yield "the record was not replayed: the side files are not at hand"
    if around.challenge is None:
        yield "the challenge was not compared with an issued one"
