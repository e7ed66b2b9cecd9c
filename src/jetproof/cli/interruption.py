"""A polite kill (SIGTERM) means the same as Ctrl-C: bring the journal to its end, then go."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def polite_kill_is_ctrl_c() -> Iterator[None]:
    """Raise KeyboardInterrupt on SIGTERM and SIGHUP for the time of a block."""

    def stop(number: int, frame: FrameType | None) -> None:
        del frame
        raise KeyboardInterrupt(signal.Signals(number).name)

    # what is ignored stays ignored: that is what nohup does to the hang-up
    heard = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def end_children() -> None:
    """End whatever was started and is still there: Ctrl-C may come while a program is just being started."""
    process = sys.modules.get("jetproof_worker.process")  # not loaded: nothing was started
    if process is not None:
        process.kill_descendants()
