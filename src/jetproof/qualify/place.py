"""What depends on where a gate runs: how the device is named, which lock it needs here, which image it runs in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jetproof.qualify.device_id import device_id, device_id_at
from jetproof.qualify.locks import gpu_lock_path
from jetproof.target.container import ContainerTarget
from jetproof.target.interface import Target
from jetproof.target.ssh import SshTarget


@dataclass(frozen=True, kw_only=True)
class Place:
    """A place where a gate runs."""

    device_id: Callable[[], str] = device_id
    gpu_lock: Path | None
    """The lock to hold here; None where the place itself sees to it."""
    image: Callable[[], Mapping[str, Any] | None] = lambda: None

    def told(self) -> dict[str, Any]:
        """Return what the journal's first line says of it."""
        image = self.image()
        return {
            "device_id": self.device_id(),
            "image_digest": None if image is None else image["digest"],
            "image": None if image is None else dict(image),
        }


def place_of(target: Target) -> Place:
    """Return the place that a target is."""
    match target:
        case SshTarget():
            # the board's own lock is taken on the board
            return Place(device_id=lambda: target.device_id or device_id_at(str(target)), gpu_lock=None)
        case ContainerTarget():
            return Place(gpu_lock=gpu_lock_path(), image=target.told)
        case _:
            return Place(gpu_lock=gpu_lock_path())
