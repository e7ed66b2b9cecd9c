"""Real evidence of an x86 machine with CUDA is accepted for its own gate, and for no Jetson and no ARM64."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from tests.evidence.sample import TABLES, FakeRepository, reasons

from jetproof.claims.assess import assessment
from jetproof.claims.calculus import State
from jetproof.evidence import trust as trusts
from jetproof.evidence.challenge import challenge_from
from jetproof.evidence.circumstances import Circumstances
from jetproof.evidence.kept_challenges import NONE, Kept, KeptChallenges
from jetproof.evidence.trust import Trust
from jetproof.evidence.verify import Verification, verified

FOLDER = Path(__file__).parent.parent / "fixtures" / "evidence" / "x86-cuda"
ENVELOPE = (FOLDER / "cuda-runtime.intoto.json").read_bytes()
ASKED = challenge_from(FOLDER / "challenge.json")
TREE = "18df2c7e921545d4adc236ae0d76d121d771d9f0"
SINCE = datetime(2026, 11, 30, 23, 17, 53, tzinfo=timezone.utc)
"""When the commit that keeps the challenge was made."""
KEPT = KeptChallenges(held={"6578242139d17dbbcaadc4e1c8f53b28": Kept(challenge=ASKED, since=SINCE)}, read_from="main")
NOW = datetime(2026, 11, 30, 23, 20, tzinfo=timezone.utc)
LANE = Trust(keys=trusts.from_toml((FOLDER / "trust.toml").read_bytes(), "trust.toml"), read_from="main")


def repository() -> FakeRepository:
    return FakeRepository(
        trees={ASKED.commit: TREE},
        times={ASKED.commit: datetime(2026, 11, 30, 23, 17, 52, tzinfo=timezone.utc)},
        policy=(FOLDER / "policy.json").read_bytes(),
        url=None,
    )


def checked(data: bytes = ENVELOPE, **changes: Any) -> Verification:
    usual = Circumstances(trust=LANE, now=NOW, tables=TABLES, repository=repository(), kept=KEPT)
    return verified(data, replace(usual, **changes))


def states(kept: KeptChallenges = KEPT, now: datetime = NOW, trust: Trust = LANE) -> dict[str, State]:
    found = assessment(
        repository=repository(),
        revision=ASKED.commit,
        items=[("cuda-runtime.intoto.json", ENVELOPE)],
        trust=trust,
        tables=TABLES,
        now=now,
        kept=kept,
    )
    return {claim.scope.id: claim.state for claim in found.claims.claims}


def test_it_is_proven_and_supports_x86_cuda_alone() -> None:
    found = checked()
    assert found.refusals == ()
    assert found.counts_from == SINCE

    said = states()
    assert said.pop("cuda-runtime") is State.SUPPORTED
    assert said
    assert set(said.values()) == {State.UNPROVEN}


def test_nobody_else_vouches_for_its_clock() -> None:
    assert reasons(checked(kept=NONE)) == ["CLOCK_UNTRUSTED"]
    assert set(states(NONE).values()) == {State.UNPROVEN}


@pytest.mark.parametrize(("days", "wanted"), [(30, State.SUPPORTED), (31, State.STALE)])
def test_day_30_counts_and_day_31_does_not(days: int, wanted: State) -> None:
    assert states(now=NOW + timedelta(days=days))["cuda-runtime"] is wanted


def test_one_byte_or_another_commit_is_refused() -> None:
    at = ENVELOPE.index(b'"payload":') + 60
    edited = ENVELOPE[:at] + (b"A" if ENVELOPE[at : at + 1] != b"A" else b"B") + ENVELOPE[at + 1 :]

    assert reasons(checked(edited)) == ["SIGNATURE_INVALID"]
    assert reasons(checked(commit="dead" + "0" * 36)) == ["COMMIT_DIFFERENT"]


def test_a_key_for_jetsons_does_not_speak_for_it() -> None:
    jetson = Trust(keys=(replace(LANE.keys[0], modules=("Jetson *",)),), read_from="main")

    assert reasons(checked(trust=jetson)) == ["KEY_ROLE"]
    assert set(states(trust=jetson).values()) == {State.UNPROVEN}
