"""What became of one item, judged from how its process ended and what it left behind. Pure."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from typing import Any, Dict, List, Optional

_OUTCOMES = ("PASS", "FAIL", "ERROR", "MISS")


@dataclass(frozen=True)
class Ended:
    """How an item's process ended."""

    status: Optional[int]
    """As wait4 gives it; None when it could not be reaped."""
    results: List[Dict[str, Any]]
    stray_bytes: int = 0
    """Bytes on its result pipe that were no record."""
    killed_for: Optional[str] = None
    """Why the worker itself killed it: timeout, worker-stopped; None when it did not."""
    limit: float = 0.0
    out_of_memory: bool = False
    """Whether the kernel counted or logged an out-of-memory kill while it ran."""
    lost: bool = False
    """Whether the process that it was forked from died."""


@dataclass(frozen=True)
class Verdict:
    """An outcome, its stable reason code, words for a person, and the signal that ended the process."""

    outcome: str
    reason: str
    message: str = ""
    signal: Optional[str] = None


def judge(ended: Ended) -> Verdict:
    """Judge one item. PASS needs exactly one valid result that says so and a process that ended well after it."""
    name = signal_name(ended.status)
    if ended.killed_for == "timeout":
        return Verdict(
            "ERROR", "timeout", "still running after %g s; it and its descendants were killed" % ended.limit, name
        )
    if ended.killed_for == "fork-failed":
        return Verdict("ERROR", "fork-failed", "no process could be forked for it")
    if ended.killed_for is not None:
        return Verdict("ERROR", ended.killed_for, "killed by the worker", name)
    if ended.lost:
        return Verdict("ERROR", "import-lost", "the process that held the import of torch died while this ran", name)
    if not ended.results:
        return _without_result(ended, name)
    if len(ended.results) > 1 or ended.stray_bytes or not _sound(ended.results[0]):
        return Verdict("ERROR", "bad-result", "what it left is not one valid result", name)
    if ended.status is None or ended.status != 0:
        how = "died of %s" % name if name else "ended with wait status %s" % ended.status
        return Verdict("ERROR", "died-after-result", "it left a result and then %s" % how, name)
    result = ended.results[0]
    return Verdict(result["outcome"], result["reason"], result["message"])


def _without_result(ended: Ended, name: Optional[str]) -> Verdict:
    if name == "SIGKILL" and ended.out_of_memory:
        return Verdict("ERROR", "killed-out-of-memory", "the kernel killed it: memory had run out", name)
    if name == "SIGKILL":
        return Verdict("ERROR", "killed", "killed by somebody else (SIGKILL)", name)
    if name is not None:
        return Verdict("ERROR", "signal", "died of %s" % name, name)
    if ended.status is None:
        return Verdict("ERROR", "exit-status", "how it ended could not be read")
    if ended.stray_bytes:
        return Verdict("ERROR", "bad-result", "%d bytes that are no result were left" % ended.stray_bytes)
    code = os.WEXITSTATUS(ended.status)
    if code == 0:
        return Verdict("ERROR", "no-result", "it ended with status 0 and left no result")
    return Verdict("ERROR", "exit-status", "it ended with status %d and left no result" % code)


def signal_name(status: Optional[int]) -> Optional[str]:
    """Name the signal in a wait status, None when it ended by itself."""
    if status is None or not os.WIFSIGNALED(status):
        return None
    number = os.WTERMSIG(status)
    try:
        return signal.Signals(number).name
    except ValueError:
        return "SIG%d" % number


def _sound(result: Dict[str, Any]) -> bool:
    texts = all(isinstance(result.get(name), str) for name in ("outcome", "reason", "message"))
    return (
        texts
        and result["outcome"] in _OUTCOMES
        and (result["outcome"] == "PASS") == (result["reason"] in ("ok", "collected"))
    )
