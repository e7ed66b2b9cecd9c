"""Take a direction out of what a linear layer writes."""

from __future__ import annotations

import torch


def without_direction(weight: torch.Tensor, direction: torch.Tensor) -> torch.Tensor:
    """Return the weight whose outputs have no part along `direction`.

    `weight` is (outputs, inputs), `direction` has one entry an output. A rank-one change: W - r (rᵀ W), r of length 1.
    """
    unit = direction / torch.linalg.vector_norm(direction)
    return weight - torch.outer(unit, unit @ weight)
