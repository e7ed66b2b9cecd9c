"""Reads JSON that can be read in one way only, and names why it refuses anything else.

Two readers that disagree about the same bytes are how a signature comes to cover something other than what was
checked: a doubled name, a NaN, a lone surrogate, text behind the end.
"""

from __future__ import annotations

from typing import Any

from jetproof.errors import UsageError
from jetproof.evidence.reason import Reason, Unreadable
from jetproof.target import strict_json

MAX_BYTES = 8 << 20
"""No envelope comes near this; logs and reports travel as side files."""
MAX_DEPTH = 64

_REASONS = {
    "json-too-large": Reason.TOO_LARGE,
    "json-not-utf8": Reason.NOT_UTF8,
    "json-syntax": Reason.NOT_JSON,
    "json-trailing-data": Reason.TRAILING_DATA,
    "json-name-twice": Reason.DUPLICATE_NAME,
    "json-number": Reason.NOT_FINITE,
    "json-too-deep": Reason.TOO_DEEP,
    "json-surrogate": Reason.LONE_SURROGATE,
}


def parsed(data: bytes, what: str) -> Any:
    """Return the one JSON value that `data` holds, or raise Unreadable with the reason."""
    try:
        return strict_json.loads(data, what=what, max_bytes=MAX_BYTES, max_depth=MAX_DEPTH)
    except UsageError as error:
        raise Unreadable(_REASONS[error.reason], error.message) from None
