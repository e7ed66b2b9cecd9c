"""Every reason for a refusal has a test that forges it."""

from __future__ import annotations

from pathlib import Path

import pytest

from jetproof.evidence.reason import Effect, Reason

HERE = Path(__file__).parent
TESTS = "\n".join(path.read_text() for path in sorted(HERE.glob("test_*.py")) if path.name != Path(__file__).name)
PAGE = HERE.parent.parent / "docs" / "evidence" / "threat-model.md"


@pytest.mark.parametrize("reason", Reason, ids=lambda reason: reason.value)
def test_every_reason_is_forged_and_documented(reason: Reason) -> None:
    assert f'"{reason.value}"' in TESTS or f"Reason.{reason.name}" in TESTS
    assert f"`{reason.value}`" in PAGE.read_text()


def test_the_effects_are_told_apart() -> None:
    assert Reason.STALE.effect is Effect.UNTIMELY
    assert Reason.NOT_PASSED.effect is Effect.PROVES_NOTHING
    assert Reason.SIGNATURE_INVALID.effect is Effect.INVALID
