"""A weight that is kept off the device can be edited on the device and written back.

What it proves
    A Linear whose weight accelerate keeps in main memory, and another whose weight is kept on disk: the module's own
    weight is on the meta device, the stored one is fetched, edited on the device by a rank-1 projection (a direction is
    taken out), and written back to where it was. The stored weight then equals the reference, the module's stays on
    meta, and a forward pass uses the edited weight, on the device, with finite results.

What it does not prove
    That the host project's own editing is right: that is for its tests. Nor anything about models too large for memory.

Reasons
    `not-offloaded`, `left-meta`, `wrong-place`, `bound-exceeded`, `not-finite`
"""

from __future__ import annotations

import os
from typing import Any

from jetproof_worker.probe import GIB, Context, Probe, relative_error

_SIZE = 128
_BOUND = 4 * 2.0**-24 * 16


def run(context: Context) -> None:
    """Edit both kinds of stored weight."""
    torch = context.torch()
    device = context.device()
    accelerate = context.package("accelerate")
    context.detail.update(accelerate=str(accelerate.__version__), device=device)
    torch.backends.cuda.matmul.allow_tf32 = False
    for kind in ("memory", "disk"):
        draw = torch.Generator().manual_seed(context.seed)
        model = torch.nn.Sequential(torch.nn.Linear(_SIZE, _SIZE), torch.nn.ReLU(), torch.nn.Linear(_SIZE, 8))
        for parameter in model.parameters():
            parameter.data = torch.randn(parameter.shape, generator=draw) / 8
        original = {name: value.detach().double().clone() for name, value in model.state_dict().items()}
        if kind == "memory":
            accelerate.cpu_offload(model, execution_device=torch.device(device))
        else:
            folder = os.path.join(context.scratch, "offloaded")
            accelerate.disk_offload(model, folder, execution_device=torch.device(device))
        _edit(context, torch, model, original, kind, device)


def _edit(context: Context, torch: Any, model: Any, original: Any, kind: str, device: str) -> None:
    layer = model[0]
    context.require(layer.weight.device.type == "meta", "not-offloaded", "the weight is on %s" % layer.weight.device)
    stored = layer._hf_hook.weights_map
    direction = torch.randn(_SIZE, generator=torch.Generator().manual_seed(context.seed + 1))
    direction = direction / torch.linalg.vector_norm(direction)

    there, unit = stored["weight"].to(device), direction.to(device)
    context.require(there.device.type == device, "wrong-place", "the fetched weight is on %s" % there.device)
    edited = there - torch.outer(unit, unit @ there)
    _store(stored, edited)

    exact = direction.double()
    wanted = original["0.weight"] - torch.outer(exact, exact @ original["0.weight"])
    context.measure("stored/" + kind, relative_error(torch, stored["weight"], wanted), "", _BOUND)
    gone = exact @ stored["weight"].double().cpu()
    context.measure("left-over/" + kind, float(torch.linalg.vector_norm(gone)), "", 64 * 2.0**-24)

    inputs = torch.randn(4, _SIZE, generator=torch.Generator().manual_seed(context.seed + 2))
    with torch.no_grad():
        output = model(inputs.to(device))
    on_meta = all(parameter.device.type == "meta" for parameter in model.parameters())
    context.require(on_meta, "left-meta", "after the forward pass a weight of the module is not on meta")
    context.require(output.device.type == device, "wrong-place", "the output is on %s" % output.device)
    hidden = torch.relu(inputs.double() @ wanted.T + original["0.bias"])
    reference = hidden @ original["2.weight"].T + original["2.bias"]
    context.measure("forward/" + kind, relative_error(torch, output, reference), "", _BOUND)


def _store(stored: Any, edited: Any) -> None:
    """Write the weight back to where accelerate keeps it: a dictionary, or a file for each weight."""
    name = stored.prefix + "weight"
    where = stored.dataset
    if getattr(where, "save_folder", None) is not None and name not in getattr(where, "state_dict", {}):
        offload = __import__("accelerate.utils.offload", fromlist=["offload"])
        offload.offload_weight(edited.cpu(), name, where.save_folder, index=where.index)
    else:
        target = where.state_dict if hasattr(where, "state_dict") else where
        target[name].copy_(edited.cpu())


PROBE = Probe(
    id="offloaded-edit",
    run=run,
    params={"device": "`cuda` or `cpu`"},
    packages=("accelerate",),
    timeout=180,
    memory=GIB,
    weight=7.0,
)
