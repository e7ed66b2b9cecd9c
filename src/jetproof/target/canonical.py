"""One digest for one meaning: SHA-256 over RFC 8785's canonical JSON."""

from __future__ import annotations

import hashlib
from typing import Any

import rfc8785


def sha256(value: Any) -> str:
    """Return the digest of a JSON value as 64 hex digits. Raises ValueError for what canonical JSON cannot hold."""
    return hashlib.sha256(rfc8785.dumps(value)).hexdigest()
