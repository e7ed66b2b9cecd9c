"""Chooses the signer that a person names: a key file, or a key that stays elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from jetproof.errors import UsageError
from jetproof.evidence.keys import load, passphrase, public_bytes
from jetproof.evidence.signer import Signer, backend_signer
from jetproof.evidence.store import read_bounded


def signer(
    environment: Mapping[str, str],
    *,
    key: Path | None = None,
    uri: str | None = None,
    public: Path | None = None,
    passphrase_env: str | None = None,
) -> Signer:
    """Return the signer. Raises UsageError when it cannot be had."""
    if key is not None:
        return load(key, passphrase(environment, passphrase_env))
    if uri is None or public is None:
        raise UsageError(
            "a signer needs its public key", hint="--signer URI --public-key FILE.pub", reason="signer-public"
        )
    return backend_signer(uri, public_bytes(read_bounded(public).decode("utf-8", "replace")))
