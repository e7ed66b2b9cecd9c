"""torch sees a CUDA device of the right class, and a small operation on it comes out right.

What it proves
    `torch.cuda.is_available()` is true, torch was built for CUDA, there is a device whose name and compute capability
    are as wanted, and one addition and one product on it give the right numbers.

What it does not prove
    That larger operations are right (`numerics`), or that every library of the build has code for this device
    (`arch-list`, `torchvision-nms`, `bitsandbytes-nf4`).

Reasons
    `built-without-cuda`, `not-available`, `wrong-device`, `wrong-capability`, `wrong-result`
"""

from __future__ import annotations

import re

from jetproof_worker.probe import GIB, Context, Failed, Probe


def run(context: Context) -> None:
    """Ask torch for the device and use it once."""
    torch = context.torch()
    context.detail.update(torch=str(torch.__version__), cuda=torch.version.cuda)
    context.require(torch.version.cuda is not None, "built-without-cuda", "torch.version.cuda is None")
    context.require(torch.cuda.is_available(), "not-available", "torch.cuda.is_available() is False")
    properties = torch.cuda.get_device_properties(0)
    name = torch.cuda.get_device_name(0)
    capability = "%d.%d" % torch.cuda.get_device_capability(0)
    context.detail.update(
        device_name=name,
        capability=capability,
        devices=torch.cuda.device_count(),
        integrated=bool(getattr(properties, "is_integrated", False)),
        multiprocessors=properties.multi_processor_count,
    )
    context.measure("memory", properties.total_memory, "B")
    pattern = context.params.get("device_name")
    if pattern is not None and not re.search(pattern, name):
        raise Failed("wrong-device", "a device named like %r is wanted, this is %r" % (pattern, name))
    wanted = context.params.get("capability")
    if wanted is not None and capability != wanted:
        raise Failed("wrong-capability", "compute capability %s is wanted, this has %s" % (wanted, capability))
    left = torch.arange(64, dtype=torch.float32, device="cuda").reshape(8, 8)
    eye = torch.eye(8, device="cuda")
    added = (left + 1).sum().item()
    product = float((left @ eye - left).abs().max())
    context.measure("addition", abs(added - (63 * 32 + 64)), "", 0.0)
    context.measure("product", product, "", 0.0)


PROBE = Probe(
    id="cuda-available",
    run=run,
    params={
        "device_name": "regular expression that the device's name must hold, like `Orin`",
        "capability": "compute capability, like `8.7`",
    },
    timeout=120,
    memory=GIB,
    weight=1.0,
)
