"""Verifies all evidence of a store and reduces it to proofs: in batches, on all cores, in bounded memory.

Two passes. The first looks at each envelope alone: form, signature, trust, result, device, clock. The second asks the
checkout, and only for the evidence whose commit could serve the claim.
"""

from __future__ import annotations

import gc
import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from jetproof.claims.proof import Proof, Told, proof
from jetproof.evidence.checks.clock import effective
from jetproof.evidence.circumstances import Circumstances
from jetproof.evidence.reason import Effect, Refusal
from jetproof.evidence.sequence import Numbered, Sequences, sequences
from jetproof.evidence.store import read_bounded
from jetproof.evidence.verify import numbered, verified

BATCH = 500
WORTH_A_POOL = 2000
"""Below this many envelopes starting processes costs more than it saves."""

Item = tuple[str, bytes | Path]
"""An envelope's name, and its bytes or the file that holds them."""


@dataclass(frozen=True, kw_only=True)
class Turned:
    """One envelope that does not count, and why."""

    name: str
    refusals: tuple[Refusal, ...]


@dataclass(frozen=True, kw_only=True)
class Gathered:
    """All evidence of a store, reduced."""

    proofs: tuple[Proof, ...]
    turned: tuple[Turned, ...]
    sequences: Sequences
    read: int


class _Line(NamedTuple):
    name: str
    proof: Proof | None
    numbered: Numbered | None
    refusals: tuple[Refusal, ...]


def gather(
    items: Iterable[Item],
    around: Circumstances,
    *,
    workers: int | None = None,
    floors: Mapping[str, int] | None = None,
) -> Gathered:
    """Return what the envelopes prove, each looked at alone, and what is wrong with their numbering."""
    alone = replace(around, repository=None, side_files=None, commit=None, base=None)
    proofs: list[Proof] = []
    links: list[Numbered] = []
    turned: list[Turned] = []
    read = 0
    for line in _lines(items, alone, workers):
        read += 1
        if line.numbered is not None:
            links.append(line.numbered)
        if line.proof is not None:
            proofs.append(line.proof)
        else:
            turned.append(Turned(name=line.name, refusals=line.refusals))
    chain = sequences(links, floors=floors)
    reused = {
        sha256
        for sha256, refusals in chain.refusals.items()
        if any(item.reason.effect is Effect.INVALID for item in refusals)
    }
    # a failure counts whatever challenge it answers: using one twice takes no failure away
    reused -= {item.sha256 for item in proofs if item.told is Told.FAIL}
    turned.extend(Turned(name=sha256, refusals=chain.refusals[sha256]) for sha256 in sorted(reused))
    kept = tuple(item for item in proofs if item.sha256 in chain.counted and item.sha256 not in reused)
    return Gathered(proofs=kept, turned=tuple(turned), sequences=chain, read=read)


def checked(gathered: Gathered, items: Mapping[str, Item], around: Circumstances, commits: frozenset[str]) -> Gathered:
    """Return the same with the evidence for `commits` checked against the checkout; `items` by envelope digest."""
    proofs: list[Proof] = []
    turned = list(gathered.turned)
    for item in gathered.proofs:
        if item.commit not in commits:
            proofs.append(item)
            continue
        line = _line(items[item.sha256], around)
        if line.proof is not None:
            proofs.append(line.proof)
        else:
            turned.append(Turned(name=line.name, refusals=line.refusals))
    return replace(gathered, proofs=tuple(proofs), turned=tuple(turned))


def _lines(items: Iterable[Item], around: Circumstances, workers: int | None) -> Iterator[_Line]:
    stream = iter(items)
    first = list(itertools.islice(stream, WORTH_A_POOL))
    count = workers if workers is not None else len(os.sched_getaffinity(0))
    if count < 2 or len(first) < WORTH_A_POOL:
        for item in itertools.chain(first, stream):
            yield _line(item, around)
        return
    stream = itertools.chain(first, stream)
    gc.freeze()  # what is there already need not be looked at again, here or in each child
    with ProcessPoolExecutor(count, mp_context=get_context("fork"), initializer=_begin, initargs=(around,)) as pool:
        waiting: list[Future[list[_Line]]] = []
        for batch in iter(lambda: list(itertools.islice(stream, BATCH)), []):
            waiting.append(pool.submit(_batch, batch))
            if len(waiting) >= 3 * count:
                yield from waiting.pop(0).result()
        for future in waiting:
            yield from future.result()


_AROUND: list[Circumstances] = []


def _begin(around: Circumstances) -> None:
    _AROUND[:] = [around]
    gc.disable()  # a batch makes no cycles, and its memory is given back as a whole


def _batch(items: list[Item]) -> list[_Line]:
    return [_line(item, _AROUND[0]) for item in items]


def _line(item: Item, around: Circumstances) -> _Line:
    name, source = item
    data = source if isinstance(source, bytes) else read_bounded(source)
    found = verified(data, around, name)
    if found.evidence is None or found.signer is None:
        return _Line(name=name, proof=None, numbered=None, refusals=found.refusals)
    said = found.evidence.statement
    signer = found.signer.keyid
    link = numbered(found.evidence, found.signer)
    kept = proof(found.evidence, signer, found.refusals, effective(said, around))
    return _Line(name=name, proof=kept, numbered=link, refusals=() if kept is not None else found.refusals)
