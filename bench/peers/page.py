#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""docs/results-peers.md from the lines of run.py and of bench/outside/run.py:

    page.py bench/results/peers.jsonl bench/results/outside.jsonl > docs/results-peers.md

Means over seeds; the latest line of a seed counts. What was not measured is `-`.
"""
import json
import os
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.dirname(HERE))
import outside.page

TITLES = {"adult": "Adult (32,561 rows, 15 columns)",
          "characters": "Artificial Characters (7,152 rows, 7 numbers, 10 classes)"}
NAMES = {"real": "real rows", "real-cells": "real rows through the peers' cells", "real-1000": "1,000 real rows",
         "auto": "**ours**, `auto`", "pairs": "**ours**, `pairs`", "forest": "**ours**, `forest`",
         "marginals": "floor: columns within each class (`marginals`)", "mst": "dpsynth MST",
         "aim-gdp": "dpsynth AIM-GDP", "aim-gdp-4mb": "dpsynth AIM-GDP, models of 4 MB", "swift": "dpsynth SWIFT",
         "swift-1e5": "dpsynth SWIFT, cliques of 1e5 cells", "tab-pe": "Tab-PE"}
HEADER = ["epsilon", "method", "rows", "2-way / 3-way, 8 bins", "2-way / 3-way, 100 bins", "LR", "XGBoost",
          "random forest", "CPU s", "peak MB", "seeds"]


def read(path):
    """{(set, eps, method): [line per seed]}"""
    latest = {}
    with open(path, encoding="utf-8") as file:
        for text in file:
            line = json.loads(text)
            latest[line["set"], line["eps"], line["method"], line["seed"]] = line
    grouped = {}
    for (name, eps, method, _), line in latest.items():
        grouped.setdefault((name, eps, method), []).append(line)
    return grouped


def shown(lines, path, digits):
    """The mean over seeds of what path names, without the leading zero."""
    values = []
    for line in lines:
        for name in path:
            line = line.get(name) if isinstance(line, dict) else None
        if line is not None:
            values.append(line)
    if not values:
        return "-"
    text = f"{statistics.fmean(values):.{digits}f}"
    return text.removeprefix("0") if text.startswith("0.") else text


def seconds_of(lines):
    times = [line["cpu_seconds"] for line in lines if "cpu_seconds" in line]
    return f"{statistics.fmean(times):.2g}" if times and max(times) < 1 else shown(lines, ["cpu_seconds"], 1)


def pair(lines, first, second, digits):
    return f"{shown(lines, first, digits)} / {shown(lines, second, digits)}"


def row(eps, method, lines):
    stopped = [line for line in lines if line.get("ended") is False]
    if stopped:
        seconds = shown(stopped, ["cpu_seconds"], 0)
        figures = ["-", f"did not end in {seconds} s", "-", "-", "-", "-", f"> {seconds}"]
        return [eps or "-", NAMES[method], *figures, shown(stopped, ["peak_mb"], 0), len(lines)]
    rows = sorted({line["rows"] for line in lines})
    return [eps or "-", NAMES[method], "-".join(f"{count:,}" for count in dict.fromkeys((rows[0], rows[-1]))),
            pair(lines, ["tvd_2way"], ["tvd_3way"], 4), pair(lines, ["tvd_2way_equal100"], ["tvd_3way_equal100"], 3),
            *(pair(lines, [model, "auc"], [model, "accuracy"], 3) for model in ("lr", "xgb", "rf")),
            seconds_of(lines), shown(lines, ["peak_mb"], 0), len(lines)]


def table(grouped, name):
    order = list(NAMES)
    keys = sorted((key for key in grouped if key[0] == name), key=lambda key: (float(key[1] or 0), order.index(key[2])))
    out = ["| " + " | ".join(HEADER) + " |", "|" + "---|" * len(HEADER)]
    out += ["| " + " | ".join(str(cell) for cell in row(key[1], key[2], grouped[key])) + " |" for key in keys]
    return "\n".join(out)


def main():
    grouped = read(sys.argv[1])
    with open(os.path.join(HERE, "page.md"), encoding="utf-8") as file:
        text = file.read()
    for name in TITLES:
        text = text.replace(f"<!-- {name} -->", f"## {TITLES[name]}\n\n{table(grouped, name)}")
    print(text.replace("<!-- outside -->", outside.page.section(sys.argv[2])), end="")


if __name__ == "__main__":
    main()
