"""What the worker says of the one import of torch, and whether the process that holds it may be forked. Pure."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional

_TOLD = ("torch", "cuda", "file", "seconds", "threads", "device_nodes", "cuda_initialised", "compiler", "traceback")


def unsafe_to_fork(told: Mapping[str, Any]) -> List[str]:
    """Why the process that imported torch must not be forked, in words; empty when it may."""
    why = []
    if told.get("threads") != 1:
        why.append("%s threads run after the import" % (told.get("threads") or "an unknown number of"))
    if told.get("device_nodes"):
        why.append("the import opened %s" % ", ".join(told["device_nodes"]))
    if told.get("cuda_initialised"):
        why.append("the import initialised CUDA")
    return why


def imported(told: Mapping[str, Any], stderr: str) -> Dict[str, Any]:
    """Return the record of an import that came to an end, well or with an exception."""
    data = {name: told.get(name) for name in _TOLD}
    data["stderr"] = stderr
    if "reason" in told:
        outcome = "MISS" if told["reason"] == "no-torch" else "ERROR"
        return _record(outcome, told["reason"], told["message"], dict(data, mode="fork", why=[]))
    why = unsafe_to_fork(told)
    return _record("PASS", "ok", "", dict(data, mode="spawn" if why else "fork", why=why))


def not_imported(spawn: bool) -> Dict[str, Any]:
    """Return the record of a run in which the worker itself imports no torch."""
    message = "each item imports torch itself" if spawn else "no item needs torch"
    why = ["asked for"] if spawn else []
    return _record("MISS", "not-imported", message, {"mode": "spawn" if spawn else "fork", "why": why})


def lost(signal: Optional[str], late_after: Optional[float], stderr: str, trace: str) -> Dict[str, Any]:
    """Return the record of an import that ended its process, or was still running at its limit."""
    if late_after is not None:
        how = "was still running after %g s" % late_after
    else:
        how = "died of %s" % signal if signal else "ended the process"
    data: Dict[str, Any] = {"mode": "fork", "why": [], "stderr": stderr, "traceback": trace, "signal": signal}
    return _record("ERROR", "torch-import-failed", "importing torch %s" % how, data)


def _record(outcome: str, reason: str, message: str, data: Mapping[str, Any]) -> Dict[str, Any]:
    return {"record": "torch", "outcome": outcome, "reason": reason, "message": message, "data": dict(data)}
