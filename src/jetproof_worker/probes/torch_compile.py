"""torch.compile makes kernels here, and they compute the right thing.

What it proves
    A function of pointwise operations, a reduction and a product compiles as one graph, with kernels really generated
    (Triton's on a GPU) in an empty cache, and its result agrees with float64 on the CPU within float32's bounds, for
    two shapes.

What it does not prove
    That a whole model compiles, or that compiling makes it faster.

Reasons
    `bound-exceeded`, `not-finite`, `nothing-generated`, `graph-break`
"""

from __future__ import annotations

import os
import time
from typing import Any

from jetproof_worker.probe import GIB, Context, Probe, relative_error


def run(context: Context) -> None:
    """Compile in a fresh cache and compare."""
    for name, folder in (("TORCHINDUCTOR_CACHE_DIR", "inductor"), ("TRITON_CACHE_DIR", "triton")):
        os.environ[name] = os.path.join(context.scratch, folder)
    # no pool of compiler processes: it would outlive this small work and be started with torch in it
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    torch = context.torch()
    device = context.device()
    if device == "cuda":
        context.detail["triton"] = str(context.package("triton").__version__)
    torch.backends.cuda.matmul.allow_tf32 = False

    def work(left: Any, right: Any) -> Any:
        mixed = torch.sin(left) * torch.exp(-right * right) + torch.relu(left - right)
        return (mixed - mixed.mean(-1, keepdim=True)) @ right.transpose(-1, -2)

    draw = torch.Generator().manual_seed(context.seed)
    started = time.monotonic()
    for rows in (64, 96):
        compiled = torch.compile(work, fullgraph=True, dynamic=False)
        left, right = (torch.randn(rows, 128, generator=draw) for _ in range(2))
        reference = work(left.double(), right.double())
        result = compiled(left.to(device), right.to(device))
        context.measure("compiled/%d" % rows, relative_error(torch, result, reference), "", 64 * 2.0**-24)
    context.measure("compile", time.monotonic() - started, "s")
    metrics = __import__("torch._inductor.metrics", fromlist=["metrics"])
    context.measure("kernels", float(metrics.generated_kernel_count), "", 1.0, "at-least")
    counters = __import__("torch._dynamo.utils", fromlist=["utils"]).counters
    context.measure("graph-breaks", float(sum(counters["graph_break"].values())), "", 0.0)


PROBE = Probe(
    id="torch-compile",
    run=run,
    params={"device": "`cuda` or `cpu`"},
    packages=("triton",),
    timeout=300,
    memory=2 * GIB,
    compiler=True,
    weight=9.5,
)
