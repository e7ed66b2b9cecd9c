"""Gaps, doubles, forks and reused challenges in a signer's numbering are told; honest numbering is silent."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from jetproof.evidence.reason import Reason
from jetproof.evidence.sequence import Gap, Numbered, Sequences, sequences


def link(seq: int | None, **changes: Any) -> Numbered:
    members: dict[str, Any] = {
        "signer": "lane",
        "seq": seq,
        "sha256": f"sha{seq}",
        "payload_sha256": f"payload{seq}",
        "previous": f"sha{seq - 1}" if seq and seq > 1 else None,
    }
    return Numbered(**{**members, **changes})


def told(found: Sequences) -> dict[str, list[Reason]]:
    return {name: [refusal.reason for refusal in refusals] for name, refusals in found.refusals.items()}


def test_honest_numbering_is_silent() -> None:
    found = sequences([link(2), link(1), link(3), link(None)])

    assert found.gaps == ()
    assert found.refusals == {}
    assert found.missing == {}


def test_a_gap_in_the_middle() -> None:
    found = sequences([link(1), link(4)])

    assert found.gaps == (Gap(signer="lane", first=2, last=3),)
    assert found.missing == {"lane": 3}
    assert told(found) == {"sha4": [Reason.SEQUENCE_GAP]}


def test_a_beginning_that_was_cut_off_and_one_that_was_pruned() -> None:
    assert sequences([link(3)]).gaps == (Gap(signer="lane", first=1, last=2),)
    assert sequences([link(3)], floors={"lane": 2}).gaps == ()
    assert sequences([link(4)], floors={"lane": 2}).missing == {"lane": 3}


def test_one_number_given_twice() -> None:
    found = sequences([link(1), link(2), link(2, sha256="fork", payload_sha256="other")])

    assert set(told(found)) == {"sha2", "fork"}
    assert told(found)["fork"] == [Reason.SEQUENCE_REUSED]


def test_another_one_before() -> None:
    assert told(sequences([link(1), link(2, previous="elsewhere")])) == {"sha2": [Reason.PREVIOUS_DIFFERENT]}


def test_the_same_bytes_in_two_wrappings_count_once() -> None:
    found = sequences([link(1), link(1, sha256="again")])

    assert found.duplicates == (("sha1", "again"),)
    assert found.counted == {"sha1"}
    assert found.refusals == {}


def test_a_redacted_issue_takes_the_place_of_its_original() -> None:
    again = link(2, sha256="clean", payload_sha256="other", replaces="sha2")
    both, alone = sequences([link(1), link(2), again, link(3)]), sequences([link(1), again, link(3)])

    assert both.counted == {"sha1", "clean", "sha3"}
    assert both.refusals == alone.refusals == {}


def test_a_challenge_that_was_used_before() -> None:
    found = sequences([link(1, nonce="c"), link(2, nonce="c"), link(3, nonce="d")])

    assert told(found) == {"sha2": [Reason.CHALLENGE_REUSED]}


@given(st.sets(st.integers(min_value=1, max_value=60)), st.integers(min_value=0, max_value=60))
def test_held_and_missing_make_up_all_numbers(held: set[int], floor: int) -> None:
    found = sequences([link(number) for number in held], floors={"lane": floor})
    missing = {number for gap in found.gaps for number in range(gap.first, gap.last + 1)}

    assert missing.isdisjoint(held)
    assert missing | {n for n in held if n > floor} == set(range(floor + 1, max(held, default=0) + 1))


def test_a_huge_number_is_not_counted_through() -> None:
    assert sequences([link(1), link(2**52)]).gaps[0].last == 2**52 - 1
