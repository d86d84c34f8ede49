#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Histories of persons: made-up ones, and independent rows of persons, beside real ones that no fit saw.

    bench/histories/run.py --data FOLDER [--program build/release/semblance] [--eps 1,3] [--seeds 0,1,2]

FOLDER (or HISTORIES_DATA) holds the sets of sets.py. Persons are split in halves: one is fitted, all is compared
with the other; the ceiling is the fitted half itself. Of linked tables each child is measured. Beside it the way of independent rows, `--histories off`,
under a smaller max_rows_per_unit. Each run is one line appended to --results, so that an interrupted bench
continues; then the means of the lines are printed as Markdown. --prepare FOLDER only writes the halves and their
schemas. NOT PRIVATE: all figures are computed from real records.
"""
import argparse
import json
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(HERE), "utility"))
import needs

needs.require(("numpy", "pandas"))
import pandas
import program
import store

import linked
import measures
import sets

OFF = ("--histories", "off")
LINES = {  # of the page, by set: title and measures
    "cdnow": [("columns / pairs", "columns pairs"), ("number of events", "events"), ("previous x this", "previous"),
              ("gaps / gap x gap", "gaps gap_by_gap"), ("span / sum of amounts", "span sum_amount"),
              ("in order", "ordered")],
    "insteval": [("columns / pairs", "columns pairs"), ("number of events", "events"), ("constant", "constant"),
                 ("previous x this, all / same column", "previous previous_same"),
                 ("distinct depts / mean y", "nunique_dept mean_y")],
    "hospital": [("columns / pairs", "columns pairs"),
                 ("number of events / x person's columns", "events events_by_person"),
                 ("constant", "constant"), ("previous x this, all / same column", "previous previous_same"),
                 ("distinct wards / sum of costs", "nunique_ward sum_cost")],
    "berka": [("pairs of rows", "pairs"), ("count", "events"), ("count x parent's columns", "events_by_person"),
              ("parent x child", "person_by_event"), ("previous x this, all / same column", "previous previous_same"),
              ("sum of amounts", "sum_amount")],
}


def arguments(given):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda value: [word for word in value.split(",") if word]
    add = parser.add_argument
    add("--data", default=os.environ.get("HISTORIES_DATA"), help="folder of the sets [default: HISTORIES_DATA]")
    add("--program", default="build/release/semblance")
    add("--results", default="bench/results/histories.jsonl")
    add("--sets", type=words, default=list(LINES))
    add("--eps", type=words, default=["1", "3"])
    add("--delta", default="1e-6")
    add("--seeds", type=words, default=["0", "1", "2"])
    add("--split", type=int, default=7, help="which halves")
    add("--ways", type=words, default=["histories", "rows"], help="'' measures the ceilings only")
    add("--option", action="append", default=[], help="passed on to synth, e.g. --option=--threads=1; repeatable")
    add("--work", default="build/bench-histories", help="where tables stay until they are measured")
    add("--keep", action="store_true", help="keep the synthetic tables")
    add("--again", action="store_true", help="measure anew what the results file has; the latest counts")
    add("--prepare", metavar="FOLDER", help="write the halves, and nothing else")
    args = parser.parse_args(given)
    unknown = [name for name in args.sets if name not in sets.SETS]
    if unknown:
        parser.error(f"no set is called {unknown[0]}: {', '.join(sets.SETS)} are known")
    if args.data is None and args.sets != ["hospital"]:
        parser.error("name the folder of the sets with --data or HISTORIES_DATA")
    return args


def write_json(path, value):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(value, file, indent=1)


def prepare(folder, data, split):
    """Halves with schemas: fit/ and other/ under `folder`."""
    halves = data.halves(split)
    for half, name in zip(halves, ("fit", "other")):
        place = os.path.join(folder, name)
        os.makedirs(place, exist_ok=True)
        half.write(place)
        if data.linked:
            write_json(os.path.join(place, "datapackage.json"), half.package())
        else:
            for most in (data.tables[0].most, *data.caps):
                write_json(os.path.join(place, f"schema-{most}.json"), half.schema(most))
    return halves


def read(data, path):
    table = data.tables[0]
    listed = [f["name"] for f in [*data.fields, *table.fields] if f["type"] == "string"]
    rows = pandas.read_csv(path, dtype={name: str for name in [data.unit, *listed]})
    return measures.Histories(rows, data.unit, table.fields, data.fields, table.order)


class Bench:
    def __init__(self, args):
        self.args, self.store = args, store.Store(args.results)
        self.about = {"machine": store.machine(), "libraries": store.libraries(("numpy", "pandas"))}
        self.failures = 0

    def jobs(self, name, data):
        """(job, cap on the rows of a person)"""
        most = data.tables[0].most
        yield store.Job(name, "real"), most
        for seed in self.args.seeds:
            for eps in self.args.eps:
                job = lambda *more: store.Job(name, "auto", eps, self.args.delta, "add-remove", int(seed),
                                              (*more, *self.args.option))
                if "histories" in self.args.ways:
                    yield job(), most
                for cap in data.caps if "rows" in self.args.ways else ():
                    yield job(*OFF), cap

    def linked_jobs(self, name):
        """(job, is each child by itself)"""
        yield store.Job(name, "real"), False
        for seed in self.args.seeds:
            for eps in self.args.eps:
                job = lambda *more: store.Job(name, "auto", eps, self.args.delta, "add-remove", int(seed),
                                              (*more, *self.args.option))
                if "histories" in self.args.ways:
                    yield job(), False
                if "rows" in self.args.ways:
                    yield job(*OFF), True

    def run_linked(self, name, data, folder, fitted):
        """A line for each child table of each run."""
        real, _ = linked.real(data, os.path.join(folder, "other"))
        for job, apart in self.linked_jobs(name):
            limits = lambda table: {"split": self.args.split, "max_rows_per_unit": table.most, "table": table.name}
            if all(self.store.find(job, limits(table)) for table in data.tables) and not self.args.again:
                continue
            place, facts, orphans = os.path.join(folder, job.name), {}, None
            try:
                if job.method == "real":
                    made, orphans = linked.real(data, os.path.join(folder, "fit"))
                elif apart:
                    made = linked.synth_apart(fitted, job, self.args.program, place)
                    facts = program.describe(self.args.program)
                else:
                    package = os.path.join(folder, "fit", "datapackage.json")
                    output, facts = linked.synth(data, job, self.args.program, package, place, len(fitted.persons))
                    made, orphans = linked.made(data, output)
            except program.ProgramError as error:
                self.failures += 1
                print(f"{name} eps {job.eps}: failed: {error}", file=sys.stderr)
                continue
            for table in data.tables:
                figures = measures.measure(real[table.name], made[table.name])
                if apart:  # it knows nothing of parents without rows
                    figures = {n: v for n, v in figures.items() if n not in ("events", "events_by_person", "rows_ratio")}
                self.store.append({"part": "histories", **job.fields, "limits": limits(table), "run": None, **facts,
                                   "rows": len(made[table.name].rows), "orphans": orphans, **self.about,
                                   "metrics": figures})
            if facts and not self.args.keep:
                shutil.rmtree(place, ignore_errors=True)

    def run_set(self, name):
        data = sets.SETS[name](self.args.data)
        folder = os.path.join(self.args.work, f"{name}-{self.args.split}")
        fitted, other = prepare(folder, data, self.args.split)
        if data.linked:
            self.run_linked(name, data, folder, fitted)
            return
        at = lambda half, file: os.path.join(folder, half, file)
        table = f"{data.tables[0].name}.csv"
        real = read(data, at("other", table))
        for job, most in self.jobs(name, data):
            limits = {"split": self.args.split, "max_rows_per_unit": most}
            if self.store.find(job, limits) and not self.args.again:
                continue
            facts, path = {}, at("fit", table)
            if job.method != "real":
                place = os.path.join(folder, str(most))
                counted = fitted.tables[0].rows.groupby(data.unit).size().clip(upper=most).sum()
                expected = program.rows_to_expect(job, lambda: counted)
                schema = at("fit", f"schema-{most}.json")
                try:
                    path, facts = program.table_of(job, self.args.program, path, schema, place, expect_rows=expected,
                                                   rows_per_person=most)
                except program.ProgramError as error:
                    self.failures += 1
                    print(f"{name} eps {job.eps} {most}: failed: {error}", file=sys.stderr)
                    continue
            made = read(data, path)
            line = {"part": "histories", **job.fields, "limits": limits, "run": None, **facts, "rows": len(made.rows),
                    "persons": len(made.by), **self.about, "metrics": measures.measure(real, made)}
            self.store.append(line)
            if facts and not self.args.keep:
                program.forget(job, place)


def pages(lines, name, split):
    """One for the set, or for each of its linked tables."""
    own = [line for line in lines if line["set"] == name and line["limits"]["split"] == split]
    for table in dict.fromkeys(line["limits"].get("table") for line in own):
        page([line for line in own if line["limits"].get("table") == table], name, split, table)


def page(lines, name, split, table=None):
    """A table of the latest line of each run on these halves, means over seeds."""
    latest = {}
    for line in lines:
        if line["set"] == name and line["limits"]["split"] == split:
            key = line["eps"], line["limits"]["max_rows_per_unit"], tuple(line["options"])[:2] == OFF
            latest.setdefault(key, {})[line["seed"], *line["options"]] = line["metrics"]
    columns = sorted(latest, key=lambda key: (key[0] or 0, key[2], key[1]))
    way = (lambda k: ", apart") if table else (lambda k: f", rows {k}")
    heads = ["ceiling" if e is None else f"eps {e:g}" + (way(k) if off else "") for e, k, off in columns]
    print(f"| {name}{', ' + table if table else ''} | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}")
    short = lambda value: f"{value:.3f}".removeprefix("0").replace("1.000", "1")
    for title, wanted in LINES[name]:
        mean = lambda runs, w: short(sum(m[w] for m in runs) / len(runs)) if all(w in m for m in runs) else "-"
        cells = [" / ".join(mean(runs, w) for w in wanted.split())
                 for runs in (list(latest[key].values()) for key in columns)]
        if all(set(cell) <= set("- /") for cell in cells):
            continue
        print(f"| {title} | {' | '.join(cells)} |")
    print()


def main(given=None):
    args = arguments(given)
    if args.prepare:
        for name in args.sets:
            prepare(os.path.join(args.prepare, name), sets.SETS[name](args.data), args.split)
        return 0
    needs.require_program(args.program)
    bench = Bench(args)
    for name in args.sets:
        bench.run_set(name)
    print("NOT PRIVATE: computed from real records\n")
    for name in args.sets:
        pages(bench.store.lines, name, args.split)
    return 1 if bench.failures else 0


if __name__ == "__main__":
    sys.exit(main())
