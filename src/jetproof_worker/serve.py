"""Run a plan's items on this machine, each in a process of its own, and report what became of each.

The entry: checks the request, writes the records (docs/worker-protocol.md), and ends everything however it ends itself.
Standard library only, never torch. Python 3.8 and later.
"""

from __future__ import annotations

import os
import time
from typing import Any, Dict, Mapping

from jetproof_worker import frames, request
from jetproof_worker.supervisor import Stopped, Supervisor

EXIT_REFUSED = 2
EXIT_INTERNAL = 3


def main(asked: Mapping[str, Any], out: int) -> int:
    """Serve one request; records go to the descriptor `out`. Return the exit status."""
    started = time.monotonic()
    parent = os.getppid()
    nonce = asked.get("nonce")

    def emit(record: Mapping[str, Any]) -> None:
        whole: Dict[str, Any] = dict(record, nonce=nonce, t=time.monotonic() - started)
        try:
            try:
                frames.write(out, whole)
            except frames.RecordTooLarge:
                whole.update(stderr="", traceback="", kernel="", detail={"left_out": "the record was too large"})
                frames.write(out, whole)
        except OSError as error:
            raise Stopped(EXIT_INTERNAL, "the controller reads no more: %s" % error) from error

    try:
        wanted = request.parse(asked)
    except request.BadRequest as error:
        emit({"record": "refused", "reason": "bad-request", "message": str(error)})
        return EXIT_REFUSED
    supervisor = Supervisor(wanted, emit, out, parent)
    try:
        return supervisor.run()
    except Stopped as stop:
        supervisor.stop()
        return stop.status
    finally:
        supervisor.close()
