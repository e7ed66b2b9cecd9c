"""Steps that may crash or hang, made one after another in a child that tells each before it begins. Python >= 3.6."""

import faulthandler
import os
import sys
import time
import traceback
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from jetproof_worker import frames, process

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
            end.update(outcome="failed", message=_told(error), traceback=_tail(traceback.format_exc()))
        finally:
            faulthandler.cancel_dump_traceback_later()
        end["seconds"] = round(time.monotonic() - started, 4)
        frames.write(self._out, end)
        return bool(end["outcome"] == "ok")


class Watched:
    """What the parent saw of a child that makes steps.

    `steps` holds one entry a step that began, in order; the last may be "crashed" or "timed-out".
    `status` is "ok" or what ended the child; `signal` is its number when one did.
    """

    def __init__(self, completed: process.Completed, steps: List[Data]) -> None:
        self.steps = steps
        self.signal = completed.code if completed.status == "signalled" else None
        self.stderr = completed.stderr.decode("utf-8", "replace")
        self.detail = completed.detail
        broken = steps[-1]["outcome"] if steps and steps[-1]["outcome"] in ("crashed", "timed-out") else None
        if completed.status in ("missing", "denied", "failed"):
            self.status = completed.status
        elif completed.status == "timed-out":
            self.status = "timed-out"
        elif broken is not None:
            self.status = str(broken)
        elif completed.status == "signalled":
            self.status = "crashed"
        else:
            self.status = "ok" if completed.ok else "failed"


def watch(
    argv: Sequence[Union[str, "os.PathLike[str]"]], timeout: float, stdin: bytes = b"", stderr_limit: int = 16384
) -> Watched:
    """Run a child that makes steps and collect what became of each, whatever becomes of the child."""
    reader = frames.Reader()
    steps: List[Data] = []
    clock = [0.0]

    def arrived(chunk: bytes) -> None:
        for record in reader.feed(chunk):
            if isinstance(record.get("step"), str):
                clock[0] = time.monotonic()
                steps.append({"name": record["step"], "outcome": "begun", "limit": record.get("limit")})
            elif "end" in record and steps and steps[-1]["name"] == record["end"]:
                steps[-1] = {"name": record["end"], **{key: record[key] for key in record if key != "end"}}

    completed = process.run(argv, timeout, stdin=stdin, limit=stderr_limit, on_stdout=arrived)
    if steps and steps[-1]["outcome"] == "begun":
        taken = time.monotonic() - clock[0]
        limit = steps[-1].pop("limit")
        late = isinstance(limit, (int, float)) and taken >= limit
        hung = completed.status == "timed-out" or (completed.status == "exited" and completed.code == 1 and late)
        steps[-1].update(
            outcome="timed-out" if hung else "crashed", message=_ending(completed, hung, taken), seconds=round(taken, 4)
        )
    return Watched(completed, steps)


def _ending(completed: process.Completed, hung: bool, taken: float) -> str:
    if hung:
        return "did not end within %.0f s" % taken
    if completed.status == "signalled":
        return "the process died of signal %s" % completed.code
    return "the process ended by itself with exit status %s" % completed.code


def _told(error: BaseException) -> str:
    return ("%s: %s" % (type(error).__name__, error))[:MESSAGE]


def _tail(text: str) -> str:
    return text[-MESSAGE:]
