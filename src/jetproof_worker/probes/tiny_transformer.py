"""A small transformer model with random weights runs and generates on the device as it does on the CPU.

What it proves
    transformers builds a model from a configuration, without any download; its logits on the device are finite and
    agree with the CPU's within float32's bounds; greedy generation yields tokens each of which is the CPU's best choice
    too, but for differences within the bound.

What it does not prove
    Anything about a trained model, a quantized one, or one that fills the memory.

Reasons
    `bound-exceeded`, `not-finite`, `wrong-length`
"""

from __future__ import annotations

import os

from jetproof_worker.probe import GIB, Context, Probe, relative_error

_VOCABULARY, _NEW = 256, 12
_BOUND = 2.0**-24 * 256


def run(context: Context) -> None:
    """Build it twice from one seed, run it in both places, compare."""
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1")
    torch = context.torch()
    device = context.device()
    transformers = context.package("transformers")
    context.detail.update(transformers=str(transformers.__version__), device=device)
    torch.backends.cuda.matmul.allow_tf32 = False
    config = transformers.LlamaConfig(
        vocab_size=_VOCABULARY,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=128,
        bos_token_id=0,
        eos_token_id=None,
        pad_token_id=0,
    )
    torch.manual_seed(context.seed)
    here = transformers.LlamaForCausalLM(config).eval()
    there = transformers.LlamaForCausalLM(config).eval()
    there.load_state_dict(here.state_dict())
    there = there.to(device)
    draw = torch.Generator().manual_seed(context.seed)
    prompt = torch.randint(1, _VOCABULARY, (2, 16), generator=draw)
    with torch.no_grad():
        wanted = here.double()(prompt).logits
        logits = there(prompt.to(device)).logits
        context.measure("logits", relative_error(torch, logits, wanted), "", _BOUND)
        tokens = there.generate(
            prompt.to(device),
            attention_mask=torch.ones_like(prompt).to(device),
            max_new_tokens=_NEW,
            min_new_tokens=_NEW,
            do_sample=False,
        ).cpu()
        context.require(
            tuple(tokens.shape) == (2, 16 + _NEW) and bool((tokens[:, :16] == prompt).all()),
            "wrong-length",
            "%s tokens were generated" % (tuple(tokens.shape),),
        )
        judged = here(tokens).logits[:, 15:-1]
    best = judged.max(-1)[0]
    taken = judged.gather(-1, tokens[:, 16:, None])[..., 0]
    context.measure("generated/behind-best", float((best - taken).max() / judged.abs().max()), "", 2 * _BOUND)


PROBE = Probe(
    id="tiny-transformer",
    run=run,
    params={"device": "`cuda` or `cpu`"},
    packages=("transformers",),
    timeout=300,
    memory=2 * GIB,
    compiler=True,
    weight=9.0,
)
