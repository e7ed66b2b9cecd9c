"""Work on several streams runs in the order that events impose, and events tell the time.

What it proves
    A stream that waits for another's event sees all that the other wrote before it, again and again; an event knows
    when it has been reached; the time between two events is above zero and not longer than the host saw.

What it does not prove
    That streams really overlap, or how well.

Reasons
    `bound-exceeded`, `event-order`
"""

from __future__ import annotations

import time

from jetproof_worker.probe import GIB, Context, Missed, Probe

_ROUNDS = 50
_SIZE = 1 << 20


def run(context: Context) -> None:
    """Hand numbers from one stream to another, and time it."""
    torch = context.torch()
    if context.device() != "cuda":
        raise Missed("device-missing", "streams need a CUDA device")
    writer, reader = torch.cuda.Stream(), torch.cuda.Stream()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    shared = torch.zeros(_SIZE, device="cuda")
    seen = torch.zeros(_ROUNDS, 2, device="cuda")
    torch.cuda.synchronize()
    started = time.monotonic()
    begin.record(writer)
    for turn in range(_ROUNDS):
        with torch.cuda.stream(writer):
            shared.fill_(float(turn))
            shared.add_(1)
            written = torch.cuda.Event()
            written.record(writer)
        reader.wait_event(written)
        with torch.cuda.stream(reader):
            seen[turn, 0] = shared.min()
            seen[turn, 1] = shared.max()
            taken = torch.cuda.Event()
            taken.record(reader)
        writer.wait_event(taken)
    end.record(reader)
    end.synchronize()
    host = (time.monotonic() - started) * 1000
    context.require(end.query() and begin.query(), "event-order", "an event that was waited for is not reached")
    wanted = torch.arange(1, _ROUNDS + 1, dtype=torch.float32)[:, None].expand(-1, 2)
    context.measure("unordered", float((seen.cpu() != wanted).sum()), "", 0.0)
    elapsed = begin.elapsed_time(end)
    context.measure("elapsed", elapsed, "ms", host * 1.05 + 1)
    context.measure("elapsed-above-zero", elapsed, "ms", 1e-6, "at-least")


PROBE = Probe(id="streams-events", run=run, params={"device": "`cuda`"}, timeout=120, memory=GIB, weight=1.0)
