"""A DSSE envelope: a payload's exact bytes, what kind they are, and signatures over both.

The signed bytes are the pre-authentication encoding (PAE) of type and payload. Nothing is ever serialised again to
verify it, so no canonical form of JSON is needed. A key id is a hint for finding the key and proves nothing.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass

from jetproof.evidence import strict
from jetproof.evidence.reason import Reason, Unreadable

PAYLOAD_TYPE = "application/vnd.in-toto+json"
PAYLOAD_TYPES = (PAYLOAD_TYPE, "application/vnd.in-toto.test-result+json")
MAX_SIGNATURES = 16
_URL_SAFE = str.maketrans("-_", "+/")


@dataclass(frozen=True, kw_only=True, slots=True)
class Signature:
    """One signature over the PAE of its envelope."""

    signature: bytes
    keyid: str = ""
    """A hint only; anybody may write anything here."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Envelope:
    """The payload's exact bytes with its type and signatures."""

    payload: bytes
    payload_type: str = PAYLOAD_TYPE
    signatures: tuple[Signature, ...] = ()

    def pae(self) -> bytes:
        """Return the bytes that are signed."""
        return pae(self.payload_type, self.payload)

    def to_bytes(self) -> bytes:
        """Return the envelope as a file's bytes: one line of JSON, standard base64."""
        body = {
            "payload": base64.b64encode(self.payload).decode("ascii"),
            "payloadType": self.payload_type,
            "signatures": [
                {"keyid": item.keyid, "sig": base64.b64encode(item.signature).decode("ascii")}
                for item in self.signatures
            ],
        }
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


def pae(payload_type: str, payload: bytes) -> bytes:
    """Return the pre-authentication encoding of DSSE v1; lengths count bytes."""
    kind = payload_type.encode("utf-8")
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def parsed(data: bytes) -> Envelope:
    """Read an envelope from a file's bytes, or raise Unreadable with the reason."""
    body = strict.parsed(data, "the envelope")
    if not isinstance(body, dict):
        raise Unreadable(Reason.ENVELOPE_MALFORMED, "an envelope is a JSON object")
    payload, kind, signatures = body.get("payload"), body.get("payloadType"), body.get("signatures")
    if not isinstance(payload, str) or not isinstance(kind, str) or not isinstance(signatures, list):
        raise Unreadable(
            Reason.ENVELOPE_MALFORMED, "an envelope holds the texts payload and payloadType and the list signatures"
        )
    if kind not in PAYLOAD_TYPES:
        raise Unreadable(Reason.PAYLOAD_TYPE_UNKNOWN, f"payloadType is {kind[:80]!r}, expected {PAYLOAD_TYPE!r}")
    if len(signatures) > MAX_SIGNATURES:
        raise Unreadable(Reason.TOO_LARGE, f"{len(signatures)} signatures, at most {MAX_SIGNATURES} are read")
    return Envelope(
        payload=_decoded(payload, "payload"),
        payload_type=kind,
        signatures=tuple(_signature(item) for item in signatures),
    )


def _signature(item: object) -> Signature:
    if not isinstance(item, dict) or not isinstance(item.get("sig"), str):
        raise Unreadable(Reason.ENVELOPE_MALFORMED, "a signature is an object with the text sig")
    keyid = item.get("keyid")
    if keyid is not None and not isinstance(keyid, str):
        raise Unreadable(Reason.ENVELOPE_MALFORMED, "keyid is a text where it is given")
    return Signature(signature=_decoded(item["sig"], "sig"), keyid=keyid or "")


def _decoded(text: str, where: str) -> bytes:
    """Decode either alphabet, not a mixture, with full padding and no stray bits."""
    standard = text
    if "-" in text or "_" in text:
        if "+" in text or "/" in text:
            raise Unreadable(Reason.BASE64_INVALID, f"{where} mixes the two base64 alphabets")
        standard = text.translate(_URL_SAFE)
    try:
        decoded = base64.b64decode(standard.encode("ascii"), validate=True)
    except (binascii.Error, UnicodeEncodeError, ValueError):
        raise Unreadable(Reason.BASE64_INVALID, f"{where} is not base64 with padding") from None
    # the last bytes alone tell whether a character carries bits that decoding drops
    tail = len(decoded) % 3 or 3
    if len(standard) != 4 * ((len(decoded) + 2) // 3) or not standard.endswith(
        base64.b64encode(decoded[len(decoded) - tail :]).decode("ascii")
    ):
        raise Unreadable(Reason.BASE64_INVALID, f"{where} has stray bits in its last character, or stray padding")
    return decoded
