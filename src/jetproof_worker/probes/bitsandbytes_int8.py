"""bitsandbytes computes with 8-bit weights on the device within the bounds of 8 bits.

What it proves
    A Linear8bitLt layer holds its weights as int8 and gives the float reference's product (float64 on the CPU) within
    what rounding each row to 8 bits allows, with and without outliers in the inputs.

What it does not prove
    That a quantized model's answers are good. Where the tier says that bitsandbytes is unsupported (`support:
    unsupported`) nothing is run: the item is MISS with the reason `unsupported-by-tier`, and never counts as proven.

Reasons
    `bound-exceeded`, `not-finite`, `not-quantized`
"""

from __future__ import annotations

from jetproof_worker.probe import GIB, Context, Missed, Probe, relative_error

_ROWS, _COLUMNS = 256, 512
BOUND = 0.03
"""Rounding a normal row of 512 to 127 steps of its largest value errs by about 0.008 on each side."""


def run(context: Context) -> None:
    """Quantize, multiply, compare."""
    if context.params.get("support", "required") != "required":
        raise Missed("unsupported-by-tier", str(context.params["support"]))
    torch = context.torch()
    device = context.device()
    bitsandbytes = context.package("bitsandbytes")
    context.detail.update(bitsandbytes=str(bitsandbytes.__version__), device=device)
    draw = torch.Generator().manual_seed(context.seed)
    weight = torch.randn(_ROWS, _COLUMNS, generator=draw).to(torch.float16)
    layer = bitsandbytes.nn.Linear8bitLt(_COLUMNS, _ROWS, bias=False, has_fp16_weights=False, threshold=6.0)
    layer.weight = bitsandbytes.nn.Int8Params(weight.clone(), requires_grad=False, has_fp16_weights=False)
    layer = layer.to(device)
    context.require(layer.weight.dtype == torch.int8, "not-quantized", "the weights are %s" % layer.weight.dtype)
    for name, column in (("plain", 1.0), ("outliers", 20.0)):
        inputs = torch.randn(16, _COLUMNS, generator=draw)
        inputs[:, 7] *= column
        inputs = inputs.to(torch.float16)
        with torch.no_grad():
            output = layer(inputs.to(device))
        error = relative_error(torch, output, inputs.double() @ weight.double().T)
        context.measure("int8/" + name, error, "", BOUND)


PROBE = Probe(
    id="bitsandbytes-int8",
    run=run,
    params={"support": "`required`, or why the tier does not support it", "device": "`cuda` or `cpu`"},
    packages=("bitsandbytes",),
    timeout=180,
    memory=2 * GIB,
    compiler=True,
    weight=7.5,
)
