"""The device computes the same right result again and again for a while.

What it proves
    For as many minutes as the policy asks, products of changing random matrices stay within float32's bound of float64
    on the CPU, and one fixed product stays equal to its first result, bit by bit.

What it does not prove
    Anything beyond that time or at other loads. It is opt-in: no default gate holds it.

Reasons
    `bound-exceeded`, `not-finite`
"""

from __future__ import annotations

import math
import time

from jetproof_worker.probe import GIB, Context, Probe, relative_error

_SIZE = 1024


def run(context: Context) -> None:
    """Repeat until the time is over."""
    torch = context.torch()
    device = context.device()
    torch.backends.cuda.matmul.allow_tf32 = False
    minutes = float(context.params.get("minutes", 10))
    draw = torch.Generator().manual_seed(context.seed)
    fixed = [torch.randn(_SIZE, _SIZE, generator=draw).to(device) for _ in range(2)]
    first = fixed[0] @ fixed[1]
    worst, changed, turns = 0.0, 0, 0
    until = time.monotonic() + minutes * 60
    while True:
        left = torch.randn(_SIZE, _SIZE, generator=draw)
        right = torch.randn(_SIZE, 16, generator=draw)
        error = relative_error(torch, left.to(device) @ right.to(device), left.double() @ right.double())
        worst = error if math.isnan(error) or error > worst else worst
        for _ in range(20):
            changed += int((fixed[0] @ fixed[1] != first).any())
        turns += 1
        if math.isnan(error) or changed or time.monotonic() >= until:
            break
    context.measure("turns", turns, "")
    context.measure("worst", worst, "", 4 * 2.0**-24 * 32)
    context.measure("changed", changed, "", 0.0)


PROBE = Probe(
    id="soak",
    run=run,
    params={"minutes": "how long, 10 if not given; the item's timeout must be longer", "device": "`cuda` or `cpu`"},
    timeout=7200,
    memory=2 * GIB,
    weight=1.0,
    exclusive=True,
)
