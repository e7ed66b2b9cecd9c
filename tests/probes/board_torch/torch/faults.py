"""How this stand-in is wrong, for the tests that ask whether the gate sees it: words of JETPROOF_STAND_IN."""

import os

_WORDS = frozenset(os.environ.get("JETPROOF_STAND_IN", "").split())


def has(word: str) -> bool:
    """Whether it is to be wrong in this way."""
    return word in _WORDS
