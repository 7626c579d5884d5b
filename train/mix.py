"""What the network is shown: an endless, reproducible mix of given and made rows."""

import random
from collections import defaultdict

import augment
from rows import held_out

# How often a row of a set is shown, over how many it has: less of what is narrow, of
# one style, or poorly judged.
SHARE = {"friendsqa": 0.2, "fairytaleqa": 0.5, "medquad": 0.5, "squad1_train_sent": 0.5, "selqa": 0.7, "liveqa_med": 0.5,
         "squad1_train_part": 1.5, "nq_oracle": 1.3, "timeqa_human": 1.5, "mnli_dev": 0.8, "snli_dev": 0.6, "fever": 0.7,
         "qa_derived": 0.5, "condaqa": 0.7, "summedits": 1.5, "scifact": 1.5, "foolmetwice": 1.3, "propsegment": 1.5}


class Mix:
    def __init__(self, rows, seed):
        self.seed = seed
        self.rows = [r for r in rows if not held_out(r.group)]
        self.weights = [SHARE.get(r.source, 1.0) for r in self.rows]
        self.names = augment.Names(self.rows)
        self.passages = augment.Passages(self.rows)
        self.support = [r for r in self.rows if r.task == "support"]
        by_source = defaultdict(list)
        for r in self.support:
            by_source[r.source].append(r)
        self.by_source = by_source
        self.gathered = [r for r in self.rows if r.label == 1 and r.source in augment.Passages.SETS and r.task == "answer"]

    def chunk(self, number, size):
        """The rows of one chunk; the same number gives the same rows."""
        rng = random.Random(f"{self.seed}/{number}")
        drawn = rng.choices(self.rows, self.weights, k=int(size * 0.84))
        drawn += rng.choices(self.gathered, k=size - len(drawn))
        return [self.made(r, rng) for r in drawn]

    def made(self, row, rng):
        """The row, or at times a hard one made from it."""
        if row.task == "answer":
            if rng.random() < 0.6:
                row = self.passages.around(row, rng) or row
            if row.label == 1 and rng.random() < 0.35:
                way = self.names.other_question if rng.random() < 0.6 else augment.without_the_answer
                return way(row, rng) or row
            return row
        if row.label == 0 and rng.random() < 0.25:
            row = self.names.other_claim(row, rng) or row
        elif rng.random() < 0.3:
            other = rng.choice(self.by_source[row.source])
            way = augment.joined if rng.random() < 0.5 else augment.surrounded
            row = way(row, other, rng) or row
        return row
