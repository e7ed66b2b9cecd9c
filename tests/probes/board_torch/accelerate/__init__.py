"""A stand-in for accelerate: weights kept in main memory or on disk, lent to a module for one forward pass."""

import torch
from torch import faults, nn

from accelerate.utils import offload

__version__ = "1.1.0+stand.in"


class Prefixed:
    """The part of a store whose names begin with a module's name."""

    def __init__(self, dataset, prefix):
        self.dataset, self.prefix = dataset, prefix

    def __getitem__(self, name):
        return self.dataset[self.prefix + name]


class _Forgetful(dict):
    """Hands out copies, so that nothing is ever written back."""

    def __getitem__(self, name):
        return super().__getitem__(name).clone()


class _Hook:
    def __init__(self, module, weights_map, device):
        self.weights_map, self._device = weights_map, device
        self.names = list(module._parameters)
        self.take_away(module)
        module.register_forward_pre_hook(self.lend)
        module.register_forward_hook(self.give_back)

    def lend(self, module, args):
        for name in self.names:
            setattr(module, name, nn.Parameter(self.weights_map[name].to(self._device)))
        return tuple(one.to(self._device) for one in args)

    def give_back(self, module, args, output):
        if not faults.has("left-off-meta"):
            self.take_away(module)

    def take_away(self, module):
        for name in self.names:
            setattr(module, name, nn.Parameter(module._parameters[name].to("meta")))


def _attach(model, dataset, device):
    for prefix, module in model.named_modules():
        if module._parameters:
            module.__dict__["_hf_hook"] = _Hook(module, Prefixed(dataset, prefix + "."), device)


def cpu_offload(model, execution_device=None):
    state = {name: one.cpu().clone() for name, one in model.state_dict().items()}
    _attach(model, _Forgetful(state) if faults.has("not-written-back") else state, torch.device(execution_device))


def disk_offload(model, folder, execution_device=None):
    index = {}
    for name, one in model.state_dict().items():
        offload.offload_weight(one, name, folder, index=index)
    _attach(model, offload.Folder(folder, index), torch.device(execution_device))
