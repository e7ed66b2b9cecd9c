"""Which items start next: the longest first, side by side as cores and memory allow, exclusive ones alone."""

from __future__ import annotations

from typing import AbstractSet, List, Optional, Sequence

from jetproof_worker.probe import GIB, MIB
from jetproof_worker.request import Item

_FEW = 2


def parallelism(asked: Optional[int], items: int, cores: int) -> int:
    """How many items may run side by side: as asked, or one more than there are cores, as each waits now and then.

    Two cores are full with two: there what counts is the work of all items together, and one more only adds to it.
    """
    return max(1, min(asked if asked is not None else cores + (cores > _FEW), items))


def reserve(available: int) -> int:
    """Bytes to leave free for everything else: an eighth, between 256 MiB and 2 GiB."""
    return min(max(available // 8, 256 * MIB), 2 * GIB)


def order(items: Sequence[Item]) -> List[Item]:
    """The items as they are to start: those that may run beside others first, the heaviest of them first of all."""
    return sorted(items, key=lambda item: (item.exclusive, -item.weight))  # stable: the plan's order breaks ties


def startable(
    waiting: Sequence[Item],
    running: Sequence[Item],
    ready: AbstractSet[bool],
    parallel: int,
    available: Optional[int],
    budget: Optional[int],
) -> List[Item]:
    """The waiting items (in `order`) that may start now.

    `ready` holds the kinds of `Item.needs_torch` that can be forked at present. `available` is the memory free now,
    `budget` what was free before anything ran; both less the reserve, None where it cannot be read. What runs already
    may not have taken its share yet, so the tighter of the two counts. Something always runs, however little is free.
    """
    if any(item.exclusive for item in running):
        return []
    chosen: List[Item] = []
    for item in waiting:
        beside = len(running) + len(chosen)
        if beside >= parallel:
            break
        if item.exclusive:
            # all others have started when it is reached; it waits until they have ended
            if beside == 0 and item.needs_torch in ready:
                return [item]
            break
        if item.needs_torch not in ready:
            continue
        if beside and not _fits(item, running, chosen, available, budget):
            continue
        chosen.append(item)
    return chosen


def _fits(
    item: Item, running: Sequence[Item], chosen: Sequence[Item], available: Optional[int], budget: Optional[int]
) -> bool:
    new = sum(one.memory for one in chosen) + item.memory
    if available is not None and new > available:
        return False
    return budget is None or new + sum(one.memory for one in running) <= budget
