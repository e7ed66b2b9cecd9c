"""bitsandbytes quantizes to NF4 on the device, and computes with it rightly.

What it proves
    Weights quantized to NF4 and back lie on NF4's sixteen levels, and within half the widest gap of where they were,
    each measured by its block's largest value; the whole is as near as NF4 can be and no nearer (nearer would mean that
    nothing was quantized). A Linear4bit layer gives the product with these weights within float16's bounds of float64
    on the CPU.

What it does not prove
    That a quantized model's answers are good. Where the tier says that bitsandbytes is unsupported (`support:
    unsupported`) nothing is run: the item is MISS with the reason `unsupported-by-tier`, and never counts as proven.

Reasons
    `bound-exceeded`, `not-finite`, `not-quantized`
"""

from __future__ import annotations

from jetproof_worker.probe import GIB, Context, Missed, Probe, relative_error

_ROWS, _COLUMNS, _BLOCK = 256, 512, 64

LEVELS = (
    *(-1.0, -0.6961928, -0.52507305, -0.39491749, -0.28444138, -0.18477343, -0.09105004, 0.0),
    *(0.0795803, 0.1609302, 0.2461123, 0.33791524, 0.44070983, 0.562617, 0.72295684, 1.0),
)
"""NF4's levels, as a share of a block's largest absolute value."""

HALF_WIDEST_GAP = (LEVELS[1] - LEVELS[0]) / 2

NORMAL_ERROR = (0.07, 0.12)
"""Relative error (2-norm) of normally distributed weights under NF4 in blocks of 64: about 0.09 to 0.10."""


def run(context: Context) -> None:
    """Quantize, compare, multiply, compare."""
    if context.params.get("support", "required") != "required":
        raise Missed("unsupported-by-tier", str(context.params["support"]))
    torch = context.torch()
    device = context.device()
    bitsandbytes = context.package("bitsandbytes")
    functional = bitsandbytes.functional
    context.detail.update(bitsandbytes=str(bitsandbytes.__version__), device=device)
    draw = torch.Generator().manual_seed(context.seed)
    weight = torch.randn(_ROWS, _COLUMNS, generator=draw).to(torch.float16)
    packed, state = functional.quantize_4bit(weight.to(device), blocksize=_BLOCK, quant_type="nf4")
    context.require(
        packed.dtype == torch.uint8 and packed.numel() * 2 == weight.numel(),
        "not-quantized",
        "%d values became %d of %s" % (weight.numel(), packed.numel(), packed.dtype),
    )
    back = functional.dequantize_4bit(packed, state).cpu().double()
    exact = weight.double()
    largest = exact.reshape(-1, _BLOCK).abs().amax(-1, keepdim=True)
    share = ((back - exact).reshape(-1, _BLOCK).abs() / largest).amax()
    context.measure("nf4/largest-share", float(share), "", HALF_WIDEST_GAP + 4 * 2.0**-11)
    levels = torch.tensor(LEVELS, dtype=torch.float64)
    off = ((back.reshape(-1, _BLOCK) / largest).reshape(-1, 1) - levels).abs().amin(-1).amax()
    context.measure("nf4/off-level", float(off), "", 2 * 2.0**-11)
    error = relative_error(torch, back, exact)
    context.measure("nf4/error", error, "", NORMAL_ERROR[1])
    context.measure("nf4/error-at-least", error, "", NORMAL_ERROR[0], "at-least")

    layer = bitsandbytes.nn.Linear4bit(
        _COLUMNS, _ROWS, bias=False, compute_dtype=torch.float16, quant_type="nf4", compress_statistics=False
    )
    layer.weight = bitsandbytes.nn.Params4bit(
        weight.clone(), requires_grad=False, quant_type="nf4", blocksize=_BLOCK, compress_statistics=False
    )
    layer = layer.to(device)
    inputs = torch.randn(8, _COLUMNS, generator=draw).to(torch.float16)
    with torch.no_grad():
        output = layer(inputs.to(device))
        single = layer(inputs[:1].to(device))
    context.measure("linear4bit", relative_error(torch, output, inputs.double() @ back.T), "", 8 * 2.0**-11)
    context.measure("linear4bit/one-row", relative_error(torch, single, inputs[:1].double() @ back.T), "", 8 * 2.0**-11)
    context.measure(
        "linear4bit/float", relative_error(torch, output, inputs.double() @ exact.T), "", 1.25 * NORMAL_ERROR[1]
    )


PROBE = Probe(
    id="bitsandbytes-nf4",
    run=run,
    params={"support": "`required`, or why the tier does not support it", "device": "`cuda` or `cpu`"},
    packages=("bitsandbytes",),
    timeout=180,
    memory=2 * GIB,
    compiler=True,
    weight=8.0,
)
