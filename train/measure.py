"""AUROC on the labelled sets, each divided in two by its document or article: the
validation part chooses between runs, the test part is reported."""

import csv
import glob
import hashlib
import json
import os
import random

import torch

from network import CLS, SEP


def part_of(key: str) -> str:
    return "validation" if hashlib.sha256(key.encode()).digest()[0] < 128 else "test"


def score(model, tokenizer, pairs, most=256, stride=96):
    """One output a pair: [helps, enough], [supported, neutral, contradicted]. A long second
    text is read in windows, and the most of each answer output counts."""
    first = tokenizer.encode_batch([a for a, _ in pairs], add_special_tokens=False)
    second = tokenizer.encode_batch([b for _, b in pairs], add_special_tokens=False)
    windows = []
    for n, (a, b) in enumerate(zip(first, second)):
        head = a.ids[: most // 3]
        room = most - 3 - len(head)
        at = 0
        while True:
            windows.append((n, [CLS] + head + [SEP] + b.ids[at: at + room] + [SEP], len(head) + 2))
            if at + room >= len(b.ids):
                break
            at += room - stride
    windows.sort(key=lambda w: len(w[1]))
    answers, supports = [None] * len(pairs), [None] * len(pairs)
    model.eval()
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        for i in range(0, len(windows), 48):
            some = windows[i: i + 48]
            length = max(len(w[1]) for w in some)
            ids = torch.zeros(len(some), length, dtype=torch.long)
            kinds, mask = torch.zeros_like(ids), torch.zeros_like(ids)
            for k, (_, w, head) in enumerate(some):
                ids[k, : len(w)] = torch.tensor(w)
                kinds[k, head: len(w)] = 1
                mask[k, : len(w)] = 1
            answer, support, token = model(ids, kinds, mask)
            spans = span_margin(token.float(), kinds, mask)
            outs = zip(torch.cat([answer.float(), spans[:, None]], 1).tolist(), torch.softmax(support.float(), -1).tolist())
            for (n, _, _), (a, s) in zip(some, outs):
                answers[n] = a if answers[n] is None else [max(x, y) for x, y in zip(answers[n], a)]
                if supports[n] is None or s[0] > supports[n][0]:
                    supports[n] = s
    return answers, supports


def span_margin(token, kinds, mask):
    """How much better the best span is than none."""
    out = torch.zeros(token.shape[0])
    inside = (kinds == 1) & (mask == 1)
    start = token[..., 1].masked_fill(~inside, -1e4)
    end = token[..., 2].masked_fill(~inside, -1e4)
    for k in range(token.shape[0]):
        table = start[k][:, None] + end[k][None, :]
        table = torch.triu(table) - torch.triu(torch.ones_like(table), 24) * 1e4 + torch.tril(torch.full_like(table, -1e5), -1)
        out[k] = table.max() - token[k, 0, 1] - token[k, 0, 2]
    return out


def auroc(labels, scores):
    """The share of pairs of a positive and a negative that stand the right way round."""
    order = sorted(range(len(scores)), key=lambda i: scores[i])
    ranks, i = [0.0] * len(scores), 0
    while i < len(order):
        j = i
        while j < len(order) and scores[order[j]] == scores[order[i]]:
            j += 1
        for k in order[i:j]:
            ranks[k] = (i + j - 1) / 2 + 1
        i = j
    p = sum(map(bool, labels))
    n = len(labels) - p
    return (sum(r for r, y in zip(ranks, labels) if y) - p * (p + 1) / 2) / max(1, p * n)


def squad2(folder):
    for article in json.load(open(os.path.join(folder, "squad2", "dev.json")))["data"]:
        for p in article["paragraphs"]:
            for q in p["qas"]:
                yield article["title"], q["question"], p["context"], not q["is_impossible"]


def clapnq(folder):
    for name, label in (("answerable", True), ("unanswerable", False)):
        for line in open(os.path.join(folder, "clapnq", name + ".jsonl")):
            r = json.loads(line)
            p = r["passages"][0]
            yield p["title"], r["input"], p["title"] + ". " + p["text"], label


def popqa(folder):
    rows = [json.loads(line) for line in open(os.path.join(folder, "popqa", "popqa.jsonl"))]
    rng = random.Random(1)
    for r in rows:
        own = [p for p in r["paragraphs"] if p["is_supporting"]]
        others = [o for o in rows if o["prop"] == r["prop"] and o["subj"] != r["subj"]]
        if not own or not others:
            continue
        p, o = own[0], rng.choice(others)["paragraphs"][0]
        yield r["subj"], r["question"], p["title"] + ". " + p["text"], True
        yield r["subj"], r["question"], o["title"] + ". " + o["text"], False


def wice(folder):
    for line in open(os.path.join(folder, "wice", "oracle_claim.jsonl")):
        r = json.loads(line)
        yield r["meta"]["claim_title"], r["claim"], " ".join(r["evidence"]), r["label"] == "supported"


def begin(folder):
    for path in sorted(glob.glob(os.path.join(folder, "begin", "*.tsv"))):
        for r in csv.DictReader(open(path), delimiter="\t", quoting=csv.QUOTE_NONE):
            yield r["knowledge"], r["response"], r["knowledge"], r["begin_label"].startswith("Fully")


def all_sets(model, folder, tokenizer, part):
    out = {}
    for read, task in ((squad2, "answer"), (clapnq, "answer"), (popqa, "answer"), (wice, "support"), (begin, "support")):
        rows = [r for r in read(folder) if part_of(r[0]) == part]
        if read is squad2 and part == "validation":
            rows = random.Random(3).sample(rows, min(600, len(rows)))
        answers, supports = score(model, tokenizer, [(a, b) for _, a, b, _ in rows], most=320 if task == "support" else 256)
        labels = [r[3] for r in rows]
        if task == "answer":
            for k, name in enumerate(("", " enough", " span")):
                out[read.__name__ + name] = round(auroc(labels, [a[k] for a in answers]), 4)
        else:
            out[read.__name__] = round(auroc(labels, [s[0] for s in supports]), 4)
    return out
