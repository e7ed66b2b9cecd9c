"""Modules with parameters, children and hooks."""

import math

import torch
from torch.nn import functional
from torch.tensor import Tensor


class Parameter(Tensor):
    """A tensor that a module owns."""

    def __init__(self, data, requires_grad=True):
        super().__init__(data.store, data.shape, data.dtype, data.device, data.strides, data.offset)
        self.requires_grad = requires_grad

    @property
    def data(self):
        return self.detach()

    @data.setter
    def data(self, value):
        kept = self.requires_grad
        Parameter.__init__(self, value, kept)


class Module:
    """Something with parameters that can be called."""

    def __init__(self):
        self.__dict__.update(_parameters={}, _modules={}, _before=[], _after=[])

    def __setattr__(self, name, value):
        kept = (
            self._parameters if isinstance(value, Parameter) else self._modules if isinstance(value, Module) else None
        )
        (self.__dict__ if kept is None else kept)[name] = value

    def __getattr__(self, name):
        for kept in ("_parameters", "_modules"):
            if name in self.__dict__.get(kept, {}):
                return self.__dict__[kept][name]
        raise AttributeError(name)

    def named_modules(self, prefix=""):
        yield prefix, self
        for name, module in self._modules.items():
            yield from module.named_modules(prefix + ("." if prefix else "") + name)

    def named_parameters(self, recurse=True):
        for prefix, module in self.named_modules():
            if recurse or module is self:
                yield from ((prefix + ("." if prefix else "") + name, one) for name, one in module._parameters.items())

    def parameters(self):
        return [one for _, one in self.named_parameters()]

    def state_dict(self):
        return {name: one.detach() for name, one in self.named_parameters()}

    def load_state_dict(self, state):
        for name, one in self.named_parameters():
            one.copy_(state[name])

    def register_forward_pre_hook(self, hook):
        self._before.append(hook)

    def register_forward_hook(self, hook):
        self._after.append(hook)

    def eval(self):
        return self

    def to(self, *wanted):
        for one in self.parameters():
            one.data = one.detach().to(*wanted)
        return self

    def double(self):
        return self.to(torch.float64)

    def __call__(self, *args):
        for hook in self._before:
            args = hook(self, args) or args
        found = self.forward(*args)
        for hook in self._after:
            hook(self, args, found)
        return found


class Linear(Module):
    """y = x Wᵀ + b."""

    def __init__(self, inputs, outputs, bias=True):
        super().__init__()
        self.weight = Parameter((torch.rand(outputs, inputs) - 0.5) * (2 / math.sqrt(inputs)))
        self.bias = Parameter((torch.rand(outputs) - 0.5) * (2 / math.sqrt(inputs))) if bias else None

    def forward(self, inputs):
        return functional.linear(inputs, self.weight, self.bias)


class ReLU(Module):
    """What is below nought becomes nought."""

    def forward(self, inputs):
        return torch.relu(inputs)


class Sequential(Module):
    """One module after the other."""

    def __init__(self, *modules):
        super().__init__()
        self._modules.update((str(number), module) for number, module in enumerate(modules))

    def __getitem__(self, index):
        return self._modules[str(index)]

    def forward(self, inputs):
        for module in self._modules.values():
            inputs = module(inputs)
        return inputs
