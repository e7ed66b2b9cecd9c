"""Watch a child that makes steps: what became of each, whatever becomes of the child. Python >= 3.6."""

import os
import time
from typing import Any, Dict, List, Optional, Sequence, Union

from jetproof_worker import frames, process

Data = Dict[str, Any]

_STDERR_LIMIT = 16384


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
    argv: Sequence[Union[str, "os.PathLike[str]"]],
    timeout: float,
    stdin: bytes = b"",
    start_limit: Optional[float] = None,
) -> Watched:
    """Run a child that makes steps and collect what became of each, whatever becomes of the child.

    A child that began no step within `start_limit` seconds is ended then.
    """
    reader = frames.Reader()
    steps: List[Data] = []
    clock = [0.0]

    def arrived(chunk: bytes) -> None:
        for record in reader.feed(chunk):
            if isinstance(record.get("step"), str):
                clock[0] = time.monotonic()
                steps.append({"name": record["step"], "outcome": "begun", "limit": record.get("limit")})
            elif (
                isinstance(record.get("end"), str)
                and "outcome" in record
                and steps
                and steps[-1]["name"] == record["end"]
            ):
                steps[-1] = {"name": record["end"], **{key: record[key] for key in record if key != "end"}}

    def allowed() -> float:
        return timeout if steps or start_limit is None else min(start_limit, timeout)

    completed = process.run(argv, allowed, stdin=stdin, limit=_STDERR_LIMIT, on_stdout=arrived)
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
