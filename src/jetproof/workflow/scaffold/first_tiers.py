"""The tiers that a policy begins with: those of the plan by their ids, or any stack of the tables with a module."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from jetproof.errors import UsageError
from jetproof.tables.stacks import Stack
from jetproof.workflow.scaffold.host import Runtime

Tier = dict[str, Any]

_ORIN: Tier = {
    "id": "agx-orin-64gb-jp62",
    "name": "Jetson AGX Orin 64 GB on JetPack 6.2",
    "module": "Jetson AGX Orin 64GB",
    "jetpack": "6.2",
    "l4t": "36.4.3",
    "cuda": "12.6",
    "stage": "target",
    "gate": "jetson-cuda-runtime",
    "runtime": {},
    "bitsandbytes": "unsupported: no source build for this stack is pinned yet",
    "memory": "64 GB is a capacity class shared by system, CUDA and file cache: begin with small models",
}
_THOR: Tier = {
    "id": "agx-thor-jp7",
    "name": "Jetson AGX Thor on JetPack 7",
    "module": "Jetson T5000",
    "jetpack": "7.x",
    "l4t": "38.x",
    "cuda": "13.x",
    "stage": "evaluate",
    "gate": "jetson-cuda-runtime",
    "runtime": {"kind": "image", "source": "nvcr.io/nvidia/pytorch"},
    "bitsandbytes": "unsupported: not evaluated",
    "memory": "128 GB is a capacity class shared by system, CUDA and file cache",
}
_XAVIER: Tier = {
    "id": "agx-xavier-jp51",
    "name": "Jetson AGX Xavier on JetPack 5.1",
    "module": "Jetson AGX Xavier",
    "jetpack": "5.1.x",
    "l4t": "35.x",
    "cuda": "11.x",
    "stage": "legacy",
    "gate": "jetson-cuda-runtime",
    "runtime": {"kind": "image", "source": "nvcr.io/nvidia/l4t-pytorch"},
    "bitsandbytes": "unsupported: no build for compute capability 7.2 is published",
    "memory": "32 or 64 GB are shared by system, CUDA and file cache",
}
PLANNED: tuple[Tier, ...] = (_ORIN, _THOR, _XAVIER)
"""The tiers of the plan: one that may become supported, one to evaluate, one of the past."""
PLANNED_IDS = tuple(str(tier["id"]) for tier in PLANNED)


def first_tiers(ids: Sequence[str], stacks: Sequence[Stack], runtime: Runtime) -> list[Tier]:
    """Return the tiers asked for, all of the plan where none is. `runtime` is where the target tiers' torch is from.

    Raises UsageError for an id that the plan does not know, and for a stack without a module.
    """
    for name in ids:
        if name not in PLANNED_IDS:
            raise UsageError(
                f"the plan has no tier {name[:80]!r}",
                hint=f"one of {', '.join(PLANNED_IDS)}; or name a board: --stack jp6.2/orin-nano-8gb",
                reason="tier-unknown",
            )
    chosen = [tier for tier in PLANNED if tier["id"] in ids] + [_of_stack(stack) for stack in stacks]
    told: Tier = {"kind": runtime.kind, "source": runtime.source}
    if runtime.digest is not None:
        told["digest"] = runtime.digest
    tiers = [{**tier, "runtime": tier["runtime"] or told} for tier in chosen or PLANNED]
    return list({str(tier["id"]): tier for tier in tiers}.values())


def _of_stack(stack: Stack) -> Tier:
    module = stack.module
    if module is None:
        raise UsageError(
            f"a tier is one module with one JetPack, and {stack.name} names no module",
            hint=f"like {stack.name}/agx-orin-64gb",
            reason="stack-without-module",
        )
    memory = f"{module.memory_gb} GB" if module.memory_gb else "its memory"
    return {
        "id": re.sub(r"[^a-z0-9-]", "", f"{module.id}-jp{stack.jetpack}".lower()),
        "name": f"{module.name} on JetPack {stack.jetpack}",
        "module": module.name,
        "jetpack": stack.jetpack,
        "l4t": stack.l4t,
        "cuda": stack.cuda,
        "stage": "target",
        "gate": "jetson-cuda-runtime",
        "runtime": {},
        "bitsandbytes": "unsupported: no source build for this stack is pinned yet",
        "memory": f"{memory} is a capacity class shared by system, CUDA and file cache: begin with small models",
    }
