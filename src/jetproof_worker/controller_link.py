"""The worker's tie to the controller: records go up it, and its end is the worker's end."""

from __future__ import annotations

import os
import select
import time
from typing import Any, Dict, Mapping

from jetproof_worker import frames

_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL


class Stopped(Exception):
    """The worker is to end now: a signal came, or the controller is gone. `status` is its exit status."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class ControllerLink:
    """Where records are written, and who is expected to read them."""

    def __init__(self, out: int, nonce: Any) -> None:
        self.parent = os.getppid()
        self.started = time.monotonic()
        self._out = out
        self._nonce = nonce
        self._poll = select.poll()
        self._poll.register(out, 0)

    def emit(self, record: Mapping[str, Any]) -> None:
        """Write one record with the nonce and the time since the start. Raises `Stopped` when nobody reads."""
        whole: Dict[str, Any] = dict(record, nonce=self._nonce, t=time.monotonic() - self.started)
        try:
            try:
                frames.write(self._out, whole)
            except frames.RecordTooLarge:
                whole.update(stderr="", traceback="", kernel="", detail={"left_out": "the record was too large"})
                frames.write(self._out, whole)
        except OSError as error:
            raise Stopped(143, "the controller reads no more: %s" % error) from error

    def check(self) -> None:
        """Raise `Stopped` when the controller has ended or closed its end."""
        if os.getppid() != self.parent:
            raise Stopped(143, "the controller is gone")
        if any(event & _GONE for _, event in self._poll.poll(0)):
            raise Stopped(143, "the controller reads no more")
