"""The stack that a run was made on, in one place: what was seen at work goes before what was only read. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jetproof.qualify.outcome import ItemResult

_READ = {
    "arch": "arch",
    "l4t_line": "l4t_line",
    "l4t": "l4t",
    "jetpack": "jetpack",
    "os": "os",
    "kernel": "kernel",
    "driver": "cuda.kernel_driver",
    "cuda": "cuda.toolkit",
    "cudnn": "cuda.cudnn",
    "tensorrt": "cuda.tensorrt",
    "memory_bytes": "memory.total",
    "power_mode": "cuda.power_mode",
}
"""Member of the record to the name of the fact."""


def stack(context: Mapping[str, Any], worker: Mapping[str, Any] | None, items: Sequence[ItemResult]) -> dict[str, Any]:
    """Return every part of the stack that evidence is asked for; null where nothing told it."""
    facts = context.get("facts")
    facts = facts if isinstance(facts, dict) else {}
    imported, device = _detail(items, "torch-import"), _detail(items, "cuda-available")
    return {
        **{member: _fact(facts, name) for member, name in _READ.items()},
        "python": (worker or {}).get("python") or _fact(facts, "python"),
        "nvcc": context.get("nvcc"),
        "torch": imported.get("torch") or device.get("torch") or _fact(facts, "torch.__version__"),
        "torch_cuda": imported.get("cuda") or device.get("cuda") or _fact(facts, "torch.version.cuda"),
        "torch_cudnn": imported.get("cudnn"),
        "device_name": device.get("device_name") or _fact(facts, "torch.cuda.get_device_name"),
        "capability": device.get("capability") or _fact(facts, "torch.cuda.get_device_capability"),
        "device_memory_bytes": _measured(items, "cuda-available", "memory"),
        "bitsandbytes": _fact(facts, "bitsandbytes"),
    }


def _fact(facts: Mapping[str, Any], name: str) -> Any:
    fact = facts.get(name)
    return fact.get("value") if isinstance(fact, dict) else None


def _detail(items: Sequence[ItemResult], probe: str) -> Mapping[str, Any]:
    """Return what the last attempt of a probe told."""
    found = next((item.last for item in items if item.id == f"probe::{probe}"), None)
    return found.detail if found is not None else {}


def _measured(items: Sequence[ItemResult], probe: str, name: str) -> Any:
    last = next((item.last for item in items if item.id == f"probe::{probe}"), None)
    return next((one.value for one in last.measurements if one.name == name), None) if last is not None else None
