"""Decides what a piece of evidence is worth: every check runs, every reason against it is told."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from sys import intern

from jetproof.errors import ExitCode
from jetproof.evidence import envelope as envelopes
from jetproof.evidence import statement as statements
from jetproof.evidence.challenge import issue_time, nonce_of
from jetproof.evidence.checks import clock, device, files, policy, replay, result, signature, subject
from jetproof.evidence.circumstances import Circumstances, Evidence
from jetproof.evidence.kept_challenges import Kept
from jetproof.evidence.reason import Effect, Refusal, Unreadable
from jetproof.evidence.sequence import Numbered
from jetproof.evidence.trust import Trust, TrustedKey

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
    """None when the bytes are no evidence in form, or nobody trusted signed them."""
    signer: TrustedKey | None
    refusals: tuple[Refusal, ...]
    unchecked: tuple[str, ...]
    """What could not be checked here, in words; nothing of it is taken for granted."""
    at: datetime
    """When it was verified."""
    maximum_age_days: int = 30
    counts_from: datetime | None = None
    """The moment from which the age counts, where that is not the board's own word."""

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

    def _any(self, effect: Effect) -> bool:
        return any(refusal.reason.effect is effect for refusal in self.refusals)


def read(data: bytes, name: str = "") -> Evidence:
    """Read an envelope and its statement from a file's bytes, or raise Unreadable with the reason."""
    return _evidence(data, envelopes.parsed(data), name)


def _evidence(data: bytes, envelope: envelopes.Envelope, name: str) -> Evidence:
    return Evidence(
        envelope=envelope,
        statement=statements.parsed(envelope.payload),
        sha256=hashlib.sha256(data).hexdigest(),
        payload_sha256=hashlib.sha256(envelope.payload).hexdigest(),
        name=name,
    )


def accepted(data: bytes, trust: Trust, name: str = "") -> tuple[Evidence, TrustedKey] | Refusal:
    """Return the evidence and its signer, or why nobody trusted speaks here.

    The signature comes first: what a payload says is not even parsed before somebody trusted has signed it.
    """
    try:
        envelope = envelopes.parsed(data)
        signer = signature.accepted(envelope, trust)
        return signer if isinstance(signer, Refusal) else (_evidence(data, envelope, name), signer)
    except Unreadable as error:
        return error.refusal


def refused(refusal: Refusal, around_now: datetime, name: str = "") -> Verification:
    """Return the verification of bytes that nobody trusted signed, or that are no evidence in form."""
    unchecked = ("all else, for want of a signature",)
    return Verification(name=name, evidence=None, signer=None, refusals=(refusal,), unchecked=unchecked, at=around_now)


def verified(data: bytes, around: Circumstances, name: str = "") -> Verification:
    """Return what a file's bytes are worth under these circumstances. Never raises for what the bytes hold."""
    found = accepted(data, around.trust, name)
    return refused(found, around.now, name) if isinstance(found, Refusal) else judged(*found, around)


def judged(evidence: Evidence, signer: TrustedKey, around: Circumstances) -> Verification:
    """Return what evidence is worth whose signature was accepted."""
    refusals: list[Refusal] = []
    when = clock.effective(evidence.statement, around)
    standing = signature.standing_in(around.trust, signer, evidence.statement, when)
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
        unchecked=tuple(_unchecked(evidence.statement, around)),
        at=around.now,
        maximum_age_days=around.maximum_age_days,
        counts_from=None if when == evidence.statement.finished else when,
    )


def numbered(evidence: Evidence, signer: TrustedKey) -> Numbered:
    """Return evidence as a link of its signer's sequence."""
    said = evidence.statement
    text = said.challenge
    # an answer to another run's challenge does not use that up
    answers = text is not None and issue_time(text, said.commit, said.gate, said.speaks_for) is not None
    return Numbered(
        signer=signer.keyid,
        seq=said.seq,
        sha256=evidence.sha256,
        payload_sha256=evidence.payload_sha256,
        previous=said.previous,
        replaces=said.replaces,
        tells=tuple(map(intern, (said.commit, said.gate, said.speaks_for, said.outcome))),
        nonce=nonce_of(text) if answers and text is not None else None,
    )


def _unchecked(said: statements.Statement, around: Circumstances) -> Iterator[str]:
    if around.repository is None:
        yield "subject and policy were not recomputed: there is no checkout"
    if around.side_files is None:
        yield "the record was not replayed: the side files are not at hand"
    if around.challenge is None and not (said.challenge and isinstance(around.kept.of(said.challenge), Kept)):
        yield "the challenge was not compared with an issued one"
