"""Products: computed in float64, rounded as the number format and the device's switches ask."""

import math
import operator
from collections import deque

from torch import faults, numbers
from torch.switches import backends
from torch.tensor import made, same_place, size

_SHORT = 64


def dots(left, right):
    """Return the products of each list of `left` with each of `right`.

    Of long lists by |a-b|² = |a|² + |b|² - 2ab, since Python has |a-b| in C; of the same numbers only once, since a
    probe has the reference and the device compute the same.
    """
    if not left or len(left[0]) < _SHORT:
        return [math.fsum(map(operator.mul, one, other)) for one in left for other in right]
    for one, other, found in _known:
        if one == left and other == right:
            return list(found)
    _known.append((left, right, _far(left, right)))
    return list(_known[-1][2])


_known = deque(maxlen=8)
"""The long lists that were multiplied last, and their products: a batch of pictures is several."""


def _far(left, right):
    here = [(math.fsum(map(operator.mul, one, one)), one) for one in left]
    there = [(math.fsum(map(operator.mul, one, one)), one) for one in right]
    dist = math.dist
    return [(a + b - dist(one, other) ** 2) / 2 for a, one in here for b, other in there]


def rows(values, length):
    """Return the values in lists of one length."""
    return [tuple(values[at : at + length]) for at in range(0, len(values), length)]


def factors(tensor, allowed):
    """Return a factor's numbers as the device takes them."""
    values = tensor.values()
    on = allowed or faults.has("tf32-always")
    return numbers.tf32(values) if on and tensor.device.type == "cuda" and tensor.dtype is numbers.float32 else values


def finished(values, dtype, device):
    """Return the products as the device gives them."""
    if faults.has("bfloat16-sums") and device.type == "cuda" and dtype is numbers.bfloat16:
        return [value + abs(value) / 32 for value in values]
    return values


def matmul(left, right):
    """Return the product of vectors, matrices, or stacks of matrices."""
    same_place(left, right)
    if left.dtype is not right.dtype:
        raise RuntimeError("expected m1 and m2 to have the same dtype, but got: %r != %r" % (left.dtype, right.dtype))
    if left.ndim == 1:
        return matmul(left[None], right)[..., 0, :]
    if right.ndim == 1:
        return matmul(left, right[:, None])[..., 0]
    if left.shape[-1] != right.shape[-2]:
        raise RuntimeError("mat1 and mat2 shapes cannot be multiplied (%s and %s)" % (left.shape, right.shape))
    inner, height, width = left.shape[-1], left.shape[-2], right.shape[-1]
    if right.ndim == 2:
        left_rows = [rows(factors(left, backends.cuda.matmul.allow_tf32), inner)]
        right_rows = [rows(factors(right.transpose(0, 1), backends.cuda.matmul.allow_tf32), inner)]
    else:
        assert left.shape[:-2] == right.shape[:-2], "stacks of one shape"
        on = backends.cuda.matmul.allow_tf32
        every, turned = rows(factors(left, on), inner), rows(factors(right.transpose(-1, -2), on), inner)
        count = size(left.shape[:-2])
        left_rows = [every[at * height : (at + 1) * height] for at in range(count)]
        right_rows = [turned[at * width : (at + 1) * width] for at in range(count)]
    found = [value for one, other in zip(left_rows, right_rows) for value in dots(one, other)]
    return made(finished(found, left.dtype, left.device), (*left.shape[:-1], width), left.dtype, left.device)


def conv2d(image, kernel, padding):
    """Return the convolution of images with a kernel, step one."""
    same_place(image, kernel)
    count, channels, height, width = image.shape
    out, _, tall, wide = kernel.shape
    values = factors(image, backends.cudnn.allow_tf32)
    taps = rows(factors(kernel, backends.cudnn.allow_tf32), channels * tall * wide)
    empty = (0.0,) * (width + 2 * padding)
    side = (0.0,) * padding
    found = []
    for one in range(count):
        padded = []
        for channel in range(channels):
            start = (one * channels + channel) * height * width
            lines = [side + tuple(values[start + y * width : start + (y + 1) * width]) + side for y in range(height)]
            padded.append([empty] * padding + lines + [empty] * padding)
        patches = [
            sum((plane[y + dy][x : x + wide] for plane in padded for dy in range(tall)), ())
            for y in range(height + 2 * padding - tall + 1)
            for x in range(width + 2 * padding - wide + 1)
        ]
        found += dots(taps, patches)
    shape = (count, out, height + 2 * padding - tall + 1, width + 2 * padding - wide + 1)
    return made(finished(found, image.dtype, image.device), shape, image.dtype, image.device)


def solve(matrix, right):
    """Return the solution of linear equations, by elimination with the largest pivot."""
    same_place(matrix, right)
    count, many = matrix.shape[0], right.shape[1]
    table = [a + b for a, b in zip(map(list, matrix.tolist()), map(list, right.tolist()))]
    for at in range(count):
        best = max(range(at, count), key=lambda row: abs(table[row][at]))
        table[at], table[best] = table[best], table[at]
        head = [value / table[at][at] for value in table[at]]
        table[at] = head
        for row in range(count):
            factor = table[row][at]
            if row != at and factor:
                table[row] = [value - factor * one for value, one in zip(table[row], head)]
    return made([v for line in table for v in line[count : count + many]], right.shape, right.dtype, right.device)
