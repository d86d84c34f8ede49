#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Would a doctor believe a hospital's tables? NOT PRIVATE where a folder holds real rows. Nothing of the program is used.

    believable.py FOLDER [REAL_FOLDER] [--json] [--piles]

FOLDER holds the files that make_package.py writes, or synthetic ones of the same names. Prints the shares of rows that break what
make_package.py promises, the median and 99th percentile of each lab test, and the shares of dates on the edges of their windows: on the first and
last day that any row has, and on the first and last minute of a stay. With REAL_FOLDER the real figures are next to them, and edges with more than
three times the real share, and at least 0.1 % of the rows, are marked PILE. With --piles the exit status is 1 if there is one.
A row that lacks a value or a column, or whose key has no row, is not counted among the rows of a share; such keys are counted apart."""
import csv
import datetime
import json
import os
import sys

GERMAN = {"patients": ("patienten.csv", "PatNr"), "stays": ("aufnahmen.csv", "FallNr"), "labs": "labor.csv", "sex": "Geschlecht", "woman": "w",
          "born": "Geburtsdatum", "begin": "Aufnahme", "end": "Entlassung", "ward": "Station", "children": "Pädiatrie",
          "code": "Diagnose", "age": "Alter", "test": "Test", "value": "Wert", "when": "Zeit"}
OTHER = {"patients": ("people.csv", "mrn"), "stays": ("stays.csv", "stay"), "labs": "results.csv", "sex": "gender", "woman": "female",
         "born": "birth_year", "begin": "arrived", "end": "left", "ward": "unit", "children": "Children", "code": "code", "age": "age",
         "test": "analyte", "value": "value", "when": "taken"}
FORMATS = ["%d.%m.%Y %H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%m/%d/%Y %H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%d.%m.%Y",
           "%Y-%m-%d", "%m/%d/%Y", "%d %b %Y", "%d.%m.%Y %H:%M:%S"]


def read(path):
    raw = open(path, "rb").read()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("windows-1252")
    head = text.split("\n", 1)[0]
    return list(csv.DictReader(text.splitlines(), delimiter=";" if head.count(";") > head.count(",") else ","))


def moment(text, best=[0]):
    """Missing: None. Tries the format that read the last one first."""
    text = (text or "").removesuffix("Z")
    for i in [best[0], *range(len(FORMATS))]:
        try:
            found = datetime.datetime.strptime(text, FORMATS[i])
            best[0] = i
            return found
        except ValueError:
            pass
    return None


def born(text):
    """A birth date, or the first day of a birth year."""
    if text and text.isdigit() and len(text) == 4: return datetime.datetime(int(text), 1, 1)
    return moment(text)


def number(text):
    try:
        return float((text or "").replace(",", "."))
    except ValueError:
        return None


class Share:
    def __init__(self): self.broken = self.rows = 0

    def take(self, known, broken):
        if known:
            self.rows += 1
            self.broken += bool(broken())

    def figure(self): return {"broken": self.broken, "rows": self.rows, "share": self.broken / self.rows if self.rows else 0.0}


class Edges:
    """Shares of moments on the first and last day of a column, and of those at a minute that another column gives."""

    def __init__(self): self.days, self.at = {}, {}

    def take(self, name, when):
        if when:
            days = self.days.setdefault(name, {})
            days[when.date()] = days.get(when.date(), 0) + 1

    def meet(self, name, when, other, size):
        if when and other: self.at.setdefault(name, Share()).take(True, lambda: abs(when - other) < size)

    def figures(self, bounds):
        """bounds: (first, last) day of each column; the column's own where there is none."""
        found = {name: share.figure() for name, share in self.at.items()}
        for name, days in self.days.items():
            for word, edge in zip(("first", "last"), bounds.get(name, (min(days), max(days)))):
                found[f"{name} on the {word} day"] = {"broken": days.get(edge, 0), "rows": sum(days.values()),
                                                      "share": days.get(edge, 0) / sum(days.values())}
        return found


MINUTE, DAY = datetime.timedelta(minutes=1), datetime.timedelta(days=1)
TIMES_REAL, LEAST_SHARE = 3, 0.001


def is_pile(figure, real):
    return figure["share"] > max(TIMES_REAL * real["share"], LEAST_SHARE)


def quantile(values, q):
    return sorted(values)[min(int(q * len(values)), len(values) - 1)]


def measure(folder, bounds):
    """bounds: filled with the days of each column where it is empty."""
    names = GERMAN if os.path.exists(os.path.join(folder, GERMAN["patients"][0])) else OTHER
    file, key = names["patients"]
    patients = {row[key]: row for row in read(os.path.join(folder, file))}
    stays = read(os.path.join(folder, names["stays"][0]))
    shares = {name: Share() for name in ("admissions before birth", "adults in paediatrics", "male O codes", "age off by more than one year",
                                         "labs outside the stay", "labs 60 days after the admission", "keys without a row")}
    spans, edges, seen = {}, Edges(), set()
    for row in stays:
        who = patients.get(row[key])
        shares["keys without a row"].take(True, lambda: who is None)
        begin, end, age = moment(row[names["begin"]]), moment(row[names["end"]]), number(row[names["age"]])
        birth = born(who[names["born"]]) if who else None
        spans[row[names["stays"][1]]] = (begin, end)
        edges.take("admissions", begin)
        edges.take("discharges", end)
        if row[key] not in seen: edges.take("first admissions", begin)
        seen.add(row[key])
        edges.meet("discharges in the minute of the admission", end, begin, MINUTE)
        edges.meet("admissions on the day of birth", begin, birth, DAY)
        shares["admissions before birth"].take(begin and birth, lambda: begin < birth)
        shares["adults in paediatrics"].take(row[names["ward"]] == names["children"] and age is not None, lambda: age >= 16)
        shares["male O codes"].take((row.get(names["code"]) or "").startswith("O") and who and who[names["sex"]], lambda: who[names["sex"]] != names["woman"])
        shares["age off by more than one year"].take(begin and birth and age is not None, lambda: abs(begin.year - birth.year - age) > 1)
    tests = {}
    for row in read(os.path.join(folder, names["labs"])):
        span, when, value = spans.get(row[names["stays"][1]]), moment(row[names["when"]]), number(row[names["value"]])
        shares["keys without a row"].take(True, lambda: span is None)
        begin, end = span or (None, None)
        shares["labs outside the stay"].take(when and begin and end, lambda: not begin <= when <= end)
        shares["labs 60 days after the admission"].take(when and begin, lambda: (when - begin).days > 60)
        edges.take("labs", when)
        edges.meet("labs in the first minute of the stay", when, begin, MINUTE)
        edges.meet("labs in the last minute of the stay", when, end, MINUTE)
        if value is not None and row[names["test"]]: tests.setdefault(row[names["test"]], []).append(value)
    figures = edges.figures(bounds)
    bounds.update((name, (min(days), max(days))) for name, days in edges.days.items() if name not in bounds)
    return {"shares": {name: share.figure() for name, share in shares.items()}, "edges": figures,
            "tests": {name: {"rows": len(values), "median": quantile(values, 0.5), "p99": quantile(values, 0.99)}
                      for name, values in sorted(tests.items())}}


def main():
    folders = [given for given in sys.argv[1:] if given not in ("--json", "--piles")]
    if len(folders) not in (1, 2): sys.exit(__doc__)
    bounds = {}
    found = [measure(folder, bounds) for folder in reversed(folders)][::-1]  # windows are those of the real rows
    piles = [name for name, figure in found[0]["edges"].items() if len(found) == 2 and is_pile(figure, found[1]["edges"][name])]
    failed = "--piles" in sys.argv and bool(piles)
    if "--json" in sys.argv:
        print(json.dumps(dict(zip(("synthetic", "real"), found)), ensure_ascii=False))
        sys.exit(failed)
    print("NOT PRIVATE where rows are real" + ("; the real figure is in brackets" if len(found) == 2 else ""))
    for name, figure in found[0]["shares"].items():
        real = f" ({100 * found[1]['shares'][name]['share']:.2f} %)" if len(found) == 2 else ""
        print(f"{name:34} {100 * figure['share']:6.2f} %{real} of {figure['rows']} rows")
    for name, figure in found[0]["edges"].items():
        real = f" ({100 * found[1]['edges'][name]['share']:.2f} %)" if len(found) == 2 else ""
        print(f"{name:34} {100 * figure['share']:6.2f} %{real} of {figure['rows']} rows{' PILE' if name in piles else ''}")
    for name in sorted({name for one in found for name in one["tests"]}):
        cells = [one["tests"].get(name, {"rows": 0, "median": float("nan"), "p99": float("nan")}) for one in found]
        print(f"test {name:12}" + "".join(f" {what} {cells[0][what]:9g}" + (f" ({cells[1][what]:g})" if len(cells) == 2 else "")
                                          for what in ("median", "p99", "rows")))
    sys.exit(failed)


if __name__ == "__main__":
    main()
