"""A small process that ends all others of a run when the supervisor is gone, however it went."""

from __future__ import annotations

import os
import signal
from typing import Optional

from jetproof_worker import process


class Watch:
    """The supervisor's hold on the watching process."""

    def __init__(self, pid: int, held: int) -> None:
        self.pid = pid
        self._held = held

    def stop(self) -> None:
        """Tell it that all is cleared up, and let go."""
        try:
            os.write(self._held, b"x")
        except OSError:
            pass  # somebody has killed it
        os.close(self._held)
        try:
            os.waitpid(self.pid, 0)
        except OSError:
            pass


def start(cookie: Optional[str]) -> Watch:
    """Start watching this process, the supervisor; what carries the cookie is ended with what stems from it."""
    watched, held = os.pipe()
    supervisor = os.getpid()
    pid = os.fork()
    if pid:
        os.close(watched)
        return Watch(pid, held)
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
