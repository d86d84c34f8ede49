#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What do relations lose within codes? Rows from the same releases, drawn by two programs.

    bench/within_codes.py --before OLD [--program NEW] [--data FOLDER] [--tables 3] [--eps 1,10] >> bench/results/within_codes.jsonl

OLD is a build in which numbers do not follow other columns within a code (before "counts: let numbers follow their row within
a code"). Tables: populations of bench/coverage with 100,000 rows, without persons (`pairs`) and with them (`histories`), and
four fifths of adult's training table in --data, whose models are tested on the last fifth. NOT PRIVATE: all figures are computed from
the fitted tables. Needs numpy.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
for _folder in ("coverage", "utility", "choose"):
    sys.path.append(os.path.join(HERE, _folder))
import needs

needs.require(("numpy",))
import numpy

import populations
import split
import statistics_of
import store

ROWS, COLUMNS = 100_000, 5
KEPT = ("age by a (strong)", "age by b (weak)", "linear a", "linear b", "linear y", "logistic age")


def write_population(folder, persons, seed):
    columns = populations.draw(COLUMNS, ROWS, persons, numpy.random.default_rng([seed, persons]))
    with open(os.path.join(folder, "fit.csv"), "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*(values.tolist() for values in columns.values())))
    with open(os.path.join(folder, "schema.json"), "w", encoding="utf-8") as file:
        json.dump(populations.schema(COLUMNS, persons), file)


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        names = next(rows)
        cells = [*zip(*rows)]
    return {name: numpy.array(values) if name == "id" else numpy.array(values).astype(int) for name, values in zip(names, cells)}


def slopes(folder, table):
    """Each statistic as a part of the fitted table's."""
    fitted, drawn = (statistics_of.of_population(read(os.path.join(folder, name))) for name in ("fit.csv", table))
    return {name: round(drawn[name][0] / fitted[name][0], 4) for name in KEPT}


def models(program, folder, table):
    """Of the five models of `evaluate`, the area under the curve on held-out rows."""
    inside = lambda name: os.path.join(folder, name)
    report = json.loads(subprocess.run([program, "evaluate", "--real", inside("heldout.csv"), "--synthetic", inside(table), "--schema",
                                        inside("schema.json"), "--json"], check=True, capture_output=True, text=True).stdout)
    areas = {one["name"]: round(one["synthetic"]["auc"], 4) for one in report["utility"]["models"]}
    return {**areas, "mean": round(sum(areas.values()) / len(areas), 4)}


def compare(args, line, folder, method, eps, measure):
    inside = lambda name: os.path.join(folder, name)
    quiet = ["--quiet", "--overwrite"]
    delta = "1e-6" if line["set"] != "adult" else "1e-5"
    subprocess.run([args.program, "synth", inside("fit.csv"), "--schema", inside("schema.json"), "--epsilon", eps, "--delta", delta, "--method",
                    method, "-o", inside("new.csv"), "-m", inside("model"), *quiet], check=True)
    for name, program in (("before", args.before), ("now", args.program)):
        subprocess.run([program, "sample", inside("model"), "-o", inside(name + ".csv"), *quiet], check=True)
        line[name] = measure(folder, name + ".csv")
    print(json.dumps({"notice": store.NOT_PRIVATE, **line, "method": method, "eps": float(eps), "commit": store.commit(),
                      "command": "bench/within_codes.py"}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", required=True)
    parser.add_argument("--program", default="build/release/semblance")
    parser.add_argument("--data")
    parser.add_argument("--tables", type=int, default=3)
    parser.add_argument("--eps", default="1,10")
    args = parser.parse_args()
    for seed in range(args.tables):
        for eps in args.eps.split(","):
            for persons, method in ((False, "pairs"), (True, "histories")):
                with tempfile.TemporaryDirectory() as folder:
                    write_population(folder, persons, seed)
                    compare(args, {"set": "persons" if persons else "rows", "seed": seed}, folder, method, eps, slopes)
            if args.data:
                with tempfile.TemporaryDirectory() as folder:
                    split.split(os.path.join(args.data, "adult"), folder, fold=seed)
                    compare(args, {"set": "adult", "seed": seed}, folder, "pairs", eps, lambda *of: models(args.program, *of))


if __name__ == "__main__":
    main()
