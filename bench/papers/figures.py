#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every figure of the results pages has a stored line: what figures.json says is held against the lines themselves.

    figures.py ROOT             check; one line for each figure without a stored line
    figures.py ROOT --retell    append to bench/results/retold.jsonl what older pages say and no line holds

figures.json lists pages. A page that a script makes must be what the script makes ("made_by"; FOLDER is a folder that it writes
to). Of any other page every table
under the listed headings, or every table where none is listed, must be listed under "tables" by its heading and its number there:
  rows      {first cell: {field of a line: value or list of values}}: the lines that hold the row's figures
  where     the same for every row that is not under "rows"
  file      where these lines are; paths: which of their numbers count (dots lead inwards, * is every name)
  scale     what a line's number is multiplied with (100 for per cent); scaled: {path: scale} instead of paths and scale
  skip      columns and rows that hold no measurement of ours: what was asked, what papers say, settings
  command   what measured the table, for rows that are retold
A figure is a number of a line, the mean or the standard deviation of the lines that differ by seed or fold alone, half the width of
their 95 % interval, or the part of the lines with "method": "real", to the digits that the page prints. A row that is not
under "rows" must be retold: a line of bench/results/retold.jsonl with the row's own words, "retold": true, the commit of the
page it is from and the command. Such a figure was measured before lines were stored, and cannot be checked any further.
"""
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

RETOLD = "bench/results/retold.jsonl"
NUMBER = re.compile(r"(?<![\w.,])-?(?:\d[\d,]*)?\.?\d+(?:e-?\d+)?(?![\w]*[A-Za-z_])")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def lines_of(path):
    return [json.loads(text) for text in read(path).splitlines() if text.strip()]


def tables_of(text):
    """[(heading, number of the table under it, [row of cells])], the first row being the header."""
    found, heading, table, fenced = [], "", None, False
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        if not fenced and line.startswith("#"):
            heading = line.lstrip("# ").strip()
        if not fenced and line.startswith("|"):
            if table is None:
                table = []
                found.append((heading, 1 + sum(known == heading for known, _, _ in found), table))
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
                table.append(cells)
        else:
            table = None
    return found


def numbers_of(cell):
    """The numbers that a cell shows, as text; what is in code, a link or a name is none."""
    plain = re.sub(r"`[^`]*`|\]\([^)]*\)|±", " ", cell).replace("**", "")
    return [match.group().replace(",", "") for match in NUMBER.finditer(plain)]


def leaves(line, path):
    """[(path without stars, number)] of a line."""
    found = [("", line)]
    for name in path.split("."):
        found = [(f"{at}.{key}", inner[key]) for at, inner in found if isinstance(inner, dict)
                 for key in (inner if name == "*" else [name]) if key in inner]
    return [(at, value) for at, value in found if isinstance(value, (int, float)) and not isinstance(value, bool)]


def chosen(lines, wanted):
    fits = lambda line, key, value: line.get(key) in value if isinstance(value, list) else line.get(key) == value
    return [line for line in lines if all(fits(line, key, value) for key, value in wanted.items())]


def values_of(lines, paths):
    """Numbers of the lines; of those that differ by seed alone also mean and deviation; parts of real ones."""
    found, means, real = [], [], {}
    series = {}
    for line in lines:
        whole = {**line, "set": re.sub(r"-\d+$", "", line.get("set") or "")}  # cervical-1: a fold of cervical
        kind = json.dumps({key: whole.get(key) for key in ("bench", "set", "method", "eps", "epsilon", "neighbours", "options", "delta",
                                                           "part", "dimensions", "noise", "limits", "setting", "trained_on", "step")})
        for path, value in (pair for path in paths for pair in leaves(line, path)):
            series.setdefault((kind, path, line.get("method") == "real"), {})[line.get("set"), line.get("seed")] = value
            found.append(value)
    for (_, path, is_real), by_seed in series.items():
        values = list(by_seed.values())
        mean = statistics.fmean(values)
        if is_real:
            real[path] = mean
        means.append((path, mean))
        found.append(mean)
        if len(values) > 1:
            deviation = statistics.stdev(values)
            found += [deviation, 1.96 * deviation / math.sqrt(len(values))]
    found += [mean / real[path] for path, mean in means if real.get(path)]
    return found


def shows(text, value):
    """True where a number is what a text prints, to its digits."""
    digits = len(text.split("e")[0].split(".")[1]) if "." in text else 0
    if "e" in text:
        return math.isclose(float(text), value, rel_tol=0.05)
    return abs(float(text) - value) <= 0.5000001 * 10.0 ** -digits


def retold_key(page, heading, number, row):
    return page, heading, number, " | ".join(row)


class Check:
    def __init__(self, root):
        self.root, self.problems, self.untold, self.count = root, [], [], 0
        self.retold = set()
        path = os.path.join(root, RETOLD)
        for line in lines_of(path) if os.path.exists(path) else []:
            if line.get("retold") is not True or not line.get("source") or "command" not in line:
                self.problems.append(f"{RETOLD}: a line does not say retold, source and command")
            self.retold.add((line["page"], line["heading"], line["table"], line["row"]))

    def made(self, page, words):
        """A page that a script makes is what it makes."""
        with tempfile.TemporaryDirectory() as folder:
            place = lambda word: folder if word == "FOLDER" else word if word.startswith("--") else os.path.join(self.root, word)
            answer = subprocess.run([sys.executable, *map(place, words)], capture_output=True, text=True, check=False,
                                    env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
            written = os.path.join(folder, os.path.basename(page))
            made = read(written) if os.path.exists(written) else answer.stdout
        if answer.returncode != 0 or made != read(os.path.join(self.root, page)):
            self.problems.append(f"{page} is not what {' '.join(words)} makes: make it anew")
        self.count += 1

    def row(self, page, heading, number, table, header, row):
        skipped = set(table.get("skip", []))
        if row[0] in skipped:
            return
        shown = [(title, text) for title, cell in list(zip(header, row))[1:] if title not in skipped for text in numbers_of(cell)]
        if not shown:
            return
        self.count += len(shown)
        wanted = table.get("rows", {}).get(row[0], table.get("where"))
        if wanted is None:
            if retold_key(page, heading, number, row) not in self.retold:
                self.untold.append((page, heading, number, table, row))
                self.problems.append(f"{page}: {heading}: the row '{row[0]}' has no stored line")
            return
        lines = chosen(self.lines(table["file"]), wanted)
        scales = table.get("scaled") or dict.fromkeys(table["paths"], table.get("scale", 1))
        values = [value * scale for scale in set(scales.values())
                  for value in values_of(lines, [path for path in scales if scales[path] == scale])]
        for title, text in shown:
            if not any(shows(text, value) for value in values):
                self.problems.append(f"{page}: {heading}: {row[0]}: {title}: no line of {table['file']} holds {text}")

    def lines(self, file):
        if not hasattr(self, "kept"):
            self.kept = {}
        if file not in self.kept:
            self.kept[file] = lines_of(os.path.join(self.root, file))
        return self.kept[file]

    def page(self, entry):
        page = entry["page"]
        if "made_by" in entry:
            return self.made(page, entry["made_by"])
        known = {(table["heading"], table.get("number", 1)): table for table in entry["tables"]}
        found = set()
        for heading, number, rows in tables_of(read(os.path.join(self.root, page))):
            if "headings" in entry and heading not in entry["headings"]:
                continue
            found.add((heading, number))
            table = known.get((heading, number))
            if table is None:
                self.problems.append(f"{page}: {heading}: table {number} is not in bench/papers/figures.json")
                continue
            for row in rows[1:]:
                self.row(page, heading, number, table, rows[0], row)
        self.problems += [f"{page} has no table {number} under '{heading}'" for heading, number in known if (heading, number) not in found]
        return None


def retell(check):
    """Append what pages say and no line holds, with the commit in which the page came to say it."""
    with open(os.path.join(check.root, RETOLD), "a", encoding="utf-8") as file:
        for page, heading, number, table, row in check.untold:
            line = next(n for n, text in enumerate(read(os.path.join(check.root, page)).splitlines(), 1)
                        if text.startswith("|") and [c.strip() for c in re.split(r"(?<!\\)\|", text)[1:-1]] == row)
            blame = subprocess.run(["git", "-C", check.root, "blame", "-s", "-l", "-L", f"{line},{line}", "--", page], capture_output=True,
                                   text=True, check=True).stdout.split()[0].lstrip("^")
            day = subprocess.run(["git", "-C", check.root, "show", "-s", "--format=%cs", blame], capture_output=True, text=True,
                                 check=True).stdout.strip()
            told = {"notice": "NOT PRIVATE: computed from real records", "retold": True, "page": page, "heading": heading, "table": number,
                    "row": " | ".join(row), "source": f"{page} at commit {blame[:12]}", "day": day, "command": table.get("command")}
            file.write(json.dumps(told, ensure_ascii=False) + "\n")


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--retell"]):
        sys.exit(__doc__)
    root = sys.argv[1]
    check = Check(root)
    with open(os.path.join(root, "bench", "papers", "figures.json"), encoding="utf-8") as file:
        for entry in json.load(file)["pages"]:
            check.page(entry)
    if sys.argv[2:]:
        retell(check)
        return 0
    print("\n".join(check.problems) or f"{check.count} figures have their stored lines")
    return 1 if check.problems or not check.count else 0


if __name__ == "__main__":
    sys.exit(main())
