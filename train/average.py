"""Averages checkpoints of one run, which does better on other data than any of them
(Izmailov et al. 2018, stochastic weight averaging).

    python average.py OUT.pt CHECKPOINT.pt…
"""

import sys

import torch


def main():
    out, paths = sys.argv[1], sys.argv[2:]
    states = [torch.load(p)["model"] for p in paths]
    torch.save({"model": {k: sum(s[k].float() for s in states) / len(states) for k in states[0]}}, out)


if __name__ == "__main__":
    main()
