"""
Evidence that nobody trusted has signed, or that was changed after signing.

The signature is verified over the exact bytes with each trusted key; a key id only says which to try first.
"""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from jetproof.evidence.envelope import Envelope
from jetproof.evidence.reason import Reason, Refusal
from jetproof.evidence.statement import Statement
from jetproof.evidence.trust import Trust, TrustedKey

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


@lru_cache(maxsize=4096)
def _verifier(public: bytes) -> Ed25519PublicKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    return Ed25519PublicKey.from_public_bytes(public)


def verifies(public: bytes, signature: bytes, data: bytes) -> bool:
    """Return whether the signature over the data is that key's."""
    from cryptography.exceptions import InvalidSignature

    if len(signature) != 64:
        return False
    try:
        _verifier(public).verify(signature, data)
    except InvalidSignature:
        return False
    return True


def accepted(envelope: Envelope, trust: Trust) -> TrustedKey | Refusal:
    """Return the first trusted key that signed the envelope, or why there is none."""
    if not envelope.signatures:
        return Refusal(reason=Reason.UNSIGNED, message="the envelope holds no signature")
    data = envelope.pae()
    # a revoked key must not shadow a good one that signed as well
    found: TrustedKey | None = None
    for signature in envelope.signatures:
        for key in trust.hinted(signature.keyid):
            if verifies(key.public, signature.signature, data):
                if not key.revoked:
                    return key
                found = key
                break
    if found is not None:
        return found
    known = trust.by_keyid
    named = [known[item.keyid].name for item in envelope.signatures if item.keyid in known]
    if named:
        return Refusal(
            reason=Reason.SIGNATURE_INVALID,
            message=f"the signature is not {named[0]}'s over these bytes: they were changed, or another key signed",
        )
    hints = ", ".join(item.keyid[:16] or "none" for item in envelope.signatures)
    return Refusal(
        reason=Reason.KEY_UNKNOWN,
        message=f"no trusted key made a signature here (key id hints: {hints}; trust from {trust.read_from})",
        hint="if the signer is to be trusted: jetproof keys trust KEY.pub --name NAME --module MODULE, and commit",
    )


def standing_in(trust: Trust, signer: TrustedKey, statement: Statement, when: datetime) -> Refusal | None:
    """Return why the signer's word does not count: not under any entry of its key, whichever a hint led to first."""
    entries = [key for key in trust.keys if key.public == signer.public] or [signer]
    found = [standing(key, statement, when) for key in entries]
    return None if None in found else found[0]


def standing(key: TrustedKey, statement: Statement, when: datetime) -> Refusal | None:
    """Return why the key's word does not count for this statement at that time, if it does not."""
    if key.revoked:
        return Refusal(reason=Reason.KEY_REVOKED, message=f"the key of {key.name} is revoked")
    if key.valid_from is not None and when < key.valid_from:
        return Refusal(
            reason=Reason.KEY_NOT_YET_VALID,
            message=f"the key of {key.name} counts from {key.valid_from:%Y-%m-%d}, the evidence is of {when:%Y-%m-%d}",
        )
    if key.valid_until is not None and when >= key.valid_until:
        return Refusal(
            reason=Reason.KEY_EXPIRED,
            message=f"the key of {key.name} counted until {key.valid_until:%Y-%m-%d}, this is of {when:%Y-%m-%d}",
        )
    if not key.may_speak_for(statement.speaks_for):
        allowed = ", ".join(key.modules) or "nothing"
        return Refusal(
            reason=Reason.KEY_ROLE,
            message=f"the key of {key.name} may speak for {allowed}, not for {statement.speaks_for}",
        )
    return None
