"""Rows as the network reads them: [CLS] first [SEP] second [SEP], and its targets."""

import torch
from tokenizers import Tokenizer

from network import CLS, SEP

UNKNOWN = -100  # a target that is not known


class Reader:
    def __init__(self, tokenizer: str, most: int):
        self.tokenizer = Tokenizer.from_file(tokenizer)
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.most = most

    def read(self, rows):
        first = self.tokenizer.encode_batch([r.first for r in rows], add_special_tokens=False)
        second = self.tokenizer.encode_batch([r.second for r in rows], add_special_tokens=False)
        return [self.item(r, a, b) for r, a, b in zip(rows, first, second)]

    def item(self, row, first, second):
        a = first.ids[: self.most // 3]
        room = self.most - 3 - len(a)
        b, offsets, from_ = second.ids, second.offsets, 0
        if len(b) > room and row.task == "answer" and row.label == 1:  # keep what answers
            at = row.span or (row.sentences[0] if row.sentences else None)
            if at:
                k = next((i for i, (s, _) in enumerate(offsets) if s >= at[0]), 0)
                from_ = max(0, min(k - room // 2, len(b) - room))
        b, offsets = b[from_: from_ + room], offsets[from_: from_ + room]
        head = len(a) + 2
        item = {"row": row, "ids": [CLS] + a + [SEP] + b + [SEP], "head": head, "offsets": offsets}
        item["start"] = item["end"] = UNKNOWN
        if row.task == "answer":
            if row.label == 0:
                item["start"] = item["end"] = 0  # [CLS] stands for: it isn't here
            elif row.span:
                inside = [i for i, (s, e) in enumerate(offsets) if s < row.span[1] and e > row.span[0]]
                if inside:
                    item["start"], item["end"] = head + inside[0], head + inside[-1]
        item["tokens"] = None
        if row.task == "answer" and row.located:
            item["tokens"] = [float(any(s < e2 and e > s2 for s2, e2 in row.sentences)) for s, e in offsets]
        return item


def batch(items):
    length = (max(len(i["ids"]) for i in items) + 7) // 8 * 8
    ids = torch.zeros(len(items), length, dtype=torch.long)
    kinds, mask = torch.zeros_like(ids), torch.zeros_like(ids)
    tokens = torch.full((len(items), length), -1.0)
    for n, i in enumerate(items):
        k = len(i["ids"])
        ids[n, :k] = torch.tensor(i["ids"])
        kinds[n, i["head"]: k] = 1
        mask[n, :k] = 1
        if i["tokens"] is not None:
            tokens[n, i["head"]: i["head"] + len(i["tokens"])] = torch.tensor(i["tokens"])
    return ids, kinds, mask, tokens
