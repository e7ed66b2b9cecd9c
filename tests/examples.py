"""How many examples a property is tried on: few where every push waits for them, many where somebody asks."""

from __future__ import annotations

import os

MANY = 20


def examples(few: int) -> int:
    """Return `few`, or twenty times as many with JETPROOF_TESTS_MANY=1."""
    return few * MANY if os.environ.get("JETPROOF_TESTS_MANY") == "1" else few
