"""Ends what an item left running, also what left its process group, without touching the items beside it."""

from __future__ import annotations

import os
import signal
import time
from typing import Callable, Iterable, List

from jetproof_worker import process

_ROUNDS = 100


def clear(
    holder: int, ended: int, live: Iterable[int], keep: Iterable[int], forget: Callable[[List[int]], object]
) -> None:
    """Kill all below the zygote `holder` that belongs to no item, until nothing is left.

    `ended` is the item that has just ended, still unreaped: its group number is its own until then. `live` are the
    items that run, `keep` others that wait to be reaped. `forget` has the zygote reap those that came down to it as
    orphans."""
    live, keep = tuple(live), {holder, ended, *keep}
    for turn in range(_ROUNDS):
        send(-ended, signal.SIGKILL)  # the whole group at once: a fork bomb cannot outrun it
        below = set(process.descendants(holder)) - keep
        for pid in live if below.difference(live) else ():
            below -= set(process.descendants(pid))
        strays = sorted(below.difference(live))
        if not strays:
            return
        for pid in strays:
            send(pid, signal.SIGKILL)
        forget(strays)
        time.sleep(min(0.002 * (turn + 1), 0.05))


def clear_all(keep: Iterable[int]) -> None:
    """Kill and reap all below this process but `keep`: as it adopts orphans, nothing can have slipped out."""
    kept = {os.getpid(), *keep}
    for turn in range(_ROUNDS):
        left = set(process.descendants(os.getpid())) - kept
        if not left:
            return
        for pid in left:
            send(pid, signal.SIGKILL)
        time.sleep(min(0.002 * (turn + 1), 0.05))
        for pid in left:
            try:
                os.waitpid(pid, os.WNOHANG)
            except OSError:
                pass  # not our child as yet: it comes down to us when its parent ends


def send(pid: int, number: int) -> None:
    """Send a signal to a process, or to a group by its negative number; that it is gone already is no error."""
    try:
        os.kill(pid, number)
    except OSError:
        pass
