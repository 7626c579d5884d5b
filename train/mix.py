"""What the network is shown: an endless, reproducible mix of given and made rows."""

import random
from collections import defaultdict

import augment
from rows import held_out

# How often a row of a set is shown, over how many it has: less of what is narrow, of
# one style, or poorly judged.
SHARE = {"friendsqa": 0.2, "fairytaleqa": 0.4, "medquad": 0.4, "squad1_train_sent": 0.2, "selqa": 0.5, "liveqa_med": 0.5,
         "squad1_train_part": 1.0, "nq_oracle": 1.0, "timeqa_human": 1.5, "mnli_dev": 0.8, "snli_dev": 0.6, "fever": 0.7,
         "qa_derived": 0.5, "condaqa": 0.7, "summedits": 1.5, "scifact": 1.5, "foolmetwice": 1.3, "propsegment": 1.5}

# A negative from another document is easy: words alone tell it. What is hard is the
# same subject without the answer.
EASY = 0.7
EASY_WAYS = ("bm25", "distractor", "retrieved")

# The parts of a chunk: contrasts are a positive and a negative made of it, side by side.
CONTRASTS, SUPPORT = 0.3, 0.35


class Mix:
    def __init__(self, rows, seed):
        self.seed = seed
        rows = [r for r in rows if not held_out(r.group)]
        self.rows = rows
        self.names = augment.Names(rows)
        self.passages = augment.Passages(rows)
        self.support = [r for r in rows if r.task == "support"]
        self.answers = [r for r in rows if r.task == "answer"]
        self.support_weights = [SHARE.get(r.source, 1.0) for r in self.support]
        self.answer_weights = [SHARE.get(r.source, 1.0) * (EASY if r.label == 0 and r.way in EASY_WAYS else 1.0) for r in self.answers]
        self.by_source = defaultdict(list)
        for r in self.support:
            self.by_source[r.source].append(r)
        self.contrasted = [r for r in self.answers if r.label == 1 and not r.multi and (r.source in augment.Passages.SETS or r.span)]
        self.contrast_weights = [{"fairytaleqa": 0.3, "qamr": 0.6, "squad1_train_part": 2.0, "nq_oracle": 2.0, "timeqa_human": 2.0}.get(r.source, 1.0)
                                 for r in self.contrasted]

    def chunk(self, number, size):
        """The rows of one chunk; the same number gives the same rows."""
        rng = random.Random(f"{self.seed}/{number}")
        out = []
        while len(out) < size * CONTRASTS:
            out += self.contrast(rng.choices(self.contrasted, self.contrast_weights)[0], rng)
        for r in rng.choices(self.support, self.support_weights, k=int(size * SUPPORT)):
            out.append(self.made(r, rng))
        out += rng.choices(self.answers, self.answer_weights, k=size - len(out))
        return out

    def contrast(self, row, rng):
        """A passage that answers, and one that nearly does."""
        good = self.passages.around(row, rng, True) or row
        ways = [lambda: self.passages.around(row, rng, False), lambda: self.names.other_question(good, rng),
                lambda: augment.without_the_answer(row, rng)]
        rng.shuffle(ways)
        for way in ways:
            if bad := way():
                return [good, bad]
        return [good]

    def made(self, row, rng):
        """The claim, or at times a hard one made from it."""
        if row.label == 0 and rng.random() < 0.25:
            return self.names.other_claim(row, rng) or row
        if rng.random() < 0.35:
            other = rng.choice(self.by_source[row.source])
            way = augment.joined if rng.random() < 0.5 else augment.surrounded
            return way(row, other, rng) or row
        return row
