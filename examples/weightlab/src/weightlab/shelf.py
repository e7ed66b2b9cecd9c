"""Weights that stay on a shelf in main memory; the module itself holds none and is on torch's meta device."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from weightlab.edit import without_direction


class Shelf:
    """Keeps the parameters of a module and lends them for the time of one forward pass."""

    def __init__(self, module: nn.Module, device: torch.device) -> None:
        self.device = device
        self.weights = {name: parameter.detach().cpu() for name, parameter in module.named_parameters(recurse=False)}
        self._module = module
        self._take_away()
        module.register_forward_pre_hook(self._lend)
        module.register_forward_hook(self._give_back)

    def edit(self, name: str, direction: torch.Tensor) -> None:
        """Take a direction out of one weight: computed on the device, written back to the shelf."""
        on_device = self.weights[name].to(self.device)
        changed = without_direction(on_device, direction.to(self.device, on_device.dtype))
        self.weights[name] = changed.to("cpu")

    def _lend(self, module: nn.Module, args: Any) -> Any:
        for name, weight in self.weights.items():
            setattr(module, name, nn.Parameter(weight.to(self.device), requires_grad=False))
        return tuple(one.to(self.device) if isinstance(one, torch.Tensor) else one for one in args)

    def _give_back(self, module: nn.Module, args: Any, output: Any) -> None:
        del module, args, output
        self._take_away()

    def _take_away(self) -> None:
        for name, weight in self.weights.items():
            setattr(self._module, name, nn.Parameter(weight.to("meta"), requires_grad=False))
