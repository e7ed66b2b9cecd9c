"""Which device the work is done on."""

from __future__ import annotations

import torch


def get_device(wanted: str = "auto") -> torch.device:
    """Return the device named, or with "auto" CUDA where there is one and the CPU elsewhere."""
    if wanted == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    return torch.device(wanted)
