"""The network: an encoder of the BERT family that reads a pair, and small heads.

The word table stays as it is in the embedding model, so that one copy of it serves
both in the program.
"""

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F

WIDTH, HEADS, CLS, SEP = 384, 12, 101, 102


class Layer(nn.Module):
    """Without dropout: a row is hardly seen twice, and to draw it costs a tenth of the time."""

    def __init__(self, width=WIDTH, inner=1536):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.out, self.up, self.down = nn.Linear(width, width), nn.Linear(width, inner), nn.Linear(inner, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)

    def forward(self, x, mask):
        n, length, width = x.shape
        q, k, v = (f(x).view(n, length, HEADS, -1).transpose(1, 2) for f in (self.query, self.key, self.value))
        a = F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).reshape(n, length, width)
        x = self.norm1(x + self.out(a))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Heads(nn.Module):
    """From [CLS]: does the passage help, is it enough; is the claim supported, neutral,
    contradicted. From each token: does it stand where the answer does, does the
    answer begin there, does it end there."""

    def __init__(self):
        super().__init__()
        self.answer_hidden, self.answer = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 2)
        self.support_hidden, self.support = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, 3)
        self.token = nn.Linear(WIDTH, 3)

    def forward(self, h):
        cls = h[:, 0]
        return (self.answer(torch.tanh(self.answer_hidden(cls))), self.support(torch.tanh(self.support_hidden(cls))), self.token(h))


class Evaluator(nn.Module):
    def __init__(self, layers=6):
        super().__init__()
        self.words = nn.Embedding(30522, WIDTH)
        self.places, self.kinds = nn.Embedding(512, WIDTH), nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.heads = Heads()
        self.words.weight.requires_grad = False

    def forward(self, ids, kinds, mask):
        x = self.norm(self.words(ids) + self.places.weight[: ids.shape[1]] + self.kinds(kinds))
        bias = torch.zeros(mask.shape, dtype=torch.bfloat16 if torch.is_autocast_cpu_enabled() else torch.float32)
        bias = bias.masked_fill(mask == 0, -1e4)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, bias)
        return self.heads(x)


NAMES = {"query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
         "out": "attention.output.dense", "norm1": "attention.output.LayerNorm", "up": "intermediate.dense",
         "down": "output.dense", "norm2": "output.LayerNorm"}


def load_encoder(model: Evaluator, path: str, prefix: str = "", kept=None, words=True):
    """Takes over the weights of an encoder. kept names the layers to take, in order."""
    w = {k: v.float() for k, v in load_file(path).items()}
    kept = kept or range(len(model.layers))
    if words:
        model.words.weight.data.copy_(w[prefix + "embeddings.word_embeddings.weight"])
    model.places.weight.data.copy_(w[prefix + "embeddings.position_embeddings.weight"])
    model.kinds.weight.data.copy_(w[prefix + "embeddings.token_type_embeddings.weight"])
    take = [(model.norm, prefix + "embeddings.LayerNorm")]
    for to, at in zip(model.layers, kept):
        take += [(getattr(to, mine), f"{prefix}encoder.layer.{at}.{theirs}") for mine, theirs in NAMES.items()]
    for module, name in take:
        module.weight.data.copy_(w[name + ".weight"])
        module.bias.data.copy_(w[name + ".bias"])


def load_checkpoint(model: Evaluator, state: dict, kept):
    """Takes over the heads and some layers of a trained network, kept in order."""
    place = {at: to for to, at in enumerate(kept)}
    taken = {}
    for name, w in state.items():
        if name.startswith("layers."):
            _, at, rest = name.split(".", 2)
            if int(at) not in place:
                continue
            name = f"layers.{place[int(at)]}.{rest}"
        taken[name] = w
    model.load_state_dict(taken)
