"""A stand-in for bitsandbytes: weights of 4 and of 8 bits, really packed and unpacked."""

import types
from bisect import bisect

import torch
from torch import faults
from torch.nn import Module, Parameter
from torch.tensor import made

__version__ = "0.45.0+stand.in"
_NF4 = [
    *(-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635),
    *(-0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725),
    *(0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0),
]
if faults.has("even-levels"):
    _NF4 = [(step - 7.5) / 7.5 for step in range(16)]
_BETWEEN = [(a + b) / 2 for a, b in zip(_NF4, _NF4[1:])]


def quantize_4bit(weight, blocksize=64, quant_type="nf4"):
    values, codes, largest = weight.values(), [], []
    for at in range(0, len(values), blocksize):
        block = values[at : at + blocksize]
        top = max(map(abs, block))
        largest.append(top)
        codes += [bisect(_BETWEEN, value / top) for value in block]
    packed = bytearray(a << 4 | b for a, b in zip(codes[::2], codes[1::2]))
    state = types.SimpleNamespace(shape=weight.shape, dtype=weight.dtype, blocksize=blocksize, largest=largest)
    return made(packed, (len(packed), 1), torch.uint8, weight.device), state


def dequantize_4bit(packed, state):
    codes = [code for byte in packed.values() for code in (byte >> 4, byte & 15)]
    found = [_NF4[code] * state.largest[at // state.blocksize] for at, code in enumerate(codes)]
    return made(found, state.shape, state.dtype, packed.device)


class Params4bit(Parameter):
    def __init__(self, data, requires_grad=False, quant_type="nf4", blocksize=64, compress_statistics=False):
        super().__init__(data, requires_grad)
        self.blocksize = blocksize


class Linear4bit(Module):
    def __init__(self, inputs, outputs, bias=True, **_):
        super().__init__()

    def to(self, device):
        self.__dict__["packed"] = quantize_4bit(self.weight.to(device), self.weight.blocksize)
        return self

    def forward(self, inputs):
        return inputs @ dequantize_4bit(*self.packed).T


class Int8Params(Parameter):
    def __init__(self, data, requires_grad=False, has_fp16_weights=False):
        super().__init__(data, requires_grad)


class Linear8bitLt(Module):
    def __init__(self, inputs, outputs, bias=True, has_fp16_weights=False, threshold=6.0):
        super().__init__()
        self.threshold = threshold

    def to(self, device):
        rows = self.weight.tolist()
        if not faults.has("int8-stays-float"):
            self.__dict__["scales"] = [max(map(abs, row)) / 127 for row in rows]
            codes = [round(value / scale) for row, scale in zip(rows, self.scales) for value in row]
            self.weight = Parameter(made(codes, self.weight.shape, torch.int8, device), requires_grad=False)
        return self

    def forward(self, inputs):
        lines, weights = inputs.tolist(), self.weight.tolist()
        found = []
        for line in lines:
            far = {at for at, value in enumerate(line) if abs(value) > self.threshold}
            near = [0.0 if at in far else value for at, value in enumerate(line)]
            scale = max(map(abs, near)) / 127
            codes = [round(value / scale) for value in near]
            for row, own in zip(weights, self.scales):
                exact = sum(line[at] * row[at] * own for at in far)
                found.append(sum(map(int.__mul__, codes, row)) * scale * own + exact)
        return made(found, (len(lines), len(weights)), inputs.dtype, inputs.device)


functional = types.SimpleNamespace(quantize_4bit=quantize_4bit, dequantize_4bit=dequantize_4bit)
nn = types.SimpleNamespace(
    Linear4bit=Linear4bit, Params4bit=Params4bit, Linear8bitLt=Linear8bitLt, Int8Params=Int8Params
)
