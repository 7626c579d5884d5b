"""Labelled rows: where they come from, and what the network is asked of each.

A row asks one of two questions. `answer`: does this passage help to answer the
question, and where in it does the answer stand? `support`: does this evidence carry
the claim? Positions are characters of the second text.
"""

import glob
import gzip
import hashlib
import json
import os
import re
from dataclasses import dataclass, field

SUPPORT = {"supported": 0, "neutral": 1, "contradicted": 2}


@dataclass
class Row:
    task: str  # "answer" or "support"
    first: str  # the question, or the claim
    second: str  # the passage, or the evidence
    label: int  # answer: 1 helps, 0 doesn't; support: an index of SUPPORT
    source: str
    group: str
    multi: bool = False  # helps, and is not enough alone
    two_way: bool = False  # upstream only says "not supported"
    way: str = ""  # how a negative was made
    sentences: list = field(default_factory=list)  # gold: (start, end), where known
    located: bool = False  # sentences are all that answer (none, of a negative)
    span: tuple = None  # the answer itself, where known


def held_out(group: str) -> bool:
    """One group in twenty is for validation; a group is never divided."""
    return hashlib.sha256(group.encode()).digest()[0] < 13


def read(folder: str) -> list:
    rows = []
    for path in sorted(glob.glob(os.path.join(folder, "answer", "*.jsonl.gz"))):
        with gzip.open(path, "rt") as f:
            rows += [_answer(json.loads(line)) for line in f]
    for path in sorted(glob.glob(os.path.join(folder, "support", "*.jsonl.gz"))):
        with gzip.open(path, "rt") as f:
            for line in f:
                r = json.loads(line)
                rows.append(Row("support", r["claim"], r["evidence"], SUPPORT[r["label"]], r["set"],
                                f"{r['set']}/{r.get('grp') or r['evidence']}", two_way=bool(r.get("two_way"))))
    return rows


def _answer(r: dict) -> Row:
    row = Row("answer", r["q"], r["p"], int(r["label"]), r["set"], f"{r['set']}/{r.get('grp') or r['q']}", multi=bool(r.get("multi")), way=r.get("neg") or "")
    if row.label == 0:
        row.located = True
        return row
    answers = r.get("answer") or []
    answers = [a for a in (answers if isinstance(answers, list) else [answers]) if isinstance(a, str)]
    if r.get("sent"):
        row.located, row.sentences = True, [(0, len(row.second))]
    row.span = locate(row.second, answers)
    if row.span and not r.get("sent"):
        holding = [s for s in sentences(row.second) if any(found(row.second[s[0]:s[1]], a) for a in answers)]
        if holding and len(holding) <= 2:  # in more of them the answer stands by chance
            row.located, row.sentences = True, holding
    return row


def found(text: str, answer: str) -> re.Match:
    answer = answer.strip()
    if len(answer) < 2 or answer.lower() in ("yes", "no"):
        return None
    return re.search(r"(?<!\w)" + re.escape(answer) + r"(?!\w)", text, re.IGNORECASE)


def locate(text: str, answers: list) -> tuple:
    """The first place of an answer that stands once or twice; None where none does."""
    for a in answers:
        if m := found(text, a):
            if len(re.findall(re.escape(a.strip()), text, re.IGNORECASE)) <= 2:
                return m.span()
    return None


END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]?[A-Z0-9])")


def sentences(text: str) -> list:
    """Spans of sentences, roughly: training needs no better."""
    out, start = [], 0
    for m in END.finditer(text):
        if m.start() - start >= 20:
            out.append((start, m.start()))
            start = m.end()
    if text[start:].strip():
        out.append((start, len(text)))
    return out
