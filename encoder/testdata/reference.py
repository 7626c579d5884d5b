"""Makes what encoder_test.go compares with, in plain NumPy with 64-bit floats: python testdata/reference.py, from this folder's parent.

tiny/              a BERT of two layers with random weights and a classifier of three heads behind a pooler, in float16
reference.json     texts and pairs with the numbers that should come out: vectors of minilm (int8 weights as they are in the
                   repository) and of tiny, logits of tiny

Needs numpy, safetensors and tokenizers.
"""
import json
import os

import numpy as np
from safetensors.numpy import load_file, save_file
from tokenizers import BertWordPieceTokenizer

TEXTS = [
    "", "a", "How long is parental leave?", "Employees get 26 weeks of paid parental leave after the birth or adoption of a child.",
    "The ferry to the island leaves at 7:40 from pier 3, on Sundays at 9:15.", "Error E-4711: the pump lost pressure; close valve B and call the desk.",
    "Crème brûlée costs €7.50 at the Café Müller.", "東京タワーは高さ333メートルです。", "नमस्ते दुनिया", "🙂 👩‍💻 thumbs up 👍🏽",
    "SELECT name FROM users WHERE id = 42; -- comment", "x" * 120, "don't can't won't", "[SEP] is no separator here", "\tTabs\nand\r\nlines\u00a0and\u200bspaces ",
    " ".join(f"Sentence number {i} of a longer text says that item {i * 7 % 100} is kept in room {i * 3 % 17}." for i in range(11)),
    " ".join(f"Sentence number {i} of a very long text says that item {i * 7 % 100} is kept in room {i * 3 % 17}." for i in range(60)),
]
PAIRS = [
    ["how long is leave", "leave is 26 weeks"], ["how long is leave", ""], ["", "leave is 26 weeks"], ["who", " ".join(["the room is kept by the desk"] * 30)],
    ["is the room kept", " ".join(f"item {i} is in room {i % 9}" for i in range(40))],
]
TINY = dict(model_type="bert", hidden_size=64, num_hidden_layers=2, num_attention_heads=2, intermediate_size=128, max_position_embeddings=64,
            type_vocab_size=2, hidden_act="gelu", layer_norm_eps=1e-12, position_embedding_type="absolute")
WORDS = """[PAD] [UNK] [CLS] [SEP] [MASK] . , ? ! the a is in of how long leave weeks 26 who room kept by desk item to and ##s ##ing ##e ##d
0 1 2 3 4 5 6 7 8 9 b c d e f g h i j k l m n o p q r s t u v w x y z ##a ##b ##c ##0 ##1 ##2 ##3 ##4 ##5 ##6 ##7 ##8 ##9""".split()

erf = np.vectorize(__import__("math").erf)


def norm(x, gamma, beta, eps):
    m = x.mean(-1, keepdims=True)
    return (x - m) / np.sqrt(((x - m) ** 2).mean(-1, keepdims=True) + eps) * gamma + beta


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class Bert:
    def __init__(self, folder, prefix=""):
        self.c = json.load(open(folder + "/config.json"))
        raw = load_file(folder + "/model.safetensors")
        self.w = {}
        for k, t in raw.items():
            t = t.astype(np.float64) * raw[k + ".scale"].astype(np.float64)[:, None] if t.dtype == np.int8 else t.astype(np.float64)
            self.w[k.removeprefix(prefix)] = t

    def dense(self, name, x):
        return x @ self.w[name + ".weight"].T + self.w[name + ".bias"]

    def norm(self, name, x):
        return norm(x, self.w[name + ".weight"], self.w[name + ".bias"], self.c["layer_norm_eps"])

    def hidden(self, tokens, segments):
        e, n, h = "embeddings.", len(tokens), self.c["num_attention_heads"]
        x = self.w[e + "word_embeddings.weight"][tokens] + self.w[e + "position_embeddings.weight"][:n] + self.w[e + "token_type_embeddings.weight"][segments]
        x = self.norm(e + "LayerNorm", x)
        for i in range(self.c["num_hidden_layers"]):
            p = f"encoder.layer.{i}."
            q, k, v = (self.dense(p + "attention.self." + s, x).reshape(n, h, -1).transpose(1, 0, 2) for s in ("query", "key", "value"))
            a = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])) @ v
            x = self.norm(p + "attention.output.LayerNorm", x + self.dense(p + "attention.output.dense", a.transpose(1, 0, 2).reshape(n, -1)))
            u = self.dense(p + "intermediate.dense", x)
            x = self.norm(p + "output.LayerNorm", x + self.dense(p + "output.dense", u * 0.5 * (1 + erf(u / np.sqrt(2)))))
        return x

    def vector(self, windows):
        v = sum(self.hidden(w, [0] * len(w)).sum(0) for w in windows)
        return v / np.linalg.norm(v)

    def logits(self, tokens, segments):
        pooled = np.tanh(self.dense("pooler.dense", self.hidden(tokens, segments)[0]))
        return self.w["classifier.weight"] @ pooled + self.w["classifier.bias"]


def make_tiny(folder):
    os.makedirs(folder, exist_ok=True)
    rng, c, w = np.random.default_rng(7), TINY, {}
    h, f = c["hidden_size"], c["intermediate_size"]

    def matrix(name, *shape):
        w[name] = (rng.standard_normal(shape) * (0.6 / np.sqrt(shape[-1]) if "embeddings" not in name else 0.5)).astype(np.float16)

    def layer(name, out, inp):
        matrix(name + ".weight", out, inp)
        w[name + ".bias"] = (rng.standard_normal(out) * 0.1).astype(np.float16)

    def gain(name):
        w[name + ".weight"], w[name + ".bias"] = (1 + rng.standard_normal(h) * 0.1).astype(np.float16), (rng.standard_normal(h) * 0.1).astype(np.float16)

    e = "bert.embeddings."
    matrix(e + "word_embeddings.weight", len(WORDS), h)
    matrix(e + "position_embeddings.weight", c["max_position_embeddings"], h)
    matrix(e + "token_type_embeddings.weight", 2, h)
    gain(e + "LayerNorm")
    for i in range(c["num_hidden_layers"]):
        p = f"bert.encoder.layer.{i}."
        for s in ("query", "key", "value"):
            layer(p + "attention.self." + s, h, h)
        layer(p + "attention.output.dense", h, h)
        gain(p + "attention.output.LayerNorm")
        layer(p + "intermediate.dense", f, h)
        layer(p + "output.dense", h, f)
        gain(p + "output.LayerNorm")
    layer("bert.pooler.dense", h, h)
    layer("classifier", 3, h)
    save_file(w, folder + "/model.safetensors")
    json.dump(dict(c, vocab_size=len(WORDS)), open(folder + "/config.json", "w"), indent=1)
    open(folder + "/vocab.txt", "w").write("\n".join(WORDS) + "\n")


def windows(tokens, room):
    n = max(1, -(-len(tokens) // room))
    return [tokens[i * len(tokens) // n:(i + 1) * len(tokens) // n] for i in range(n)]


def pair_windows(n, room):
    if n <= room:
        return [0]
    shared = room // 4
    count = (n - shared + room - shared - 1) // (room - shared)
    return [i * (n - room) // (count - 1) for i in range(count)]


def tokenizer(folder):
    t = BertWordPieceTokenizer(folder + "/vocab.txt", lowercase=True)
    t._tokenizer.encode_special_tokens = True
    return t, lambda s: t.encode(s, add_special_tokens=False).ids


def main():
    out = {"texts": TEXTS, "pairs": PAIRS}
    make_tiny("testdata/tiny")
    for name, folder, prefix, most in (("minilm", "minilm", "", 256), ("tiny", "testdata/tiny", "bert.", 64)):
        t, ids = tokenizer(folder)
        cls, sep = t.token_to_id("[CLS]"), t.token_to_id("[SEP]")
        bert = Bert(folder, prefix)
        out[name] = [[round(float(x), 6) for x in bert.vector([[cls] + w + [sep] for w in windows(ids(s), most - 2)])] for s in TEXTS]
        if name == "tiny":
            out["logits"] = []
            for a, b in PAIRS:
                a, b = ids(a), ids(b)
                room, rows = most - 3 - len(a), []
                for start in pair_windows(len(b), room):
                    part = b[start:start + room]
                    rows.append([round(float(x), 6) for x in bert.logits([cls] + a + [sep] + part + [sep], [0] * (len(a) + 2) + [1] * (len(part) + 1))])
                out["logits"].append(rows)
    json.dump(out, open("testdata/reference.json", "w"), ensure_ascii=False)


main()
