"""Trains the evaluator. Stops and goes on: run it again with the same arguments.

    python train.py --data FOLDER --model FOLDER --out FOLDER --pairs 200000

The learning rate stays as it is until --pairs less --decay, and then falls to zero, so
that a run can be made longer: give a larger --pairs and the checkpoint from before the
fall.
"""

import argparse
import json
import os
import random
import time

import torch
from torch.nn import functional as F

import measure
from mix import Mix
from network import Evaluator, load_checkpoint, load_encoder
from pairs import Reader, UNKNOWN, batch
from rows import read

RATE, BATCH, CHUNK = 1e-4, 32, 1600


def loss_of(model, items):
    ids, kinds, mask, tokens = batch(items)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        answer, support, token = model(ids, kinds, mask)
    answer, support, token = answer.float(), support.float(), token.float()
    total, parts = 0.0, {}
    is_answer = torch.tensor([i["row"].task == "answer" for i in items])
    if is_answer.any():
        helps = torch.tensor([float(i["row"].label) for i in items])
        enough = torch.tensor([float(i["row"].label and not i["row"].multi) for i in items])
        each = F.binary_cross_entropy_with_logits(answer, torch.stack([helps, enough], 1), reduction="none").mean(1)
        parts["answer"] = each[is_answer].sum()
        # where the answer stands: tokens of gold sentences, and its first and last
        known = tokens >= 0
        if known.any():
            held = F.binary_cross_entropy_with_logits(token[..., 0], tokens.clamp(min=0), reduction="none")
            parts["sentence"] = 0.5 * ((held * known).sum(1) / known.sum(1).clamp(min=1)).sum()
        open_ = mask.bool() & ((kinds == 1) | (torch.arange(ids.shape[1]) == 0))
        for k, name in ((1, "start"), (2, "end")):
            target = torch.tensor([i[name] for i in items])
            scores = token[..., k].masked_fill(~open_, -1e4)
            if (target != UNKNOWN).any():
                parts[name] = 0.15 * F.cross_entropy(scores, target, ignore_index=UNKNOWN, reduction="sum")
    if not is_answer.all():
        label = torch.tensor([i["row"].label for i in items])
        two_way = torch.tensor([i["row"].two_way and i["row"].label != 0 for i in items])
        logs = torch.log_softmax(support, -1)
        either = -torch.logsumexp(logs[:, 1:], -1)
        each = torch.where(two_way, either, -logs[torch.arange(len(items)), label])
        parts["support"] = each[~is_answer].sum()
    for p in parts.values():
        total = total + p
    return total / len(items), {k: float(v.detach()) for k, v in parts.items()}, int(is_answer.sum())


def rate_at(pairs, args):
    warm = min(1.0, pairs / args.warm)
    left = (args.pairs - pairs) / args.decay
    return args.rate * warm * max(0.0, min(1.0, left))


def save(path, model, optimizer, chunk, pairs):
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "chunk": chunk, "pairs": pairs}, path + ".new")
    os.replace(path + ".new", path)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", required=True, help="the folder with answer/ and support/")
    p.add_argument("--sets", help="the folder with the labelled sets, to measure on their validation part")
    p.add_argument("--model", required=True, help="the folder with MiniLM's model.safetensors and tokenizer.json")
    p.add_argument("--start", help="weights to begin with in place of MiniLM's: the probe, or a checkpoint of a larger network")
    p.add_argument("--out", required=True)
    p.add_argument("--layers", default="0,1,2,3,4,5", help="the layers to keep")
    p.add_argument("--pairs", type=int, default=200_000)
    p.add_argument("--decay", type=int, default=60_000)
    p.add_argument("--warm", type=int, default=6_000)
    p.add_argument("--rate", type=float, default=RATE)
    p.add_argument("--most", type=int, default=224, help="tokens of a pair")
    p.add_argument("--seed", type=int, default=7)
    p.add_argument("--measure", type=int, default=40_000, help="pairs between measurements")
    args = p.parse_args()
    torch.manual_seed(args.seed)
    os.makedirs(args.out, exist_ok=True)

    kept = [int(x) for x in args.layers.split(",")]
    model = Evaluator(len(kept))
    load_encoder(model, os.path.join(args.model, "model.safetensors"), kept=kept)
    if args.start and args.start.endswith(".pt"):
        load_checkpoint(model, torch.load(args.start)["model"], kept)
    elif args.start:
        load_encoder(model, args.start, "e.", kept=kept, words=False)
    plain = [w for n, w in model.named_parameters() if w.requires_grad and ("bias" in n or "norm" in n)]
    heavy = [w for n, w in model.named_parameters() if w.requires_grad and not ("bias" in n or "norm" in n)]
    optimizer = torch.optim.AdamW([{"params": heavy, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}], lr=args.rate, betas=(0.9, 0.98), fused=True)

    chunk, pairs = 0, 0
    checkpoint = os.path.join(args.out, "checkpoint.pt")
    if os.path.exists(checkpoint):
        state = torch.load(checkpoint)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        chunk, pairs = state["chunk"], state["pairs"]
    mix = Mix(read(args.data), args.seed)
    reader = Reader(os.path.join(args.model, "tokenizer.json"), args.most)
    model.train()
    print(f"{len(mix.rows)} rows; from pair {pairs}", flush=True)
    measured = pairs
    while pairs < args.pairs:
        began, seen, sums, answers = time.time(), 0, {}, 0
        torch.manual_seed(args.seed * 1_000_003 + chunk)
        items = sorted(reader.read(mix.chunk(chunk, CHUNK)), key=lambda i: len(i["ids"]))
        batches = [items[i: i + BATCH] for i in range(0, len(items), BATCH)]
        random.Random(chunk).shuffle(batches)
        for b in batches:
            for group in optimizer.param_groups:
                group["lr"] = rate_at(pairs, args)
            loss, parts, n = loss_of(model, b)
            loss.backward()
            torch.nn.utils.clip_grad_norm_([w for w in model.parameters() if w.requires_grad], 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            pairs, seen, answers = pairs + len(b), seen + len(b), answers + n
            for k, v in parts.items():
                sums[k] = sums.get(k, 0.0) + v
        chunk += 1
        per = {k: round(v / max(1, seen - answers if k == "support" else answers), 4) for k, v in sums.items()}
        print(json.dumps({"pairs": pairs, "a second": round(seen / (time.time() - began), 1), "rate": rate_at(pairs, args), **per}), flush=True)
        if chunk % 5 == 0 or pairs >= args.pairs:
            save(checkpoint, model, optimizer, chunk, pairs)
        if pairs - measured >= args.measure or pairs >= args.pairs:
            measured = pairs
            if args.sets:
                print(json.dumps({"pairs": pairs, **measure.all_sets(model, args.sets, reader.tokenizer, part="validation")}), flush=True)
                model.train()
            save(os.path.join(args.out, f"at-{pairs}.pt"), model, optimizer, chunk, pairs)


if __name__ == "__main__":
    main()
