"""From signed evidence to claims: nothing but a pass ever brings a claim nearer to supported."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache, lru_cache

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.claims.test_gather import state_of
from tests.evidence.sample import COMMIT, FINISHED, LANE, NOW, SECOND, P, at, changed, failing, put, signed
from tests.examples import examples

from jetproof.claims.calculus import State
from jetproof.evidence.challenge import Challenge, issued
from jetproof.evidence.kept_challenges import Kept, KeptChallenges

GATE = "jetson-cuda-runtime"
DAYS = (0, 3, 29, 30, 31)


@lru_cache
def asked(number: int) -> Challenge:
    """Return the same challenge for the same number: made on different days, the last one for another gate."""
    when = FINISHED - timedelta(days=DAYS[number], minutes=5)
    return issued(COMMIT, "cuda-runtime" if number == 4 else GATE, when, nonce=f"{number:032x}")


@dataclass(frozen=True, kw_only=True)
class One:
    """What decides about one piece of evidence."""

    seq: int
    days: int
    passes: bool
    synced: bool
    answers: int | None
    lane: bool = True


@cache
def envelope(one: One) -> bytes:
    changes = [
        at(FINISHED - timedelta(days=one.days)),
        put(f"{P}.run.seq", one.seq),
        put(f"{P}.time.ntpSynced", one.synced),
        put(f"{P}.run.challenge", None if one.answers is None else asked(one.answers).text),
    ]
    return signed(changed(*changes, *([] if one.passes else [failing])), LANE if one.lane else SECOND)


def rank(evidence: frozenset[One], kept: frozenset[int], later: int = 0) -> int:
    held = {
        f"{number:032x}": Kept(challenge=asked(number), since=asked(number).issued + timedelta(minutes=1))
        for number in kept
    }
    found: State = state_of(
        [envelope(one) for one in evidence], KeptChallenges(held=held, read_from="main"), NOW + timedelta(days=later)
    )
    return found.rank


ONES = st.builds(
    One,
    seq=st.integers(1, 4),
    days=st.sampled_from(DAYS),
    passes=st.booleans(),
    synced=st.booleans(),
    answers=st.sampled_from([None, 0, 1, 2, 3, 4]),
    lane=st.booleans(),
)
SETS = st.frozensets(ONES, max_size=5)


def numbered(evidence: frozenset[One]) -> frozenset[One]:
    """Return the same with each signer's numbers from 1 on, none left out and none given twice."""
    return frozenset(
        replace(one, seq=number)
        for lane in (True, False)
        for number, one in enumerate(sorted((one for one in evidence if one.lane is lane), key=repr), start=1)
    )


KEPT = st.frozensets(st.integers(0, 4))


@settings(max_examples=examples(50), deadline=None)
@given(SETS, KEPT, st.integers(0, 4))
def test_a_challenge_that_is_no_longer_kept_raises_nothing(
    evidence: frozenset[One], kept: frozenset[int], gone: int
) -> None:
    assert rank(evidence, kept - {gone}) <= rank(evidence, kept)


@settings(max_examples=examples(50), deadline=None)
@given(SETS, KEPT, ONES)
def test_one_failure_more_raises_nothing(evidence: frozenset[One], kept: frozenset[int], more: One) -> None:
    assert rank(evidence | {replace(more, passes=False)}, kept) <= rank(evidence, kept)


@settings(max_examples=examples(30), deadline=None)
@given(SETS, KEPT, st.integers(0, 40))
def test_a_day_later_raises_nothing(evidence: frozenset[One], kept: frozenset[int], later: int) -> None:
    assert rank(evidence, kept, later + 1) <= rank(evidence, kept, later)


@settings(max_examples=examples(50), deadline=None)
@given(SETS.map(numbered), KEPT)
def test_a_pass_less_raises_nothing(evidence: frozenset[One], kept: frozenset[int]) -> None:
    """Where nothing but what is taken away told of a fault: a challenge answered twice, a number that is not held.

    So that nobody can take such a thing away, `claims` counts what the judging revision holds (see `assess`).
    """
    nonces = [one.answers for one in evidence if one.answers is not None]
    assume(len(set(nonces)) == len(nonces))
    before = rank(evidence, kept)
    for one in evidence:
        if one.passes:
            assert rank(evidence - {one}, kept) <= before
