"""What signs: an ed25519 key in a file, or a key that securesystemslib reaches (PKCS#11 token, KMS)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from jetproof.errors import UsageError
from jetproof.evidence.envelope import Envelope, Signature

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_SPKI_PREFIX = bytes.fromhex("302a300506032b6570032100")
"""DER of a SubjectPublicKeyInfo for ed25519 up to the 32 bytes of the key (RFC 8410)."""


def keyid(public: bytes) -> str:
    """Return the id of an ed25519 public key (32 bytes): sha256 of its DER form, in hex."""
    return hashlib.sha256(_SPKI_PREFIX + public).hexdigest()


class Signer(Protocol):
    """Signs bytes with one ed25519 key. The key itself may be out of reach."""

    @property
    def public(self) -> bytes:
        """The 32 bytes of the public key."""
        ...

    def sign(self, data: bytes) -> bytes:
        """Return the 64 bytes of the signature over `data`."""
        ...


@dataclass(frozen=True)
class FileSigner:
    """Signs with a private key that was loaded from a file."""

    key: Ed25519PrivateKey

    @property
    def public(self) -> bytes:
        """The 32 bytes of the public key."""
        return self.key.public_key().public_bytes_raw()

    def sign(self, data: bytes) -> bytes:
        """Return the 64 bytes of the signature over `data`."""
        return self.key.sign(data)


@dataclass(frozen=True)
class BackendSigner:
    """Signs through securesystemslib, so that the key can stay in a token or a key service."""

    backend: Any

    @property
    def public(self) -> bytes:
        """The 32 bytes of the public key, as the backend tells it."""
        told = self.backend.public_key
        if told.keytype != "ed25519":
            raise UsageError(
                f"the signer's key is {told.keytype}, expected ed25519",
                hint="make an ed25519 key in the token, or sign with a key file",
                reason="signer-key-type",
            )
        return bytes.fromhex(told.keyval["public"])

    def sign(self, data: bytes) -> bytes:
        """Return the 64 bytes of the signature over `data`."""
        return bytes.fromhex(self.backend.sign(data).signature)


def backend_signer(uri: str, public: bytes) -> BackendSigner:
    """Return the signer behind a URI of securesystemslib, like hsm:2 or azurekms://…; `public` is its known key."""
    try:
        from securesystemslib import signer as backends
    except ImportError:
        raise UsageError(
            f"the signer {uri} needs securesystemslib, which is not installed",
            hint="in the checkout of jetproof: pip install '.[signers]', or uv tool install '.[signers]'",
            reason="signer-backend-missing",
        ) from None
    schemes: Any = vars(backends)["SIGNER_FOR_URI_SCHEME"]
    scheme = uri.partition(":")[0]
    if scheme not in schemes:
        known = ", ".join(sorted(schemes))
        raise UsageError(f"no signer for {uri!r}; known: {known}", reason="signer-uri")
    key = vars(backends)["SSlibKey"](keyid(public), "ed25519", "ed25519", {"public": public.hex()})
    try:
        return BackendSigner(schemes[scheme].from_priv_key_uri(uri, key))
    except Exception as error:  # a backend's errors are its own; all of them mean "cannot sign"
        raise UsageError(f"the signer {uri} cannot be used: {error}", reason="signer-backend") from error


def sealed(payload: bytes, signer: Signer) -> Envelope:
    """Return the envelope of `payload` with the signer's signature."""
    unsigned = Envelope(payload=payload)
    signature = Signature(signature=signer.sign(unsigned.pae()), keyid=keyid(signer.public))
    return Envelope(payload=payload, signatures=(signature,))
