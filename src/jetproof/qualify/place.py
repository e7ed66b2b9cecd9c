"""What depends on where a gate runs: how the device is named, which lock it needs here, which image it runs in."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jetproof.errors import UsageError
from jetproof.policy.pin import from_image
from jetproof.qualify.device_id import device_id, device_id_at
from jetproof.qualify.locks import gpu_lock_path
from jetproof.target.container import ContainerTarget
from jetproof.target.interface import Target
from jetproof.target.ssh import SshTarget

IMAGE_VARIABLE = "JETPROOF_IMAGE_DIGEST"
"""Names the image that a container was started from, like sha256:…, for runs inside of it."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """A place where a gate runs."""

    device_id: Callable[[], str] = device_id
    gpu_lock: Path | None
    """The lock to hold here; None where the place itself sees to it."""
    here: bool = True
    """Whether the interpreter that runs the items is this machine's own."""
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
            return Place(device_id=lambda: target.device_id or device_id_at(str(target)), gpu_lock=None, here=False)
        case ContainerTarget():
            return Place(gpu_lock=gpu_lock_path(), image=target.told, here=False)
        case _:
            return Place(gpu_lock=gpu_lock_path(), image=lambda: image_around(os.environ))


def image_around(environment: Mapping[str, str]) -> Mapping[str, Any] | None:
    """Return the image that this very program runs in, as whoever started the container named it.

    A program cannot read the digest of the image around it. Raises `UsageError` when what is named is no digest.
    """
    named = environment.get(IMAGE_VARIABLE, "")
    if not named:
        return None
    try:
        return {"digest": from_image(named).digest, "told_by": IMAGE_VARIABLE}
    except UsageError as error:
        raise UsageError(f"{IMAGE_VARIABLE}: {error.message}", hint=error.hint, reason=error.reason) from None
