#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of the largest cluster as bars.

chart.py FIGURES.json FILE.svg
"""
import json
import sys
from pathlib import Path
from xml.sax.saxutils import escape

from summary import ratio

WIDTH, LABELS, GAP = 880, 190, 18
TOP, BAR, ROW, BOTTOM = 92, 11, 34, 30
VALUE = 78  # Room for the number behind the longest bar.
PANELS = [("drain", "pods bound per second", 0), ("cpu", "scheduler CPU, ms per pod", 2), ("p99", "creation to binding, p99 ms", 0)]
PEERS = (("kube-scheduler", "theirs"), ("berth", "ours"))
STYLE = """
    .back { fill: #ffffff }
    .value, .key { fill: #40566a }
    text { font-size: 12px }
    .title { fill: #16293a; font-size: 15px; font-weight: 600 }
    .panel { fill: #16293a; font-weight: 600 }
    .row { fill: #16293a; text-anchor: end }
    .value { font-size: 10.5px }
    .better { fill: #1f5687; font-weight: 600 }
    .theirs { fill: #a9b8c6 }
    .ours { fill: #2f6fa8 }
    .axis { stroke: #d5dee6 }
    @media (prefers-color-scheme: dark) {
      .back { fill: #0d1117 }
      .value, .key { fill: #a3b3c2 }
      .title, .panel, .row { fill: #e3ebf2 }
      .better { fill: #8cc3f2 }
      .theirs { fill: #596877 }
      .ours { fill: #5fa8e6 }
      .axis { stroke: #2b3642 }
    }"""


def text(x, y, content, kind="value", behind=""):
    """`behind` follows in the style of a ratio."""
    more = f'<tspan dx="5" class="better">{escape(behind)}</tspan>' if behind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}">{escape(content)}{more}</text>'


def bar(x, y, width, kind):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{BAR}" rx="1.5" class="{kind}"/>'


def number(value, decimals):
    # Small figures keep two digits.
    return f"{value:,.{decimals if value >= 10 or decimals else 1}f}"


def scale(figures):
    """What the longest bar stands for. Two rows may have longer ones, which are cut: else they would flatten all others."""
    longest = sorted((max(values[peer] or 0 for peer, _ in PEERS) for values in figures), reverse=True)
    usual = longest[min(2, len(longest) - 1)]
    return (longest[0] if longest[0] < 3 * usual else usual) or 1


def panel(rows, key, heading, decimals, x, width):
    """One column of bars, all on one scale from zero."""
    yield text(x, TOP - 14, heading, "panel")
    yield f'<line x1="{x}" y1="{TOP - 4}" x2="{x}" y2="{TOP + len(rows) * ROW - 4}" class="axis"/>'
    figures = [row["figures"][key] for row in rows]
    whole = scale(figures)
    for i, values in enumerate(figures):
        for j, (peer, kind) in enumerate(PEERS):
            y = TOP + i * ROW + j * (BAR + 2)
            if values[peer] is None:
                continue
            length = max(1.0, (width - VALUE) * min(1.0, values[peer] / whole))
            yield bar(x, y, length, kind)
            if values[peer] > whole:
                cut = x + length - 14
                yield f'<path d="M{cut:.1f},{y + BAR} l5,-{BAR} h4 l-5,{BAR} z" class="back"/>'
            yield text(x + length + 5, y + BAR - 1.5, number(values[peer], decimals), "value",
                       ratio(values["ratio"]) if kind == "ours" and values["ratio"] else "")


def parts(report):
    size = max(row["nodes"] for row in report["summary"])
    rows = [row for row in report["summary"] if row["nodes"] == size]
    height = TOP + len(rows) * ROW + BOTTOM
    title = f"Against the same kube-apiserver, {size:,} nodes"
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="system-ui, sans-serif" role="img" '
           f'aria-label="{escape(title)}: kube-scheduler and Berth compared">')
    yield f"<style>{STYLE}\n</style>"
    yield f'<rect width="{WIDTH}" height="{height}" class="back"/>'
    yield text(20, 30, title, "title")
    for x, (_, kind), name in zip((20, 160), PEERS, ("kube-scheduler", "Berth (times better)")):
        yield bar(x, 43, 22, kind)
        yield text(x + 28, 53, name, "key")
    for i, row in enumerate(rows):
        yield text(LABELS - 10, TOP + i * ROW + BAR + 5, row["title"], "row")
    width = (WIDTH - LABELS - 20 - 2 * GAP) / len(PANELS)
    for i, (key, heading, decimals) in enumerate(PANELS):
        yield from panel(rows, key, heading, decimals, LABELS + i * (width + GAP), width)
    about = report["environment"]
    yield text(20, height - 12, f"{about['cores']} cores of {about['processor']} for everything: scheduler, kube-apiserver, etcd and load; "
               f"{about['date'][:10]}", "value")
    yield "</svg>"


def write_chart(report, file):
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    Path(file).write_text("\n".join(parts(report)) + "\n")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write_chart(json.loads(Path(sys.argv[1]).read_text()), sys.argv[2])


if __name__ == "__main__":
    main()
