"""An allocation that cannot be had is refused cleanly, and the device goes on working.

What it proves
    Asking for a pebibyte raises torch's OutOfMemoryError and nothing else; afterwards the device computes rightly, and
    no memory was lost. This process is the kernel's first victim, should main memory run out (`oom_score_adj`).
    torch's NVML assertion in place of the error, known from boards without NVML, is told by its own name.

What it does not prove
    How much memory a model can have: unified memory is not filled here, since that can take the whole board down.

Reasons
    `nvml-assert-is-oom` (accepted if `accept_nvml_assert` is true), `not-refused`, `refused-otherwise`,
    `bound-exceeded`
"""

from __future__ import annotations

from typing import Any

from jetproof_worker import kernel
from jetproof_worker.probe import GIB, MIB, Context, Failed, Probe

_IMPOSSIBLE = 1 << 50


def run(context: Context) -> None:
    """Ask for too much, then compute."""
    torch = context.torch()
    device = context.device()
    score = kernel.prefer_as_victim()
    if score is not None:
        context.measure("oom-score-adj", score, "", 500, "at-least")
    before = kernel.available_memory()
    free = _free(torch, device)
    refused_by = _refusal(torch, device)
    context.detail.update(device=device, refused_by=refused_by)
    if refused_by is None:
        raise Failed("not-refused", "an allocation of 1 PiB was granted")
    if refused_by == "nvml-assert" and not context.params.get("accept_nvml_assert", False):
        raise Failed("nvml-assert-is-oom", "torch's NVML assertion came in place of an OutOfMemoryError")
    left = torch.full((256, 256), 2.0, device=device)
    context.measure("after", float((left @ left - 1024).abs().max()), "", 0.0)
    del left
    if free is not None:
        now = _free(torch, device) or 0
        if not context.detail.get("integrated"):
            context.measure("lost", max(free - now, 0), "B", 64 * MIB)
    after = kernel.available_memory()
    if before is not None and after is not None:
        context.measure("main-memory-taken", max(before - after, 0), "B")


def _free(torch: Any, device: str) -> "int | None":
    if device != "cuda":
        return None
    warm = torch.ones(256, 256, device=device)
    warm = warm @ warm  # libraries take their workspaces now, so that they do not look like a loss
    torch.cuda.synchronize()
    del warm
    torch.cuda.empty_cache()
    return int(torch.cuda.mem_get_info()[0])


def _refusal(torch: Any, device: str) -> "str | None":
    try:
        torch.empty(_IMPOSSIBLE, dtype=torch.uint8, device=device)
    except RuntimeError as error:
        text = str(error)
        if "NVML_SUCCESS" in text:
            return "nvml-assert"
        if type(error).__name__ == "OutOfMemoryError" or "CUDA out of memory" in text or "DefaultCPUAllocator" in text:
            return "out-of-memory-error"
        raise Failed("refused-otherwise", "%s: %s" % (type(error).__name__, text.partition("\n")[0])) from error
    return None


PROBE = Probe(
    id="memory",
    run=run,
    params={
        "device": "`cuda` or `cpu`",
        "accept_nvml_assert": "true: torch's NVML assertion counts as a refusal on this tier",
    },
    timeout=120,
    memory=GIB,
    weight=0.8,
    exclusive=True,
)
