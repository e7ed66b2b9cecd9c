"""All probes there are, in the order of their pages. Each is one file in `probes/`."""

from __future__ import annotations

from typing import Optional, Tuple

from jetproof_worker.probe import Probe
from jetproof_worker.probes import (
    arch_list,
    architecture,
    bitsandbytes_int8,
    bitsandbytes_nf4,
    cuda_available,
    device_resolver,
    hub_model,
    import_project,
    jetson_identity,
    memory,
    numerics,
    offloaded_edit,
    project_installed,
    soak,
    streams_events,
    tiny_transformer,
    torch_compile,
    torch_import,
    torchvision_nms,
    transfers,
)

PROBES: Tuple[Probe, ...] = (
    architecture.PROBE,
    jetson_identity.PROBE,
    torch_import.PROBE,
    cuda_available.PROBE,
    arch_list.PROBE,
    device_resolver.PROBE,
    numerics.PROBE,
    transfers.PROBE,
    streams_events.PROBE,
    torch_compile.PROBE,
    torchvision_nms.PROBE,
    offloaded_edit.PROBE,
    bitsandbytes_nf4.PROBE,
    bitsandbytes_int8.PROBE,
    memory.PROBE,
    tiny_transformer.PROBE,
    hub_model.PROBE,
    soak.PROBE,
    import_project.PROBE,
    project_installed.PROBE,
)


def find(name: str) -> Optional[Probe]:
    """Return the probe of that id, None when there is none."""
    return next((probe for probe in PROBES if probe.id == name), None)
