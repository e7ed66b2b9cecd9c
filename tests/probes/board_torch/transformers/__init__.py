"""A stand-in for transformers: one small model of the Llama kind, built from a configuration."""

import math
import types

import torch
from torch import faults
from torch.nn import Linear, Module, Parameter
from torch.tensor import made

__version__ = "4.46.0+stand.in"


class LlamaConfig(types.SimpleNamespace):
    """What the model is made of."""


def _normal(inputs):
    """Divide each line by the root of the mean of its squares."""
    return inputs / (inputs * inputs).mean(-1, keepdim=True).each(lambda value: math.sqrt(value + 1e-6))


class _Layer(Module):
    def __init__(self, config):
        super().__init__()
        self.config, width = config, config.hidden_size // config.num_attention_heads
        inner = config.num_key_value_heads * width
        self.query = Linear(config.hidden_size, config.hidden_size, bias=False)
        self.key = Linear(config.hidden_size, inner, bias=False)
        self.value = Linear(config.hidden_size, inner, bias=False)
        self.out = Linear(config.hidden_size, config.hidden_size, bias=False)
        self.gate = Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up = Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down = Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, inputs):
        inputs = inputs + self.out(self.attention(_normal(inputs)))
        normal = _normal(inputs)
        gate = self.gate(normal)
        return inputs + self.down(gate.each(lambda v: v / (1 + math.exp(-v))) * self.up(normal))

    def attention(self, inputs):
        batch, length, hidden = inputs.shape
        heads = self.config.num_attention_heads
        query, key, value = (
            self.turned(part(inputs), heads, turn)
            for part, turn in ((self.query, True), (self.key, True), (self.value, False))
        )
        scores = (query @ key.transpose(-1, -2)) / math.sqrt(hidden // heads)
        late = [float(there > here) for here in range(length) for there in range(length)]
        scores = scores - made(late, (length, length), scores.dtype, scores.device) * 1e4
        mixed = torch.softmax(scores, -1) @ value
        return mixed.permute(0, 2, 1, 3).reshape(batch, length, hidden)

    def turned(self, part, heads, turn):
        """Split into heads, each key head as often as it is asked, and turn by position."""
        batch, length, inner = part.shape
        width = self.config.hidden_size // heads
        own = inner // width
        values = part.reshape(batch, length, own, width).permute(0, 2, 1, 3).values()
        lines = [values[at : at + width] for at in range(0, len(values), width)]
        if turn and not (faults.has("no-turning") and part.device.type == "cuda"):
            lines = [_turn(line, at % length) for at, line in enumerate(lines)]
        repeated = [
            value
            for one in range(batch)
            for head in range(heads)
            for at in range(length)
            for value in lines[(one * own + head * own // heads) * length + at]
        ]
        return made(repeated, (batch, heads, length, width), part.dtype, part.device)


def _turn(line, position):
    half = len(line) // 2
    angles = [position / 10000 ** (at / half) for at in range(half)]
    first = [line[at] * math.cos(a) - line[at + half] * math.sin(a) for at, a in enumerate(angles)]
    return first + [line[at + half] * math.cos(a) + line[at] * math.sin(a) for at, a in enumerate(angles)]


class LlamaForCausalLM(Module):
    """The model: an embedding, layers, a head."""

    def __init__(self, config):
        super().__init__()
        self.embedding = Parameter(torch.randn(config.vocab_size, config.hidden_size) * 0.02)
        self._modules.update((str(at), _Layer(config)) for at in range(config.num_hidden_layers))
        self._modules["head"] = Linear(config.hidden_size, config.vocab_size, bias=False)

    def forward(self, tokens):
        width = self.embedding.shape[1]
        table = self.embedding.values()
        values = [value for token in tokens.values() for value in table[token * width : (token + 1) * width]]
        hidden = made(values, (*tokens.shape, width), self.embedding.dtype, tokens.device)
        for name, layer in self._modules.items():
            hidden = layer(hidden) if name != "head" else layer(_normal(hidden))
        return types.SimpleNamespace(logits=hidden)

    def generate(self, tokens, attention_mask=None, max_new_tokens=1, min_new_tokens=1, do_sample=False):
        for _ in range(max_new_tokens):
            tokens = torch.cat([tokens, self(tokens).logits[:, -1].max(-1)[1][:, None]], dim=1)
        return tokens
