"""Whether evidence is missing, doubled or forked: each signer numbers what it signs, and names the one before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from jetproof.evidence.reason import Reason, Refusal


class Numbered(NamedTuple):
    """One piece of evidence as a link of its signer's sequence; a tuple, since many pass between processes."""

    signer: str
    seq: int | None
    sha256: str
    payload_sha256: str
    previous: str | None = None
    replaces: str | None = None
    tells: tuple[str, ...] = ()
    """What a redacted issue may not change: commit, gate, machine, outcome."""
    nonce: str | None = None
    """Of the challenge that it answers, if that was made for this run."""


@dataclass(frozen=True, kw_only=True)
class Gap:
    """A run of numbers that a signer gave and nobody holds."""

    signer: str
    first: int
    last: int


@dataclass(frozen=True, kw_only=True)
class Sequences:
    """What is wrong with the numbering of a set of evidence."""

    gaps: tuple[Gap, ...] = ()
    duplicates: tuple[tuple[str, str], ...] = ()
    """(sha256, sha256) of envelopes around the same signed bytes; they count once."""
    refusals: Mapping[str, tuple[Refusal, ...]] = field(default_factory=dict)
    """sha256 of the envelope to what is wrong with its place."""
    floors: Mapping[str, int] = field(default_factory=dict)
    """Signer to the highest number that was pruned, as the store says; nobody signed that note."""
    counted: frozenset[str] = frozenset()
    """sha256 of the envelopes that count: no second wrapping, and no original that was issued again redacted."""

    @property
    def missing(self) -> Mapping[str, int]:
        """Signer to its highest missing number, as the calculus takes it.

        A pruned number is missing like any other: whoever could write the note could have taken a failure out.
        """
        found: dict[str, int] = dict(self.floors)
        for gap in self.gaps:
            found[gap.signer] = max(gap.last, found.get(gap.signer, gap.last))
        return found


def sequences(
    held: Iterable[Numbered],
    *,
    floors: Mapping[str, int] | None = None,
) -> Sequences:
    """Return what is missing or doubled. `floors`: signer to the highest number that was pruned."""
    counted, duplicates = _once(held)
    streams: dict[str, list[Numbered]] = {}
    for item in counted:
        if item.seq is not None:
            streams.setdefault(item.signer, []).append(item)
    gaps: list[Gap] = []
    wrong: dict[str, list[Refusal]] = {}
    for signer, items in sorted(streams.items()):
        items.sort(key=lambda item: (item.seq or 0, item.sha256))
        floor = (floors or {}).get(signer, 0)
        _links(items, wrong, floor)
        gaps.extend(_gaps(signer, [item.seq or 0 for item in items], floor))
    _challenges(counted, wrong)
    return Sequences(
        gaps=tuple(gaps),
        duplicates=tuple(duplicates),
        refusals={sha256: tuple(found) for sha256, found in wrong.items()},
        floors=dict(floors or {}),
        counted=frozenset(item.sha256 for item in counted),
    )


def _once(held: Iterable[Numbered]) -> tuple[list[Numbered], list[tuple[str, str]]]:
    # by signer: one key's word under the same bytes does not take another's out of its sequence
    first: dict[tuple[str, str], Numbered] = {}
    duplicates: list[tuple[str, str]] = []
    again: dict[str, list[Numbered]] = {}
    for item in held:
        known = first.setdefault((item.signer, item.payload_sha256), item)
        if known is not item:
            duplicates.append((known.sha256, item.sha256))
        if item.replaces is not None:
            again.setdefault(item.replaces, []).append(item)
    counted = [
        item for item in first.values() if not any(_issued_again(item, later) for later in again.get(item.sha256, ()))
    ]
    return counted, duplicates


def _issued_again(original: Numbered, later: Numbered) -> bool:
    """Whether it is the same word without what was private; nothing else takes a failure away."""
    return (original.signer, original.seq, original.tells) == (later.signer, later.seq, later.tells)


def _gaps(signer: str, numbers: list[int], floor: int) -> Iterable[Gap]:
    """Yield the runs of numbers above the floor that are not held, without counting through them."""
    expected = floor + 1
    for number in numbers:
        if number > expected:
            yield Gap(signer=signer, first=expected, last=number - 1)
        expected = max(expected, number + 1)


def _links(items: list[Numbered], wrong: dict[str, list[Refusal]], floor: int) -> None:
    for before, item in pairwise(items):
        if before.seq == item.seq:
            message = f"number {item.seq} of the signer {item.signer[:8]} was given to {before.sha256[:12]} as well"
            for one in (before, item):
                wrong.setdefault(one.sha256, []).append(Refusal(reason=Reason.SEQUENCE_REUSED, message=message))
        elif (before.seq or 0) + 1 == item.seq and item.previous not in (before.sha256, before.replaces, None):
            message = f"it follows {str(item.previous)[:12]}, and number {before.seq} is {before.sha256[:12]}"
            wrong.setdefault(item.sha256, []).append(Refusal(reason=Reason.PREVIOUS_DIFFERENT, message=message))
        elif max((before.seq or 0) + 1, floor + 1) < (item.seq or 0):
            message = (
                f"numbers {(before.seq or 0) + 1} to {(item.seq or 0) - 1} of the signer {item.signer[:8]} are missing"
            )
            wrong.setdefault(item.sha256, []).append(Refusal(reason=Reason.SEQUENCE_GAP, message=message))


def first_uses(items: Iterable[Numbered]) -> Mapping[str, Numbered]:
    """Return for each nonce the evidence that used it: the one with the lowest number, whatever clocks say."""
    used: dict[str, Numbered] = {}
    for item in sorted(items, key=lambda item: (item.seq or 0, item.sha256)):
        if item.nonce is not None:
            used.setdefault(item.nonce, item)
    return used


def _challenges(items: Iterable[Numbered], wrong: dict[str, list[Refusal]]) -> None:
    answered = [item for item in items if item.nonce is not None]
    used = first_uses(answered)
    for item in answered:
        first = used[item.nonce or ""]
        if first.payload_sha256 != item.payload_sha256:
            message = f"its challenge was used already by {first.sha256[:12]}"
            wrong.setdefault(item.sha256, []).append(Refusal(reason=Reason.CHALLENGE_REUSED, message=message))
