"""Have the interpreter that is meant describe itself and try torch, in a child that may die. Python >= 3.6.

After a crash or a hang a new child goes on with the steps that do not build on the broken one.
"""

import json
from typing import Any, Dict, List, Tuple

from jetproof_worker import answers, start, step_watch, trials

Data = Dict[str, Any]

RESTARTS = 3
START_LIMIT = 20.0
"""Seconds in which an interpreter must begin its first step; one that hangs at its start holds nothing else up."""
_LEAST_PATIENCE = 0.25
"""However little patience there is, starting Python on a busy machine takes its time."""
_SPARE = 10.0
"""Seconds that a child may need beside its steps."""


def run(python: str, asked: str, with_trials: bool = True, patience: float = 1.0) -> Tuple[Data, Data]:
    """Return the snapshot's `python` and `trials` for an interpreter. `patience` stretches every limit.

    Never -I and never -s: the vendor's torch often lies in the user's own site folder.
    """
    wanted = [step for step in trials.STEPS if with_trials or step.name == trials.INTERPRETER]
    start_limit = START_LIMIT * max(patience, _LEAST_PATIENCE)
    made: List[Data] = []
    first: List[step_watch.Watched] = []
    broke: List[step_watch.Watched] = []
    for _ in range(RESTARTS + 1):
        done = [step["name"] for step in made]
        left = [step for step in wanted if step.name not in done]
        order = {
            "steps": [step.name for step in left],
            "broken": [step["name"] for step in made if step["outcome"] != "ok"],
            "patience": patience,
        }
        limit = sum(step.limit for step in left) * patience + _SPARE
        watched = step_watch.watch(
            start.command(python, "try"),
            limit,
            json.dumps(order).encode("ascii"),
            start_limit=start_limit,
        )
        made += [answers.sound(step) for step in watched.steps]
        first = first or [watched]
        if watched.status == "ok":
            break
        broke.append(watched)
        if not watched.steps or len(made) == len(wanted):
            break
    about = _python(python, asked, made, first[0], start_limit)
    if not with_trials:
        return about, not_run("not asked for")
    return about, _trials(made, (broke or first)[0])


def not_run(reason: str) -> Data:
    """Return the snapshot's `trials` when nothing was tried."""
    return {"status": "not-run", "signal": None, "stderr": reason, "steps": []}


def _trials(made: List[Data], telling: step_watch.Watched) -> Data:
    told = {step["name"]: step for step in made}
    missing = "not reached: " + (telling.detail or "the child ended early")
    steps = [
        told.get(step.name, {"name": step.name, "outcome": "not-run", "message": missing})
        for step in trials.STEPS
        if step.name != trials.INTERPRETER
    ]
    status = telling.status if telling.status in ("crashed", "timed-out") else "failed"
    if telling.status == "ok" and all(step.name in told for step in trials.STEPS):
        status = "ok"
    return {
        "status": status,
        "signal": telling.signal,
        "stderr": telling.stderr or telling.detail,
        "steps": steps,
    }


def _python(python: str, asked: str, made: List[Data], watched: step_watch.Watched, limit: float) -> Data:
    answer = next((step for step in made if step["name"] == trials.INTERPRETER), None)
    about: Data = {"asked": asked, "path": python, "interpreter": None, "status": "ok", "detail": ""}
    if answer is not None and answer["outcome"] == "ok":
        fault = answers.fault(answer.get("data"))
        if fault:
            about.update(status="failed", detail="its answer is not understood: " + fault)
        else:
            about["interpreter"] = answer["data"]
    elif answer is not None:
        about.update(status=answer["outcome"], detail=answer.get("message", ""))
    else:
        known = ("crashed", "timed-out", "missing")
        about["status"] = watched.status if watched.status in known else "failed"
        told = watched.detail or "it ended without an answer"
        if watched.signal is not None:
            told = "it died of signal %d" % watched.signal
        elif watched.status == "timed-out":
            told = "it gave no answer within %g s" % limit
        about["detail"] = (told + ": " + watched.stderr.strip()[-1000:]).rstrip(": ")
    return about
