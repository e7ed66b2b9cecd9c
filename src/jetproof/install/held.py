"""Which distributions belong to the vendor and are therefore never installed, upgraded or removed here.

Held are torch and what is built against exactly that torch or comes with JetPack. Many of NVIDIA's newer
distributions carry no `-cu12` suffix, so the whole prefix counts.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from packaging.utils import canonicalize_name


class Family(Enum):
    """Why a name is held."""

    TORCH = "torch"
    SIBLING = "torch sibling"
    """Compiled against one torch: a copy from elsewhere does not load beside the vendor's."""
    TRITON = "triton"
    TENSORRT = "tensorrt"
    NVIDIA = "nvidia library"
    """CUDA libraries as wheels, built for servers: JetPack brings its own."""
    CUDA = "cuda binding"
    QUANTIZATION = "quantization"
    """Wheels hold CUDA code for servers; on a board it is built from source."""


_EXACT: Final = {
    "torch": Family.TORCH,
    "torchvision": Family.SIBLING,
    "torchaudio": Family.SIBLING,
    "torchtext": Family.SIBLING,
    "torchcodec": Family.SIBLING,
    "triton": Family.TRITON,
    "pytorch-triton": Family.TRITON,
    "bitsandbytes": Family.QUANTIZATION,
}
_CUDA: Final = frozenset(
    f"cuda-{part}" for part in ("bindings", "python", "core", "pathfinder", "toolkit", "tile", "cccl", "nvrtc")
)


def family(name: str) -> Family | None:
    """Return why a distribution of that name is held, or None when it is free."""
    plain = canonicalize_name(name)
    if plain in _EXACT:
        return _EXACT[plain]
    if plain.startswith("tensorrt"):
        return Family.TENSORRT
    if plain.startswith("nvidia-"):
        return Family.NVIDIA
    if plain in _CUDA:
        return Family.CUDA
    return None


def is_held(name: str) -> bool:
    """Say whether a distribution of that name stays the vendor's."""
    return family(name) is not None


LISTED: Final = (
    *sorted(_EXACT),
    *sorted(_CUDA),
    "tensorrt",
    "tensorrt-cu12",
    "tensorrt-cu13",
    "tensorrt-cu12-bindings",
    "tensorrt-cu12-libs",
    "tensorrt-cu13-bindings",
    "tensorrt-cu13-libs",
)
"""Names that a resolver can be told beforehand; what else turns out to be held is dropped from its answer."""
