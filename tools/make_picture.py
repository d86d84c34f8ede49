#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The picture of the README, from what `make demo` left: single columns and pairs of columns, real beside synthetic, and the verdict of the report.

    make_picture.py DEMO_FOLDER SVG       for example: tools/make_picture.py build/demo docs/demo.svg

Its real half shows records: here they are made up, of private data it would be NOT PRIVATE.
"""
import csv
import html
import json
import math
import re
import sys
from pathlib import Path

REAL, SYNTHETIC, INK, SOFT = "#0072b2", "#d55e00", "#1d2329", "#5b646d"
COLUMNS = ("age", "ward", "days")
PAIRS = (("age", "blood_pressure"), ("days", "cost"))
BARS, CELLS, LEVELS = 22, 14, 7
WIDTH, PANEL, HIGH = 880, 250, 110


class Axis:
    """Bins of a column: its categories, or equal intervals of the range that holds 99 % of the real values."""

    def __init__(self, field, rows, bins):
        self.name = field["name"]
        self.whole = field["type"] == "integer"
        self.log = not self.whole and field.get("semblance", {}).get("transform") == "log"
        self.categories = field["constraints"].get("enum")
        if self.categories is None:
            values = sorted(self.number(row[self.name]) for row in rows if row[self.name])
            self.low, self.high = values[len(values) // 200], values[-1 - len(values) // 200]
            if self.whole:  # bins of equally many values
                each = math.ceil((self.high - self.low + 1) / bins)
                bins = math.ceil((self.high - self.low + 1) / each)
                self.high = self.low + bins * each
            self.bins = bins
        else:
            self.bins = len(self.categories)

    def number(self, text):
        return math.log1p(float(text)) if self.log else float(text)

    def bin(self, text):
        if self.categories is not None:
            return self.categories.index(text)
        place = (self.number(text) - self.low) / (self.high - self.low)
        return min(max(int(place * self.bins), 0), self.bins - 1)

    def ends(self):
        back = math.expm1 if self.log else float
        return f"{back(self.low):,.0f}", f"{back(self.high) - self.whole:,.0f}"


def shares(rows, *axes):
    counts = {}
    for row in rows:
        if all(row[axis.name] for axis in axes):
            place = tuple(axis.bin(row[axis.name]) for axis in axes)
            counts[place] = counts.get(place, 0) + 1
    return {place: count / len(rows) for place, count in counts.items()}


def text(x, y, words, size=12, colour=INK, anchor="start", weight="normal"):
    return (f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour}" text-anchor="{anchor}" font-weight="{weight}">'
            f"{html.escape(words)}</text>\n")


def column(axis, real, synthetic, x, y):
    """Bars of the real table, and next to each the bar of the synthetic one; of numbers a line over the bars."""
    one, two = shares(real, axis), shares(synthetic, axis)
    top, step = max([*one.values(), *two.values()]), PANEL / axis.bins
    height = lambda counts, place: HIGH * counts.get((place,), 0) / top
    parts = [text(x, y - 10, axis.name, weight="bold")]
    if axis.categories is None:
        bars = "".join(f"M{x + i * step:.1f} {y + HIGH}v{-height(one, i):.1f}h{step:.1f}V{y + HIGH}z" for i in range(axis.bins))
        line = "".join(f"{'L' if i else 'M'}{x + i * step:.1f} {y + HIGH - height(two, i):.1f}h{step:.1f}" for i in range(axis.bins))
        parts += [f'<path d="{bars}" fill="{REAL}" fill-opacity=".45"/>\n', f'<path d="{line}" fill="none" stroke="{SYNTHETIC}" stroke-width="2"/>\n']
        low, high = axis.ends()
        parts += [text(x, y + HIGH + 14, low, 11, SOFT), text(x + PANEL, y + HIGH + 14, high, 11, SOFT, "end")]
    else:
        for colour, counts, shift in ((REAL, one, 0.12), (SYNTHETIC, two, 0.5)):
            bars = "".join(f"M{x + (i + shift) * step:.1f} {y + HIGH}v{-height(counts, i):.1f}h{0.38 * step:.1f}V{y + HIGH}z" for i in range(axis.bins))
            parts.append(f'<path d="{bars}" fill="{colour}" fill-opacity="{0.45 if shift < 0.3 else 0.85}"/>\n')
        parts += [text(x + (i + 0.5) * step, y + HIGH + 14, words, 9, SOFT, "middle") for i, words in enumerate(axis.categories)]
    return "".join(parts) + f'<path d="M{x} {y + HIGH}h{PANEL}" stroke="{SOFT}"/>\n'


def field(counts, top, axes, x, y, side, words, colour):
    """A pair of columns: the darker a cell, the more rows are in it."""
    wide, high, levels = side / axes[0].bins, side / axes[1].bins, {}
    for (across, up), share in sorted(counts.items()):
        levels.setdefault(min(LEVELS, math.ceil(LEVELS * math.sqrt(min(share / top, 1)))), []).append((across, up))
    cell = f"h{wide:.1f}v{-high:.1f}h{-wide:.1f}z"
    parts = [f'<path d="M{x} {y}h{side}v{side}h{-side}z" fill="none" stroke="#d6dade"/>\n']
    for level, places in sorted(levels.items()):
        marks = "".join(f"M{x + across * wide:.1f} {y + side - up * high:.1f}{cell}" for across, up in places)
        parts.append(f'<path d="{marks}" fill="{colour}" fill-opacity="{level / LEVELS:.2f}"/>\n')
    return "".join(parts) + text(x, y - 8, words, 12, colour, weight="bold") + text(x + side, y + side + 14, f"{axes[0].name} \u2192", 10, SOFT, "end")


def pair(fields, names, real, synthetic, x, y):
    axes = [Axis(fields[name], real, CELLS) for name in names]
    one, two = shares(real, *axes), shares(synthetic, *axes)
    top, side = max(one.values()), 190
    return (text(x, y - 26, f"{names[0]} and {names[1]}", weight="bold") + field(one, top, axes, x, y, side, "real", REAL) +
            field(two, top, axes, x + side + 20, y, side, "synthetic", SYNTHETIC))


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main(folder, output):
    folder, root = Path(folder), Path(__file__).resolve().parent.parent
    real, synthetic = read(folder / "patients.csv"), read(folder / "synthetic.csv")
    fields = {entry["name"]: entry for entry in json.loads((root / "examples/clinic.json").read_text())["fields"]}
    verdict = re.search(r'<p class="lead"><strong>([^<]*)</strong>', (folder / "report.html").read_text())
    if verdict is None:
        sys.exit(f"make_picture: {folder / 'report.html'} has no verdict; run make demo")
    words = html.unescape(verdict.group(1))
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} 500" font-family="system-ui,sans-serif" role="img">\n',
             "<title>A made-up clinic: real beside synthetic</title>\n", f'<rect width="{WIDTH}" height="500" fill="#fff"/>\n',
             text(24, 32, f"{len(real):,} made-up patients, and {len(synthetic):,} synthetic ones at epsilon 1", 16, weight="bold"),
             f'<rect x="610" y="20" width="14" height="14" fill="{REAL}" fill-opacity=".45"/>\n', text(630, 32, "real"),
             f'<rect x="680" y="20" width="14" height="14" fill="{SYNTHETIC}" fill-opacity=".85"/>\n', text(700, 32, "synthetic")]
    for number, name in enumerate(COLUMNS):
        parts.append(column(Axis(fields[name], real, BARS), real, synthetic, 24 + number * (PANEL + 41), 74))
    for number, names in enumerate(PAIRS):
        parts.append(pair(fields, names, real, synthetic, 24 + number * 432, 254))
    parts.append(text(24, 486, f"Verdict: {words}", 14, weight="bold"))
    Path(output).write_text("".join(parts) + "</svg>\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
