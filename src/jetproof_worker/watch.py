"""A small process that ends all others of a run when the supervisor is gone, however it went."""

from __future__ import annotations

import os
import signal
from typing import Optional

from jetproof_worker import process


def start(cookie: Optional[str]) -> int:
    """Start it; return the descriptor that must stay open in the supervisor alone for as long as all is well."""
    watched, held = os.pipe()
    supervisor = os.getpid()
    pid = os.fork()
    if pid:
        os.close(watched)
        return held
    try:
        os.setsid()
        for ignored in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(ignored, signal.SIG_IGN)
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)
        for name in os.listdir("/proc/self/fd"):
            if int(name) > 2 and int(name) != watched:
                try:
                    os.close(int(name))
                except OSError:
                    pass
        if os.read(watched, 1) != b"x":
            process.kill_tree(supervisor, cookie, rounds=50)
    finally:
        os._exit(0)


def stop(held: int) -> None:
    """Tell it that all is cleared up, and let go."""
    try:
        os.write(held, b"x")
    except OSError:
        pass  # somebody has killed it
    os.close(held)
