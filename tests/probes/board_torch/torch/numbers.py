"""Number formats: how values of each are kept, and how results are rounded to it."""

import struct
from array import array


class DType:
    """One number format."""

    def __init__(self, name, rank, *, floating=False, small=False, complex_=False, bytes_=4):
        self.name, self.rank, self.is_floating_point, self.small = name, rank, floating, small
        self.is_complex, self.itemsize = complex_, bytes_

    def __repr__(self):
        return "torch." + self.name

    def fit(self, values):
        """Return the values as this format keeps them."""
        if self.small:
            return values if isinstance(values, bytearray) else bytearray(map(int, values))
        if self.is_complex or self is float64:
            return values if isinstance(values, list) else list(values)
        if not self.is_floating_point:
            return list(map(int, values))
        values = values if isinstance(values, list) else list(values)
        if len(values) > 64 and values.count(values[0]) == len(values):
            return _ROUND[self.name](values[:1]) * len(values)  # rounded once, where all are one and the same
        return _ROUND[self.name](values)


def _half(values):
    form = "%de" % len(values)
    return list(struct.unpack(form, struct.pack(form, *values)))


def _single(values):
    return array("f", values).tolist()


def _cut(values, bits):
    """Round float32 numbers to fewer bits behind the point, half to even."""
    words = array("I", array("f", values).tobytes())
    half, mask = (1 << (bits - 1)) - 1, 0xFFFFFFFF ^ ((1 << bits) - 1)
    return array("f", array("I", [(word + half + ((word >> bits) & 1)) & mask for word in words]).tobytes()).tolist()


def tf32(values):
    """Return what tensor cores take of float32 numbers: 10 bits behind the point."""
    return _cut(values, 13)


_ROUND = {"float16": _half, "float32": _single, "bfloat16": lambda values: _cut(values, 16)}

bool_ = DType("bool", 0, small=True, bytes_=1)
uint8 = DType("uint8", 1, small=True, bytes_=1)
int8 = DType("int8", 2, bytes_=1)
int64 = DType("int64", 3, bytes_=8)
bfloat16 = DType("bfloat16", 4, floating=True, bytes_=2)
float16 = DType("float16", 5, floating=True, bytes_=2)
float32 = DType("float32", 6, floating=True)
float64 = DType("float64", 7, floating=True, bytes_=8)
complex64 = DType("complex64", 8, complex_=True, bytes_=8)
