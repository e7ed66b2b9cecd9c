"""The life of one item's own process, from the fork to its exit: set apart, run, leave one result behind."""

from __future__ import annotations

import faulthandler
import importlib
import os
import random
import shutil
import signal
import sys
import tempfile
import traceback
from typing import Any, Callable, Dict, List, Mapping, Tuple

from jetproof_worker import catalogue, frames, kernel, process
from jetproof_worker.probe import Broken, Context, Failed, NotPassed

DUMP_SIGNAL = signal.SIGUSR2
"""Asks an item for its traceback; sent before it is killed for its time limit."""

_MESSAGE_LIMIT = 8000
_TRACE_LIMIT = 12000


def live(job: Mapping[str, Any], fds: Mapping[str, int], parent: int) -> "None":
    """Be the item's process and end: set apart from the others, run the job, write the result. Never returns."""
    status = 70
    own = os.getpid()
    try:
        _set_apart(fds, parent)
        result = _result(job, fds)
        if os.getpid() != own:
            os._exit(0)  # a fork that what we ran made and let return: it has nothing to say
        try:
            frames.write(fds["result"], result)
        except frames.RecordTooLarge:
            frames.write(fds["result"], dict(_outcome("ERROR", "bad-result", "the result is too large"), seconds=0))
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        # nothing of the parent's may run here a second time: neither its exit handlers nor its buffers
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(status)


def _set_apart(fds: Mapping[str, int], parent: int) -> None:
    os.setsid()
    process.adopt_orphans()
    kernel.die_with_parent(parent)
    signal.set_wakeup_fd(-1)
    for caught in (signal.SIGTERM, signal.SIGINT, signal.SIGCHLD, signal.SIGHUP):
        signal.signal(caught, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(fds["stderr"], 1)
    os.dup2(fds["stderr"], 2)
    kept = set(fds.values()) - {fds["stderr"]}
    for name in os.listdir("/proc/self/fd"):
        number = int(name)
        if number > 2 and number not in kept:
            try:
                os.close(number)
            except OSError:
                pass  # the one that listed the folder
    for number in kept:
        os.set_inheritable(number, False)
    kernel.prefer_as_victim()
    faulthandler.enable(file=fds["dump"], all_threads=True)
    faulthandler.register(DUMP_SIGNAL, file=fds["dump"], all_threads=True, chain=False)


def _outcome(outcome: str, reason: str, message: str) -> Dict[str, Any]:
    return {"record": "result", "outcome": outcome, "reason": reason, "message": message[:_MESSAGE_LIMIT]}


def _result(job: Mapping[str, Any], fds: Mapping[str, int]) -> Dict[str, Any]:
    os.environ.update(job["environment"])
    if job["pytest"] is not None:
        runner = importlib.import_module("jetproof_worker.pytest_start")
        keeper: Dict[str, Any] = runner.keep(job, fds)
        return dict(keeper, record="result")
    random.seed(job["seed"])
    scratch = tempfile.mkdtemp(prefix="jetproof-")
    context = Context(
        params=job["params"],
        seed=job["seed"],
        scratch=scratch,
        threads=job["threads"],
        resolver=job["resolver"],
        project_root=job["project_root"],
        project_paths=tuple(job["project_paths"]),
    )
    context.detail["seed"] = job["seed"]
    try:
        probe = catalogue.find(job["probe"])
        if probe is None:
            raise Broken("exception", "there is no probe %r" % job["probe"])
        outcome, trace = judged(probe.run, context)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return dict(
        outcome,
        measurements=[measured.as_record() for measured in context.measurements],
        detail=context.detail,
        traceback=trace,
    )


def judged(run: Callable[[Context], None], context: Context) -> Tuple[Dict[str, Any], str]:
    """Run a probe and put into words what came of it: the outcome, and a traceback when it raised."""
    try:
        run(context)
        _check_bounds(context)
    except NotPassed as error:
        return _outcome(error.outcome, error.reason, error.message), ""
    except SystemExit as error:
        return _outcome("ERROR", "exit-called", "SystemExit(%r) was raised" % (error.code,)), _trace()
    except MemoryError as error:
        return _outcome("ERROR", "memory-error", _told(error)), _trace()
    except BaseException as error:
        return _outcome("ERROR", _reason(error), _told(error)), _trace()
    return _outcome("PASS", "ok", ""), ""


def _check_bounds(context: Context) -> None:
    """Hold every figure against its bound. Raises `Failed` with all that do not keep theirs."""
    wrong = [measured for measured in context.measurements if not measured.kept]
    if not wrong:
        return
    words: List[str] = []
    for measured in wrong[:20]:
        words.append(
            "%s is %g%s" % (measured.name, measured.value, " " + measured.unit if measured.unit else "")
            + (
                ""
                if measured.bound is None
                else ", %s %g is wanted" % ((measured.sense or "").replace("-", " "), measured.bound)
            )
        )
    finite = all(measured.value - measured.value == 0 for measured in wrong)
    raise Failed("bound-exceeded" if finite else "not-finite", "; ".join(words))


def _reason(error: BaseException) -> str:
    """Name the errors of torch that have a meaning of their own."""
    if type(error).__name__ == "OutOfMemoryError":
        return "out-of-memory"
    text = str(error)
    if "NVML_SUCCESS" in text and "CUDACachingAllocator" in text:
        # on Tegra without NVML the allocator fails its own assertion while it reports an out-of-memory error
        return "nvml-assert-is-oom"
    if "CUDA out of memory" in text or "DefaultCPUAllocator" in text:
        return "out-of-memory"
    return "exception"


def _told(error: BaseException) -> str:
    return "%s: %s" % (type(error).__name__, error)


def _trace() -> str:
    return traceback.format_exc()[-_TRACE_LIMIT:]
