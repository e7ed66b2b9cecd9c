"""A small real model comes from the hub, at a fixed revision, and runs on the device.

What it proves
    The repository and the exact commit that the policy names can be had here (from the hub, or from this machine's
    cache), the weights are in the safetensors format, and a forward pass and a short generation on the device are
    finite and of the right shape.

What it does not prove
    That the model's answers are good. Only the gate `model-download` may hold this item: it needs the network or a
    filled cache.

Reasons
    `not-pinned`, `download-failed`, `not-finite`, `wrong-length`
"""

from __future__ import annotations

import re

from jetproof_worker.probe import GIB, Broken, Context, Failed, Probe

_COMMIT = re.compile(r"[0-9a-f]{40}")
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)?")


def run(context: Context) -> None:
    """Fetch, load, run."""
    repository, revision = str(context.params.get("model", "")), str(context.params.get("revision", ""))
    if not _REPOSITORY.fullmatch(repository):
        raise Broken("bad-parameter", "model must be a name on the hub, not %r" % repository)
    if not _COMMIT.fullmatch(revision):
        raise Failed("not-pinned", "revision must be the 40 digits of a commit, not %r" % revision)
    torch = context.torch()
    device = context.device()
    transformers = context.package("transformers")
    context.detail.update(model=repository, revision=revision, transformers=str(transformers.__version__))
    try:
        model = transformers.AutoModelForCausalLM.from_pretrained(
            repository, revision=revision, use_safetensors=True, trust_remote_code=False
        )
    except (OSError, ValueError) as error:
        raise Failed("download-failed", "%s: %s" % (type(error).__name__, error)) from error
    model = model.eval().to(device)
    context.measure("parameters", float(sum(parameter.numel() for parameter in model.parameters())), "")
    draw = torch.Generator().manual_seed(context.seed)
    prompt = torch.randint(1, int(model.config.vocab_size), (1, 8), generator=draw).to(device)
    with torch.no_grad():
        logits = model(prompt).logits
        context.measure("not-finite", float((~torch.isfinite(logits)).sum()), "", 0.0)
        mask = torch.ones_like(prompt)
        tokens = model.generate(prompt, attention_mask=mask, max_new_tokens=4, min_new_tokens=4, do_sample=False)
    context.require(tuple(tokens.shape) == (1, 12), "wrong-length", "%s tokens came" % (tuple(tokens.shape),))


PROBE = Probe(
    id="hub-model",
    run=run,
    params={
        "model": "repository on the hub",
        "revision": "the commit of that repository, 40 hex digits",
        "device": "`cuda` or `cpu`",
    },
    packages=("transformers",),
    timeout=900,
    memory=4 * GIB,
    compiler=True,
    weight=9.0,
)
