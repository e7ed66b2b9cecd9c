"""Run a plan's items on this machine, each in a process of its own, and report what became of each.

The entry: checks the request and ends everything however it ends itself (docs/worker-protocol.md says what goes in and
comes out). Standard library only, never torch. Python 3.8 and later.
"""

from __future__ import annotations

from typing import Any, Mapping

from jetproof_worker import request
from jetproof_worker.controller_link import ControllerLink, Stopped
from jetproof_worker.supervisor import Supervisor

EXIT_REFUSED = 2


def main(asked: Mapping[str, Any], out: int) -> int:
    """Serve one request; records go to the descriptor `out`. Return the exit status."""
    link = ControllerLink(out, asked.get("nonce"))
    try:
        wanted = request.parse(asked)
    except request.BadRequest as error:
        link.emit({"record": "refused", "reason": "bad-request", "message": str(error)})
        return EXIT_REFUSED
    supervisor = Supervisor(wanted, link)
    try:
        return supervisor.run()
    except Stopped as stop:
        supervisor.stop()
        return stop.status
    finally:
        supervisor.close()
