"""What the device computes is right, for each kind of operation and number that models rest on.

What it proves
    For each pair of the table below the device's result is finite and no further from the result in float64 on the CPU
    than the number format and the length of its sums allow. Inputs are drawn anew from the item's seed, rounded to the
    format first, and the same for both sides. Results are compared as a whole (2-norm); what only copies must be exact.

    | operation | float32 | float16, bfloat16 |
    |---|---|---|
    | matmul, conv2d | yes, with TF32 off, and once more with TF32 on | yes |
    | fft, linalg.solve | yes | - |
    | softmax, reductions | yes | yes |
    | indexing (gather, scatter, mask, sort) | yes, exact | yes, exact |
    | random (mean and spread, and the same again from the same seed) | yes | - |

    `bfloat16` is left out below compute capability 8.0, which has no such arithmetic, and the item's detail says so.

What it does not prove
    That every operation of torch is right, or any of them at other sizes. On the CPU (`device: cpu`, the preflight's
    use) it says nothing of a GPU.

Reasons
    `bound-exceeded`, `not-finite`
"""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, Iterator, List, Tuple

from jetproof_worker.probe import GIB, Context, Probe, relative_error

ROUNDOFF = {"float32": 2.0**-24, "tf32": 2.0**-11, "float16": 2.0**-11, "bfloat16": 2.0**-8}
"""Unit roundoff of each format: half the distance from 1 to the next number."""

SIZE = 256
_CHANNELS, _KERNEL = 32, 3
_DRAWS = 1 << 20


def bound(dtype: str, terms: int) -> float:
    """How far a result may be off: a few roundings of the result, and in float32 of sums of so many terms.

    The 16-bit formats are summed in float32, so that the rounding of the result decides (about half a unit in the
    2-norm), not the length. TF32 rounds both factors of each product, and some kernels cut them off instead.
    """
    if dtype == "float32":
        return 4 * ROUNDOFF[dtype] * math.sqrt(terms)
    return (4 if dtype == "tf32" else 2) * ROUNDOFF[dtype]


def run(context: Context) -> None:
    """Go through the table."""
    torch = context.torch()
    device = context.device()
    draw = torch.Generator().manual_seed(context.seed)
    dtypes = list(context.params.get("dtypes", ("float32", "float16", "bfloat16")))
    left_out = []
    if device == "cuda":
        if "bfloat16" in dtypes and torch.cuda.get_device_capability(0) < (8, 0):
            dtypes.remove("bfloat16")
            left_out.append("bfloat16: this compute capability has no such arithmetic")
        context.detail["device_name"] = torch.cuda.get_device_name(0)
    context.detail.update(device=device, dtypes=dtypes, left_out=left_out)
    for name, dtype, limit, compute in cases(torch, device, dtypes):
        inputs: Dict[str, Any] = {}

        def given(key: str, *shape: int, dtype: str = dtype, inputs: Dict[str, Any] = inputs) -> Any:
            if key not in inputs:
                inputs[key] = torch.randn(*shape, generator=draw).to(getattr(torch, dtype))
            return inputs[key]

        # the reference first: it draws the inputs, and the device then gets the very same
        reference = compute(lambda key, *shape: given(key, *shape).to(torch.float64))
        result = compute(lambda key, *shape: given(key, *shape).to(device))
        context.measure(name, _error(torch, result, reference, exact=limit == 0.0), "", limit)
    _random(context, torch, device)


_Given = Callable[..., Any]
_Case = Tuple[str, str, float, Callable[[_Given], Any]]


def cases(torch: Any, device: str, dtypes: List[str]) -> Iterator[_Case]:
    """Yield the rows: name, number format, bound and what is computed from the inputs it asks for."""
    functional = torch.nn.functional

    def matmul(given: _Given) -> Any:
        return given("a", SIZE, SIZE) @ given("b", SIZE, SIZE)

    def conv2d(given: _Given) -> Any:
        image = given("image", 4, _CHANNELS, 32, 32)
        return functional.conv2d(image, given("kernel", _CHANNELS, _CHANNELS, _KERNEL, _KERNEL), padding=1)

    def fft(given: _Given) -> Any:
        return torch.view_as_real(torch.fft.rfft2(given("signal", 128, 128)))

    def solve(given: _Given) -> Any:
        matrix = given("matrix", 128, 128)
        steady = matrix + 32 * torch.eye(128, dtype=matrix.dtype, device=matrix.device)
        return torch.linalg.solve(steady, given("right", 128, 4))

    def softmax(given: _Given) -> Any:
        return torch.softmax(given("logits", SIZE, 1000), dim=-1)

    def reductions(given: _Given) -> Any:
        rows = given("rows", SIZE, 512)
        parts = (rows.abs().sum(-1), (rows * rows).mean(-1), rows.amax(-1), torch.logsumexp(rows, -1))
        return torch.stack([part.to(torch.float64) for part in parts])

    def indexing(given: _Given) -> Any:
        table = given("table", SIZE, 64)
        order = torch.arange(SIZE - 1, -1, -1, device=table.device)
        picked = torch.gather(table, 0, order[:, None].expand(-1, 64))
        spread = torch.zeros_like(table).index_copy_(0, order, table)
        masked = torch.where(table > 0, table, torch.zeros_like(table))
        ordered = torch.sort(table, dim=-1)[0]
        return torch.stack([picked, spread, masked, ordered])

    taps = _CHANNELS * _KERNEL * _KERNEL
    for dtype in dtypes:
        yield "matmul/" + dtype, dtype, bound(dtype, SIZE), _with_tf32(torch, False, matmul)
        yield "conv2d/" + dtype, dtype, bound(dtype, taps), _with_tf32(torch, False, conv2d)
        yield "softmax/" + dtype, dtype, bound(dtype, 16), softmax
        yield "reductions/" + dtype, dtype, bound(dtype, 64), reductions
        yield "indexing/" + dtype, dtype, 0.0, indexing
    if "float32" in dtypes:
        yield "fft/float32", "float32", bound("float32", 14), fft
        yield "solve/float32", "float32", bound("float32", 128), _with_tf32(torch, False, solve)
        if device == "cuda":
            yield "matmul/tf32", "float32", bound("tf32", 1), _with_tf32(torch, True, matmul)
            yield "conv2d/tf32", "float32", bound("tf32", 1), _with_tf32(torch, True, conv2d)


def _with_tf32(torch: Any, on: bool, compute: Callable[[_Given], Any]) -> Callable[[_Given], Any]:
    def switched(given: _Given) -> Any:
        torch.backends.cuda.matmul.allow_tf32 = on
        torch.backends.cudnn.allow_tf32 = on
        return compute(given)

    return switched


def _error(torch: Any, result: Any, reference: Any, exact: bool) -> float:
    if not exact:
        return relative_error(torch, result, reference)
    if not bool(torch.isfinite(result).all()):
        return math.nan
    return float((result.to("cpu", torch.float64) != reference).sum())


def _random(context: Context, torch: Any, device: str) -> None:
    """The device's own random numbers: spread as they should be, and the same again from the same seed."""
    maker = torch.Generator(device=device).manual_seed(context.seed)
    uniform = torch.rand(_DRAWS, generator=maker, device=device).to("cpu", torch.float64)
    normal = torch.randn(_DRAWS, generator=maker, device=device).to("cpu", torch.float64)
    maker.manual_seed(context.seed)
    again = torch.rand(_DRAWS, generator=maker, device=device).to("cpu", torch.float64)
    # six standard errors of the mean, and of the standard deviation
    context.measure("random/uniform-mean", abs(float(uniform.mean()) - 0.5), "", 6 * math.sqrt(1 / 12 / _DRAWS))
    context.measure("random/normal-mean", abs(float(normal.mean())), "", 6 / math.sqrt(_DRAWS))
    context.measure("random/normal-spread", abs(float(normal.std()) - 1), "", 6 / math.sqrt(2 * _DRAWS))
    context.measure("random/outside", float(((uniform < 0) | (uniform >= 1)).sum()), "", 0.0)
    context.measure("random/not-repeated", float((uniform != again).sum()), "", 0.0)


PROBE = Probe(
    id="numerics",
    run=run,
    params={"device": "`cuda` or `cpu`", "dtypes": "number formats, all three if not given"},
    timeout=300,
    memory=2 * GIB,
    weight=3.0,
)
