"""Packages of which a resolver has been seen to replace torch, though nothing in a requirements file shows it.

Seen on 2026-11-30: in dry runs over a vendor build 2.8.0a0 plain pip or uv chose another torch, or uv resolved them
for Python 3.10 on aarch64 with torch left out, or a published lock or their own metadata lists what they ask for.
Without a lock their requirements are not in the project's files, and these rows stand for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

SEEN_WITH: Final = (3, 10)
"""The Python that all of it was resolved for; another may get older releases."""


@dataclass(frozen=True, kw_only=True)
class Needs:
    """Through what a package replaces torch."""

    through: str
    """The package whose exact pin on torch does it; "torch" when the package pins it itself."""
    seen: str
    """What was seen."""
    free: str | None = None
    """The newest release that was seen to leave the vendor's torch alone: with that one and older it is not said."""


_TORCHVISION: Final = "torchvision"
_RESOLVED: Final = Needs(through=_TORCHVISION, seen="torchvision 0.29.2, which pins torch 2.14.1")
_METADATA: Final = Needs(through=_TORCHVISION, seen="torchvision or timm, in the metadata of its newest release")
_IN_A_LOCK: Final = Needs(through="torchaudio", seen="torchaudio, as a published lock lists it")

NEEDS: Final[Mapping[str, Needs]] = {
    "ultralytics": Needs(through=_TORCHVISION, seen="torchvision 0.29.2 and with it torch 2.14.1"),
    "timm": Needs(through=_TORCHVISION, seen="torchvision 0.29.2 and with it torch 2.14.1"),
    "open-clip-torch": Needs(through=_TORCHVISION, seen="torchvision 0.29.2 and with it torch 2.14.1"),
    "easyocr": Needs(through=_TORCHVISION, seen="torchvision 0.29.2 and with it torch 2.14.1"),
    "unsloth": Needs(through=_TORCHVISION, seen="torchvision 0.29.2 and with it torch 2.14.1", free="2024.8"),
    "lerobot": Needs(through=_TORCHVISION, seen="torchvision 0.25.0 and with it torch 2.10.0"),
    "xformers": Needs(through="torch", seen="torch 2.14.1; older releases pin one torch exactly", free="0.0.13"),
    "vllm": Needs(through="torch", seen="torch 2.13.0 and about 20 NVIDIA packages"),
    "whisperx": Needs(through="torch", seen="torch 2.8.0, which a 2.8.0 alpha does not satisfy"),
    "segmentation-models-pytorch": _RESOLVED,
    "clean-fid": _RESOLVED,
    "lpips": _RESOLVED,
    "facexlib": _RESOLVED,
    "spandrel": _RESOLVED,
    "fastai": _RESOLVED,
    "controlnet-aux": _RESOLVED,
    "basicsr": _RESOLVED,
    "clip-anytorch": _RESOLVED,
    "docling": _RESOLVED,
    "docling-ibm-models": _RESOLVED,
    "lightly": _RESOLVED,
    "rfdetr": _RESOLVED,
    "torch-fidelity": _RESOLVED,
    "byol-pytorch": _RESOLVED,
    "dalle2-pytorch": _RESOLVED,
    "imagen-pytorch": _RESOLVED,
    "piq": _RESOLVED,
    "torchxrayvision": _RESOLVED,
    "vit-pytorch": _RESOLVED,
    "anomalib": _METADATA,
    "colpali-engine": _METADATA,
    "lightly-train": _METADATA,
    "torchgeo": _METADATA,
    "robomimic": Needs(through=_TORCHVISION, seen="torchvision, as a published lock lists it"),
    "pyannote-audio": _IN_A_LOCK,
    "torch-audiomentations": _IN_A_LOCK,
    "torch-pitch-shift": _IN_A_LOCK,
    "speechbrain": Needs(through="torchaudio", seen="torchaudio; with it pip chose torch 2.15.0, uv the vendor's"),
    "chatterbox-tts": Needs(through="torch", seen="torch 2.6.0"),
    "facenet-pytorch": Needs(through="torch", seen="torch 2.2.2"),
}
"""By normalised name."""


LOOKED_AT: Final[Mapping[str, str]] = {
    "ultralytics": "8.4.190",
    "timm": "1.0.31",
    "open-clip-torch": "3.3.0",
    "easyocr": "1.7.2",
    "unsloth": "2026.10.9",
    "lerobot": "0.4.4",
    "xformers": "0.0.35",
    "vllm": "0.31.0",
    "whisperx": "3.8.6",
    "segmentation-models-pytorch": "0.6.0",
    "clean-fid": "0.1.35",
    "lpips": "0.1.4",
    "facexlib": "0.3.0",
    "spandrel": "0.4.2",
    "fastai": "2.8.12",
    "controlnet-aux": "0.0.10",
    "basicsr": "1.3.3.3",
    "clip-anytorch": "2.6.0",
    "docling": "2.143.0",
    "docling-ibm-models": "4.0.4",
    "lightly": "1.6.0",
    "rfdetr": "1.11.2",
    "torch-fidelity": "0.4.0",
    "byol-pytorch": "0.9.1",
    "dalle2-pytorch": "1.15.6",
    "imagen-pytorch": "2.1.0",
    "piq": "0.8.0",
    "torchxrayvision": "1.5.7",
    "vit-pytorch": "1.26.14",
    "anomalib": "2.7.0",
    "colpali-engine": "0.3.18",
    "lightly-train": "0.18.0",
    "torchgeo": "0.8.1",
    "pyannote-audio": "4.0.7",
    "torch-audiomentations": "0.12.0",
    "torch-pitch-shift": "1.2.5",
    "speechbrain": "1.1.2",
    "chatterbox-tts": "0.1.7",
    "facenet-pytorch": "2.6.0",
}
"""The release of which it was seen; of others it is taken for granted until one is seen that does not."""


@dataclass(frozen=True, kw_only=True)
class Sibling:
    """How a sibling of torch from the index brings a torch of its own."""

    pins: str
    """What its releases ask for, in words."""
    newest: str
    """The newest release that was looked at."""
    brings: str
    """What was seen of that one, with the Python of `SEEN_WITH`."""


PINS_TORCH: Final[Mapping[str, Sibling]] = {
    "torchvision": Sibling(
        pins="each release pins one torch exactly",
        newest="0.29.2",
        brings="the newest known, 0.29.2, asks for torch 2.14.1",
    ),
    "torchaudio": Sibling(
        pins="older releases pin one torch exactly",
        newest="2.11.1",
        brings="with the newest known, 2.11.1, torch 2.14.1 was chosen",
    ),
}
"""Siblings of torch that bring a torch of their own when they come from the index."""

UNMATCHED: Final = frozenset({"torchtext", "torchcodec"})
"""Siblings compiled against one torch whose metadata does not say so."""
