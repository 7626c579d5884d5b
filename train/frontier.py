"""Draws accuracy against time: a line a set, a point a system.

    python frontier.py OUT.svg FILE.json…

The files are reports on test parts, as `assay eval gate --json` and `assay eval support --json`
print them, with the systems words, cosine and builtin. To compare networks, give the
reports on each and name them: NAME=FILE.json stands for the report's built-in system.
"""

import json
import math
import sys
from html import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 400, 60, 170, 20, 60
COLOURS = ["#0b6e99", "#b3541e", "#4d7c0f", "#7e4ea6", "#a01c5b", "#5b5b5b"]


SHOWN = {"builtin": "the network, the cosine and the words", "words": "the words", "cosine": "the cosine"}


def read(args):
    """points[set] = [(milliseconds, AUROC, system)]"""
    points = {}
    for a in args:
        name, _, path = a.rpartition("=")
        report = json.load(open(path))
        line = points.setdefault(f"{report['set']}, {report['task']}", [])
        for s in report["systems"]:
            if s["name"] == "builtin" or not name and s["name"] in SHOWN:
                line.append((s["ms"], s["auroc"]["value"], name or SHOWN[s["name"]]))
    return points


def drawing(points):
    times = [ms for line in points.values() for ms, _, _ in line]
    low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
    least = math.floor(10 * min(y for line in points.values() for _, y, _ in line)) / 10

    def x(ms):
        return LEFT + (math.log10(ms) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(auroc):
        return HEIGHT - BOTTOM - (auroc - least) / (1 - least) * (HEIGHT - TOP - BOTTOM)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           '<title>AUROC against milliseconds a passage or claim</title>', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    for power in range(low, high + 1):
        out.append(f'<path d="M{x(10 ** power):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>'
                   f'<text x="{x(10 ** power):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{10.0 ** power:g}</text>')
    for k in range(round((1 - least) * 10) + 1):
        at = least + k / 10
        out.append(f'<path d="M{LEFT} {y(at):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/><text x="{LEFT - 8}" y="{y(at) + 4:.1f}" text-anchor="end">{at:.1f}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 20}" text-anchor="middle">milliseconds a passage or claim, two cores</text>'
               f'<text x="16" y="{HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 16 {HEIGHT / 2})">AUROC</text>')
    labels = []
    for (name, line), colour in zip(sorted(points.items()), COLOURS):
        line.sort()
        out.append(f'<path d="M{"L".join(f"{x(ms):.1f} {y(a):.1f}" for ms, a, _ in line)}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for ms, a, size in line:
            out.append(f'<circle cx="{x(ms):.1f}" cy="{y(a):.1f}" r="4" fill="{colour}"><title>{escape(size)}: {a:.3f}, {ms:.1f} ms</title></circle>')
        labels.append([y(line[-1][1]), name, colour])
    labels.sort()
    for above, label in zip(labels, labels[1:]):  # none on another
        label[0] = max(label[0], above[0] + 15)
    out += [f'<text x="{WIDTH - RIGHT + 10}" y="{at + 4:.1f}" fill="{colour}">{escape(name)}</text>' for at, name, colour in labels]
    return "\n".join(out + ["</svg>", ""])


if __name__ == "__main__":
    open(sys.argv[1], "w").write(drawing(read(sys.argv[2:])))
