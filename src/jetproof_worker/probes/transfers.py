"""Data arrives on the device and back unchanged, in each way that it can travel.

What it proves
    Random bytes come back equal after host → device → host: from pageable and from pinned memory, asynchronously on a
    stream of their own, from and to arrays that are not contiguous, empty, of odd size, and device to device.
    Rates are measured, without a bound.

What it does not prove
    How fast transfers are under load, or anything about transfers between devices.

Reasons
    `bound-exceeded` (bytes that differ)
"""

from __future__ import annotations

import time
from typing import Any

from jetproof_worker.probe import GIB, MIB, Context, Missed, Probe

_BYTES = 32 * MIB


def run(context: Context) -> None:
    """Send and fetch in each way, and count what differs."""
    torch = context.torch()
    if context.device() != "cuda":
        raise Missed("device-missing", "transfers need a device beside the host")
    draw = torch.Generator().manual_seed(context.seed)
    source = torch.randint(0, 256, (_BYTES,), generator=draw, dtype=torch.uint8)

    def differing(returned: Any, sent: Any) -> float:
        return float((returned != sent).sum()) if returned.shape == sent.shape else float(sent.numel())

    torch.cuda.synchronize()
    started = time.monotonic()
    there = source.to("cuda")
    torch.cuda.synchronize()
    up = time.monotonic()
    back = there.cpu()
    down = time.monotonic()
    context.measure("pageable", differing(back, source), "B", 0.0)
    context.measure("pageable/up", _BYTES / max(up - started, 1e-9) / 1e9, "GB/s")
    context.measure("pageable/down", _BYTES / max(down - up, 1e-9) / 1e9, "GB/s")

    pinned = source.pin_memory()
    stream = torch.cuda.Stream()
    landing = torch.empty(_BYTES, dtype=torch.uint8).pin_memory()
    started = time.monotonic()
    with torch.cuda.stream(stream):
        there = pinned.to("cuda", non_blocking=True)
        landing.copy_(there, non_blocking=True)
    stream.synchronize()
    seconds = time.monotonic() - started
    context.measure("pinned-async", differing(landing, source), "B", 0.0)
    context.measure("pinned-async/both", 2 * _BYTES / max(seconds, 1e-9) / 1e9, "GB/s")

    grid = source[: 1 << 20].reshape(1024, 1024)
    context.measure("non-contiguous/up", differing(grid.t().to("cuda").cpu(), grid.t()), "B", 0.0)
    context.measure("non-contiguous/down", differing(grid.to("cuda")[::3, 5::7].cpu(), grid[::3, 5::7]), "B", 0.0)
    target = torch.zeros(1024, 1024, dtype=torch.uint8)
    target[:, ::2].copy_(grid[:, ::2].to("cuda"))
    context.measure("non-contiguous/into", differing(target[:, ::2], grid[:, ::2]), "B", 0.0)
    odd = source[1:1048574]
    context.measure("odd-size", differing(odd.to("cuda").cpu(), odd), "B", 0.0)
    context.measure("empty", float(source[:0].to("cuda").cpu().numel()), "B", 0.0)
    context.measure("device-to-device", differing(there.clone().cpu(), source), "B", 0.0)


PROBE = Probe(id="transfers", run=run, params={"device": "`cuda`"}, timeout=120, memory=GIB, weight=1.0)
