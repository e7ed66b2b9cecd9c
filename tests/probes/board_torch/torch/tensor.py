"""A tensor: numbers really computed in Python; the device is a label that operations hold to."""

import math
import operator

from torch import faults, numbers


class Device:
    """Where a tensor says that it is."""

    def __init__(self, name="cpu"):
        self.type = str(getattr(name, "type", name)).partition(":")[0]

    def __eq__(self, other):
        return self.type == Device(other).type

    def __hash__(self):
        return hash(self.type)

    def __repr__(self):
        return self.type + (":0" if self.type == "cuda" else "")


def size(shape):
    """Return how many numbers a shape holds."""
    return math.prod(shape)


def steps(shape):
    """Return the strides of numbers that lie one after the other."""
    found, step = [], 1
    for length in reversed(shape):
        found.append(step)
        step *= length
    return tuple(reversed(found))


def made(values, shape, dtype, device="cpu"):
    """Return a tensor of values that are not rounded yet."""
    return Tensor(dtype.fit(values), tuple(shape), dtype, Device(device))


class Tensor:
    """Numbers, or a view of another tensor's."""

    def __init__(self, store, shape, dtype, device, strides=None, offset=0):
        self.store, self.shape, self.dtype, self.device = store, shape, dtype, device
        self.strides, self.offset = steps(shape) if strides is None else strides, offset
        self.requires_grad = False

    # what it is

    is_meta = property(lambda self: self.device.type == "meta")
    ndim = property(lambda self: len(self.shape))
    T = property(lambda self: self.transpose(0, 1))

    def numel(self):
        return size(self.shape)

    def __len__(self):
        return self.shape[0]

    def is_contiguous(self):
        return all(
            have == want or length == 1 for have, want, length in zip(self.strides, steps(self.shape), self.shape)
        )

    def positions(self):
        """Return where its numbers lie in the store, in order."""
        found = [self.offset]
        for length, step in zip(self.shape, self.strides):
            if step > 0:
                found = [at for start in found for at in range(start, start + length * step, step)]
            else:
                found = [start for start in found for _ in range(length)]
        return found

    def values(self):
        """Return its numbers in order; not to be changed."""
        if self.store is None:
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        if self.is_contiguous():
            count = self.numel()
            return self.store if len(self.store) == count else self.store[self.offset : self.offset + count]
        return type(self.store)(map(self.store.__getitem__, self.positions()))

    # views

    def view_as(self, shape, strides, offset=None):
        return Tensor(
            self.store, tuple(shape), self.dtype, self.device, tuple(strides), self.offset if offset is None else offset
        )

    def transpose(self, one, other):
        order = list(range(self.ndim))
        order[one], order[other] = order[other], order[one]
        return self.permute(*order)

    def permute(self, *order):
        return self.view_as([self.shape[at] for at in order], [self.strides[at] for at in order])

    t = T.fget

    def expand(self, *shape):
        lead = len(shape) - self.ndim
        have, strides = (1,) * lead + self.shape, (0,) * lead + self.strides
        shape = tuple(old if new == -1 else new for new, old in zip(shape, have))
        for new, old in zip(shape, have):
            if old not in (1, new):
                raise RuntimeError(
                    "The expanded size of the tensor (%d) must match the existing size (%d)" % (new, old)
                )
        return self.view_as(shape, [0 if old == 1 else step for old, step in zip(have, strides)])

    def reshape(self, *shape):
        shape = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        if -1 in shape:
            known = size(length for length in shape if length != -1)
            shape = tuple(self.numel() // known if length == -1 else length for length in shape)
        if size(shape) != self.numel():
            raise RuntimeError("shape '%s' is invalid for input of size %d" % (list(shape), self.numel()))
        if self.is_contiguous() or self.store is None:
            return self.view_as(shape, steps(shape))
        return Tensor(self.values(), shape, self.dtype, self.device)

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        if Ellipsis in index:
            at = index.index(Ellipsis)
            rest = self.ndim - sum(one is not None for one in index) + 1
            index = index[:at] + (slice(None),) * rest + index[at + 1 :]
        shape, strides, offset, axis = [], [], self.offset, 0
        for one in index:
            if one is None:
                shape.append(1)
                strides.append(0)
                continue
            length, step = self.shape[axis], self.strides[axis]
            axis += 1
            if isinstance(one, slice):
                start, stop, by = one.indices(length)
                shape.append(len(range(start, stop, by)))
                strides.append(step * by)
                offset += start * step
            else:
                if not -length <= int(one) < length:
                    raise IndexError("index %d is out of bounds for dimension with size %d" % (one, length))
                offset += (int(one) % length) * step
        return self.view_as(shape + list(self.shape[axis:]), strides + list(self.strides[axis:]), offset)

    def __setitem__(self, index, value):
        view = self[index]
        view.copy_(value) if isinstance(value, Tensor) else view.fill_(value)

    def __iter__(self):
        return (self[at] for at in range(self.shape[0]))

    # changing it

    def _write(self, values):
        values = self.dtype.fit(values)
        if self.is_contiguous():
            self.store[self.offset : self.offset + self.numel()] = values
        else:
            for at, value in zip(self.positions(), values):
                self.store[at] = value
        return self

    def copy_(self, other, non_blocking=False):
        values = other.expand(*self.shape).values()
        if non_blocking and faults.has("pinned-loses-a-byte"):
            values = values[:-1] + type(values)([(values[-1] + 1) % 256])
        return self._write(values)

    def fill_(self, value):
        return self._write([value] * self.numel())

    def add_(self, value):
        return self._write((self + value).values())

    def index_copy_(self, dim, index, source):
        for to, row in zip(index.tolist(), source):
            self[to] = row
        return self

    # copies

    def to(self, *wanted, non_blocking=False):
        dtype = next((one for one in wanted if isinstance(one, numbers.DType)), self.dtype)
        device = next((Device(one) for one in wanted if not isinstance(one, numbers.DType)), self.device)
        if dtype is self.dtype and device == self.device:
            return self
        if device.type == "meta":
            return Tensor(None, self.shape, dtype, device)
        return made(self.values()[:], self.shape, dtype, device)

    def clone(self):
        return made(self.values()[:], self.shape, self.dtype, self.device)

    def detach(self):
        return self.view_as(self.shape, self.strides)

    def pin_memory(self):
        return self.clone()

    def cpu(self):
        return self.to("cpu")

    def double(self):
        return self.to(numbers.float64)

    def item(self):
        (value,) = self.values()
        return bool(value) if self.dtype is numbers.bool_ else value

    def tolist(self):
        if self.ndim == 0:
            return self.item()
        return [row.tolist() for row in self] if self.ndim > 1 else list(self.values())

    def __float__(self):
        return float(self.item())

    def __int__(self):
        return int(self.item())

    def __bool__(self):
        return bool(self.item())

    def __repr__(self):
        return "tensor(%s, device=%r)" % (list(self.values())[:8], self.device)

    # number by number

    def _with(self, other, work, dtype=None, swapped=False):
        if not isinstance(other, Tensor):
            kept = self.dtype if self.dtype.is_floating_point or isinstance(other, int) else numbers.float32
            values = self.values()
            if len(values) > 64 and values.count(values[0]) == len(values):
                one = work(other, values[0]) if swapped else work(values[0], other)
                return made([one] * len(values), self.shape, dtype or kept, self.device)
            found = [work(other, value) for value in values] if swapped else [work(value, other) for value in values]
            return made(found, self.shape, dtype or kept, self.device)
        same_place(self, other)
        shape = broadcast(self.shape, other.shape)
        kept = max((one for one in (self, other) if one.ndim or not shape), key=lambda one: one.dtype.rank).dtype
        left, right = self.expand(*shape).values(), other.expand(*shape).values()
        where = self.device if self.ndim else other.device
        if work is operator.ne and isinstance(left, bytearray) and left == right:
            return Tensor(bytearray(len(left)), shape, numbers.bool_, where)
        return made(list(map(work, left, right)), shape, dtype or kept, where)

    def __add__(self, other):
        return self._with(other, operator.add)

    def __sub__(self, other):
        return self._with(other, operator.sub)

    def __rsub__(self, other):
        return self._with(other, operator.sub, swapped=True)

    def __mul__(self, other):
        return self._with(other, operator.mul)

    def __truediv__(self, other):
        wanted = None if self.dtype.is_floating_point else numbers.float32
        return self._with(other, operator.truediv, wanted)

    __radd__, __rmul__ = __add__, __mul__

    def __eq__(self, other):
        return self._with(other, operator.eq, numbers.bool_)

    def __ne__(self, other):
        return self._with(other, operator.ne, numbers.bool_)

    def __lt__(self, other):
        return self._with(other, operator.lt, numbers.bool_)

    def __gt__(self, other):
        return self._with(other, operator.gt, numbers.bool_)

    def __ge__(self, other):
        return self._with(other, operator.ge, numbers.bool_)

    def __or__(self, other):
        return self._with(other, operator.or_)

    __hash__ = object.__hash__

    def each(self, work, dtype=None):
        """Return the result of a function of one number on each."""
        return made(list(map(work, self.values())), self.shape, dtype or self.dtype, self.device)

    def __neg__(self):
        return self.each(operator.neg)

    def __invert__(self):
        return self.each(operator.not_)

    def abs(self):
        return self.each(abs)

    def isfinite(self):
        return self.each(math.isfinite, numbers.bool_)

    def clamp(self, min):
        return self.each(lambda value: value if value > min else min)

    # over many numbers

    def over(self, dim, work, dtype=None, keepdim=False):
        """Return the result of a function of a list along a dimension, or of all numbers."""
        dtype = dtype or self.dtype
        if dim is None:
            return made([work(self.values())], (), dtype, self.device)
        moved = self.transpose(dim, -1)
        values, length = moved.values(), moved.shape[-1]
        found = [work(values[at : at + length]) for at in range(0, len(values), length)]
        result = made(found, (*moved.shape[:-1], 1), dtype, self.device).transpose(dim, -1)
        return result if keepdim else result.reshape(*(n for at, n in enumerate(self.shape) if at != dim % self.ndim))

    def sum(self, dim=None):
        count = self.dtype in (numbers.bool_, numbers.uint8, numbers.int64)
        total = (lambda v: len(v) - v.count(0)) if self.dtype is numbers.bool_ else sum if count else math.fsum
        return self.over(dim, total, numbers.int64 if count else None)

    def mean(self, dim=None, keepdim=False):
        return self.over(dim, lambda values: math.fsum(values) / len(values), keepdim=keepdim)

    def std(self):
        middle = float(self.mean())
        return self.over(None, lambda v: math.sqrt(math.fsum((one - middle) ** 2 for one in v) / (len(v) - 1)))

    def prod(self, dim):
        return self.over(dim, math.prod)

    def all(self):
        return self.over(None, all, numbers.bool_)

    def any(self):
        return self.over(None, any, numbers.bool_)

    def amax(self, dim=None, keepdim=False):
        return self.over(dim, max, keepdim=keepdim)

    def amin(self, dim=None):
        return self.over(dim, min)

    def min(self):
        return self.over(None, min)

    def max(self, dim=None):
        if dim is None:
            return self.over(None, max)
        return self.amax(dim), self.over(dim, lambda values: values.index(max(values)), numbers.int64)

    def gather(self, dim, index):
        moved, asked = self.transpose(dim, -1), index.transpose(dim, -1)
        length, many = moved.shape[-1], asked.shape[-1]
        values, places = moved.values(), asked.values()
        found = [values[at // many * length + place] for at, place in enumerate(places)]
        return made(found, asked.shape, self.dtype, self.device).transpose(dim, -1)

    def argsort(self, descending=False):
        values = self.values()
        order = sorted(range(len(values)), key=values.__getitem__, reverse=descending)
        return made(order, self.shape, numbers.int64, self.device)

    def __matmul__(self, other):
        from torch import products

        return products.matmul(self, other)


def same_place(*tensors):
    """Raise where tensors are on different devices, as torch does."""
    found = {tensor.device.type for tensor in tensors if tensor.ndim}
    if len(found) > 1:
        raise RuntimeError("Expected all tensors to be on the same device, but found at least two: %s" % sorted(found))


def broadcast(left, right):
    """Return the shape that two shapes come to together."""
    count = max(len(left), len(right))
    pairs = zip((1,) * (count - len(left)) + left, (1,) * (count - len(right)) + right)
    return tuple(b if a == 1 else a for a, b in pairs)
