"""Writes the weights for package encoder: those of a checkpoint, under the names of
Hugging Face's BERT, without the table of words.

    python export.py CHECKPOINT FOLDER MINILM

The two hidden layers of the heads stand one below the other in the pooler, and each
logit of the classifier reads its own. reference.json has what PyTorch computes for a
few pairs, for the program's tests.
"""

import json
import os
import sys

import torch
from safetensors.torch import save_file

from network import CLS, NAMES, SEP, WIDTH, Evaluator
from tokenizers import Tokenizer

PAIRS = [
    ("How many weeks of parental leave do I get?", "Employees get 26 weeks of paid parental leave for each child. Dogs are allowed on Fridays."),
    ("How many weeks of parental leave do I get?", "Backups are kept for 90 days and are stored in Frankfurt."),
    ("Backups are kept for 30 days.", "Backups are kept for 90 days and are stored in Frankfurt."),
    ("Where are backups stored?", "Passwords must have at least 14 characters. Backups are kept for 90 days and are stored in Frankfurt."),
]


def weights(model):
    out = {"embeddings.position_embeddings.weight": model.places.weight, "embeddings.token_type_embeddings.weight": model.kinds.weight,
           "embeddings.LayerNorm.weight": model.norm.weight, "embeddings.LayerNorm.bias": model.norm.bias}
    for n, layer in enumerate(model.layers):
        for mine, theirs in NAMES.items():
            for kind in ("weight", "bias"):
                out[f"encoder.layer.{n}.{theirs}.{kind}"] = getattr(getattr(layer, mine), kind)
    h = model.heads
    out["pooler.dense.weight"] = torch.cat([h.answer_hidden.weight, h.support_hidden.weight])
    out["pooler.dense.bias"] = torch.cat([h.answer_hidden.bias, h.support_hidden.bias])
    classifier = torch.zeros(5, 2 * WIDTH)
    classifier[:2, :WIDTH] = h.answer.weight
    classifier[2:, WIDTH:] = h.support.weight
    out["classifier.weight"], out["classifier.bias"] = classifier, torch.cat([h.answer.bias, h.support.bias])
    out["token_classifier.weight"], out["token_classifier.bias"] = h.token.weight, h.token.bias
    return {k: v.detach().float().contiguous().clone() for k, v in out.items()}


def reference(model, tokenizer):
    rows = []
    for a, b in PAIRS:
        first = tokenizer.encode(a, add_special_tokens=False).ids
        second = tokenizer.encode(b, add_special_tokens=False).ids
        ids = torch.tensor([[CLS] + first + [SEP] + second + [SEP]])
        kinds = torch.tensor([[0] * (len(first) + 2) + [1] * (len(second) + 1)])
        with torch.no_grad():
            answer, support, token = model(ids, kinds, torch.ones_like(ids))
        inside = token[0, len(first) + 2: len(first) + 2 + len(second)]
        rows.append({"a": a, "b": b, "logits": [round(float(x), 5) for x in torch.cat([answer[0], support[0]])],
                     "tokens": [[round(float(x), 5) for x in t] for t in inside], "absent": [round(float(x), 5) for x in token[0, 0]]})
    return rows


def main():
    checkpoint, folder, base = sys.argv[1], sys.argv[2], sys.argv[3]
    state = torch.load(checkpoint)["model"]
    layers = 1 + max(int(k.split(".")[1]) for k in state if k.startswith("layers."))
    model = Evaluator(layers)
    model.load_state_dict(state)
    model.eval()
    os.makedirs(folder, exist_ok=True)
    save_file(weights(model), os.path.join(folder, "model.safetensors"))
    config = {"architectures": ["BertForSequenceClassification"], "model_type": "bert", "hidden_size": WIDTH, "num_hidden_layers": layers,
              "num_attention_heads": 12, "intermediate_size": 1536, "hidden_act": "gelu", "layer_norm_eps": 1e-12,
              "max_position_embeddings": 512, "type_vocab_size": 2, "vocab_size": 30522}
    json.dump(config, open(os.path.join(folder, "config.json"), "w"), indent=1)
    tokenizer = Tokenizer.from_file(os.path.join(base, "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    json.dump(reference(model, tokenizer), open(os.path.join(folder, "reference.json"), "w"), indent=1)


if __name__ == "__main__":
    main()
