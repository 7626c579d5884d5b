"""Hard rows made from given ones.

What the given rows don't teach is to tell "on topic" from "answers", and long claims
of several parts. Every function takes a row and a random source and returns a new
row, or None where the row doesn't lend itself to it.
"""

import random
import re
from collections import defaultdict
from dataclasses import replace

from rows import Row, sentences

NAME = re.compile(r"(?<![.!?\"“] )(?<!^)\b[A-Z][a-z]{2,}(?: (?:of |the |de |van )?[A-Z][a-z]+)*")
NUMBER = re.compile(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?(?![\w-])")
OPPOSITES = [("first", "last"), ("highest", "lowest"), ("largest", "smallest"), ("before", "after"), ("increase", "decrease"),
             ("more", "less"), ("most", "least"), ("oldest", "youngest"), ("longest", "shortest"), ("maximum", "minimum"),
             ("always", "never"), ("above", "below"), ("north", "south"), ("east", "west"), ("won", "lost"), ("begin", "end"),
             ("early", "late"), ("old", "new"), ("best", "worst"), ("high", "low"), ("large", "small"), ("male", "female"),
             ("with", "without"), ("inside", "outside"), ("open", "closed"), ("all", "none"), ("former", "current")]
OPPOSITE = {a: b for pair in OPPOSITES for a, b in (pair, pair[::-1])}


class Passages:
    """Passages put together from the single sentences of one document, as three sets
    label them, with the sentence that answers or without it."""

    SETS = {"squad1_train_sent", "selqa", "qamr"}

    def __init__(self, rows):
        self.of = defaultdict(list)
        for r in rows:
            if r.source in self.SETS and r.task == "answer":
                self.of[r.group].append(r.second)
        for group, texts in self.of.items():
            self.of[group] = list(dict.fromkeys(texts))

    def around(self, row: Row, rng: random.Random, with_it: bool) -> Row:
        if row.source not in self.SETS or row.label != 1:
            return None
        words = set(row.second.lower().split())
        others = [s for s in self.of[row.group] if s != row.second and len(words & set(s.lower().split())) < 0.6 * len(words)]
        if len(others) < 2:
            return None
        picked = rng.sample(others, min(len(others), rng.randint(2, 6)))
        if with_it:
            picked.insert(rng.randint(0, len(picked)), row.second)
        text, gold = "", []
        for s in picked:
            start = len(text) + (1 if text else 0)
            text += (" " if text else "") + s
            if with_it and s == row.second:
                gold.append((start, len(text)))
        return replace(row, second=text, label=int(with_it), sentences=gold, located=True, span=None)


def without_the_answer(row: Row, rng) -> Row:
    """The passage less the sentences that hold the answer: on topic, and no help."""
    if row.task != "answer" or row.label != 1 or not row.span or not row.sentences or row.multi:
        return None
    answer = row.second[row.span[0]:row.span[1]].lower()
    kept = [row.second[a:b] for a, b in sentences(row.second) if (a, b) not in row.sentences]
    text = " ".join(kept)
    if len(text) < 100 or answer in text.lower():
        return None
    return replace(row, second=text, label=0, sentences=[], located=True, span=None)


class Names:
    """Names and numbers of all questions, to put in another's place."""

    def __init__(self, rows):
        seen = set()
        for r in rows:
            if r.task == "answer":
                seen.update(NAME.findall(r.first))
        self.all = sorted(seen)

    def like(self, name: str, rng, text: str) -> str:
        """Another name, of the text itself where it has one."""
        near = [n for n in NAME.findall(text) if n != name and n not in name and name not in n]
        for _ in range(8):
            other = rng.choice(near) if near and rng.random() < 0.6 else rng.choice(self.all)
            if other.lower() not in name.lower() and name.lower() not in other.lower():
                return other
        return None

    def other_question(self, row: Row, rng) -> Row:
        """The question of another entity, year or opposite: the passage looks as if it
        answered it."""
        if row.task != "answer" or row.label != 1 or row.multi:
            return None
        question = self.altered(row.first, row.second, rng)
        if not question:
            return None
        return replace(row, first=question, label=0, sentences=[], located=True, span=None)

    def altered(self, text: str, other: str, rng) -> str:
        """A text of which one name, number or word is exchanged; None where there is
        none to exchange."""
        ways = []
        for m in NAME.finditer(text):
            ways.append((m, None))
        for m in NUMBER.finditer(text):
            ways.append((m, nearby(m.group(), rng)))
        for m in re.finditer(r"\w+", text):
            if m.group().lower() in OPPOSITE:
                ways.append((m, OPPOSITE[m.group().lower()]))
        rng.shuffle(ways)
        for m, new in ways:
            new = new or self.like(m.group(), rng, other)
            if new and new != m.group():
                return text[:m.start()] + new + text[m.end():]
        return None

    def other_claim(self, row: Row, rng) -> Row:
        """A claim of another name or number than the evidence has, or denied."""
        if row.task != "support" or row.label != 0:
            return None
        if rng.random() < 0.3:
            claim = denied(row.first, rng)
            return claim and replace(row, first=claim, label=2)
        claim = self.altered(row.first, row.second, rng)
        return claim and replace(row, first=claim, label=1, two_way=True)


def nearby(number: str, rng) -> str:
    """Another number of the same form."""
    digits = [i for i, c in enumerate(number) if c.isdigit()]
    for _ in range(10):
        i = rng.choice(digits)
        d = rng.choice("123456789" if i == digits[0] else "0123456789")
        if number[i] != d:
            return number[:i] + d + number[i + 1:]
    return None


def denied(claim: str, rng) -> str:
    for verb in (" is ", " was ", " are ", " were ", " has ", " had ", " can ", " will ", " must "):
        if claim.count(verb) == 1 and " not " not in claim and " no " not in claim and not claim.startswith("Question:"):
            return claim.replace(verb, verb + "not ")
    return None


def surrounded(row: Row, other: Row, rng) -> Row:
    """The evidence among sentences of other evidence: the label stays."""
    if row.task != "support" or len(row.second) + len(other.second) > 1500:
        return None
    parts = [row.second, other.second]
    rng.shuffle(parts)
    return replace(row, second=" ".join(parts))


def joined(row: Row, other: Row, rng) -> Row:
    """Two claims in one, on the evidence of both: supported only if both are."""
    plain = row.task == other.task == "support" and not row.first.startswith("Question:") and not other.first.startswith("Question:")
    if not plain or len(row.second) + len(other.second) > 1500 or len(row.first) + len(other.first) > 400:
        return None
    a, b = row.first.rstrip(" ."), other.first.strip()
    if row.label == other.label == 0:
        label, two_way = 0, False
    else:
        label, two_way = 1, True
    parts = [row.second, other.second]
    rng.shuffle(parts)
    return replace(row, first=a + rng.choice([", and ", ". ", "; "]) + b, second=" ".join(parts), label=label, two_way=two_way)
