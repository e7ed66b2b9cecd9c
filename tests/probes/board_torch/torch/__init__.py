"""A stand-in for torch as a build for a Jetson AGX Orin: it computes on the CPU, in Python, and calls it `cuda`.

It is for rehearsing the whole gate where no board is. What it says proves nothing, and the run's origin says so.
"""

import cmath
import math
import random
import struct
import types
from statistics import _normal_dist_inv_cdf as _normal  # three times as fast as gauss()

from torch import cuda, faults, products
from torch.numbers import bfloat16, bool_, complex64, float16, float32, float64, int8, int64, uint8
from torch.switches import backends, cuda_build
from torch.tensor import Device as device  # noqa: N813 - torch's own name
from torch.tensor import Tensor, made, same_place, size

__version__ = "2.5.0a0+stand.in"
version = types.SimpleNamespace(cuda=cuda_build, git_version="0" * 40)
bool = bool_
_state = {"random": random.Random(0)}


class OutOfMemoryError(RuntimeError):
    """Raised where memory cannot be had."""


def set_num_threads(count):
    pass


def manual_seed(seed):
    _state["random"] = random.Random(seed)


class Generator:
    """Random numbers of one seed."""

    def __init__(self, device="cpu"):
        self.manual_seed(0)

    def manual_seed(self, seed):
        self.random = random.Random(seed)
        return self


class no_grad:  # noqa: N801 - torch's own name
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def _draw(generator):
    return _state["random"] if generator is None else generator.random


def _shape(shape):
    return tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape


def randn(*shape, generator=None, device="cpu", dtype=float32):
    draw = _draw(generator).random
    return made([_normal(draw(), 0.0, 1.0) for _ in range(size(_shape(shape)))], _shape(shape), dtype, device)


def rand(*shape, generator=None, device="cpu"):
    bits = _draw(generator).getrandbits
    return made([bits(24) * 2.0**-24 for _ in range(size(_shape(shape)))], _shape(shape), float32, device)


def randint(low, high, shape, generator=None, dtype=int64):
    draw = _draw(generator)
    if (low, high, dtype) == (0, 256, uint8):
        return made(bytearray(draw.getrandbits(8 * size(shape)).to_bytes(size(shape), "little")), shape, dtype)
    return made([draw.randrange(low, high) for _ in range(size(shape))], shape, dtype)


def randperm(count, generator=None):
    return made(_draw(generator).sample(range(count), count), (count,), int64)


def full(shape, value, device="cpu", dtype=float32):
    return made([value] * size(shape), shape, dtype, device)


def zeros(*shape, device="cpu", dtype=float32):
    return full(_shape(shape), 0, device, dtype)


def ones(*shape, device="cpu", dtype=float32):
    return full(_shape(shape), 1, device, dtype)


def empty(*shape, device="cpu", dtype=float32):
    count = size(_shape(shape)) * dtype.itemsize
    if count > 1 << 40:
        if faults.has("nvml-assert"):
            raise RuntimeError("NVML_SUCCESS == r INTERNAL ASSERT FAILED at CUDACachingAllocator.cpp:1")
        raise OutOfMemoryError("CUDA out of memory. Tried to allocate %d bytes." % count)
    return Tensor(bytearray(count), _shape(shape), dtype, globals()["device"](device)) if dtype.small else zeros(*shape)


def zeros_like(one):
    return full(one.shape, 0, one.device, one.dtype)


def ones_like(one):
    return full(one.shape, 1, one.device, one.dtype)


def eye(count, device="cpu", dtype=float32):
    return made([float(a == b) for a in range(count) for b in range(count)], (count, count), dtype, device)


def arange(*limits, device="cpu", dtype=int64):
    values = list(range(*limits))
    return made(values, (len(values),), dtype, device)


def tensor(values, dtype=float32, device="cpu"):
    return made(values, (len(values),), dtype, device)


def isfinite(one):
    return one.isfinite()


def relu(one):
    return one.each(lambda value: value if value > 0 else 0.0)


def softmax(one, dim):
    top = one.amax(dim, keepdim=True).double()
    powers = (one.double() - top).each(math.exp)
    return (powers / powers.over(dim, math.fsum, keepdim=True)).to(one.dtype)


def logsumexp(one, dim):
    def work(values):
        top = max(values)
        return top + math.log(math.fsum(math.exp(value - top) for value in values))

    return one.over(dim, work)


def cat(parts, dim=0):
    moved = [part.transpose(0, dim) for part in parts]
    values = [value for part in moved for value in part.values()]
    return made(
        values, (sum(len(part) for part in moved), *moved[0].shape[1:]), parts[0].dtype, parts[0].device
    ).transpose(0, dim)


def stack(parts):
    same_place(*parts)
    return made(
        [v for part in parts for v in part.values()], (len(parts), *parts[0].shape), parts[0].dtype, parts[0].device
    )


def where(condition, one, other):
    found = [a if which else b for which, a, b in zip(condition.values(), one.values(), other.values())]
    return made(found, one.shape, one.dtype, one.device)


def sort(one, dim=-1):
    rows = products.rows(one.values(), one.shape[-1])
    return made([value for row in rows for value in sorted(row)], one.shape, one.dtype, one.device), None


def gather(one, dim, index):
    return one.gather(dim, index)


def outer(one, other):
    return one[:, None] * other[None, :]


def maximum(one, other):
    return one._with(other, max)


def minimum(one, other):
    return one._with(other, min)


def allclose(one, other, rtol=1e-5, atol=1e-8):
    pairs = zip(one.values(), other.values())
    return one.shape == other.shape and all(abs(a - b) <= atol + rtol * abs(b) for a, b in pairs)


def view_as_real(one):
    values = [part for value in one.values() for part in (value.real, value.imag)]
    return made(values, (*one.shape, 2), float32 if one.dtype is complex64 else float64, one.device)


def _fft(values):
    if len(values) == 1:
        return values
    even, odd = _fft(values[::2]), _fft(values[1::2])
    turned = [cmath.exp(-2j * math.pi * k / len(values)) * one for k, one in enumerate(odd)]
    return [a + b for a, b in zip(even, turned)] + [a - b for a, b in zip(even, turned)]


def _rfft2(one):
    height, width = one.shape
    kept = width // 2 + 1
    lines = [_fft(list(row))[:kept] for row in products.rows(one.values(), width)]
    columns = [_fft(list(column)) for column in zip(*lines)]
    values = [columns[x][y] for y in range(height) for x in range(kept)]
    if one.dtype is not float64:
        flat = [part for value in values for part in (value.real, value.imag)]
        form = "%df" % len(flat)
        flat = struct.unpack(form, struct.pack(form, *flat))
        values = [complex(a, b) for a, b in zip(flat[::2], flat[1::2])]
    return made(values, (height, kept), complex64 if one.dtype is float32 else _COMPLEX128, one.device)


_COMPLEX128 = type(complex64)("complex128", 9, complex_=True, bytes_=16)
fft = types.SimpleNamespace(rfft2=_rfft2)
linalg = types.SimpleNamespace(
    solve=products.solve,
    vector_norm=lambda one: made([math.sqrt(math.fsum(v * v for v in one.values()))], (), one.dtype, one.device),
)

from torch import nn  # noqa: E402 - it needs the names above
