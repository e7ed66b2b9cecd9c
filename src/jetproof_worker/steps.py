"""Make steps that may crash or hang, one after another, and tell each before it begins; the child's side.

Imports little, since it runs where every import delays what is measured. Python >= 3.6.
"""

import faulthandler
import sys
import time
from typing import Any, Callable, Dict, Optional

from jetproof_worker import frames

Data = Dict[str, Any]

MESSAGE = 4000
"""Characters of a message that are kept."""


class NotRun(Exception):
    """Raised by a step that has nothing to do here; the text says why."""


class Recorder:
    """The child's side: makes steps and sends a record before and after each."""

    def __init__(self, out: int) -> None:
        self._out = out

    def step(self, name: str, limit: float, work: Callable[[], Optional[Data]]) -> bool:
        """Make one step and tell how it ended; whether it came out well.

        After `limit` seconds the interpreter's own watchdog ends the process, also when native code hangs.
        """
        frames.write(self._out, {"step": name, "limit": limit})
        faulthandler.dump_traceback_later(limit, exit=True, file=sys.stderr)
        started = time.monotonic()
        end: Data = {"end": name, "outcome": "ok"}
        try:
            data = work()
            if data:
                end["data"] = data
        except NotRun as reason:
            end.update(outcome="not-run", message=str(reason))
        except BaseException as error:  # SystemExit at import is a failed step too
            end.update(outcome="failed", message=_told(error), traceback=_traceback())
        finally:
            faulthandler.cancel_dump_traceback_later()
        end["seconds"] = round(time.monotonic() - started, 4)
        frames.write(self._out, end)
        return bool(end["outcome"] == "ok")

    def skip(self, name: str, reason: str) -> None:
        """Tell that a step was not made."""
        frames.write(self._out, {"step": name, "limit": 1})
        frames.write(self._out, {"end": name, "outcome": "not-run", "message": reason})


def _told(error: BaseException) -> str:
    return ("%s: %s" % (type(error).__name__, error))[:MESSAGE]


def _traceback() -> str:
    import traceback

    return traceback.format_exc()[-MESSAGE:]
