#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What large tables cost: processor seconds, memory and the plan's own word for it, one JSON line each.

  scale.py --program build/release/semblance --work FOLDER --results bench/results/scale.jsonl [--only NAME,...]

The tables are made: columns that hang together through a few hidden factors, a third each of categories, numbers
and integers, or all of two values; the last column is the label. epsilon 1, replace-one, `auto`.
"""
import argparse
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import sys
import time

import numpy

SHAPES = {  # columns, rows, kind of columns
    "100 columns of two values": (100, 20000, "two"),
    "a column of 5,000 categories": (10, 100000, "long"),
    "1,000,000 rows": (15, 1000000, "mixed"),
    "200 columns": (200, 50000, "mixed"),
}


def column(random, number, hidden, kind, rows):
    """A field of the schema, and its cells as texts."""
    width = hidden.shape[1]
    lean = 0.7 * hidden[:, number % width] + 0.4 * hidden[:, (7 * number + 1) % width] + 0.6 * random.normal(size=rows)
    field = {"name": f"x{number}", "constraints": {"required": True}}
    if kind == "two":
        field.update(type="string", constraints={"enum": ["n", "y"], "required": True})
        return field, numpy.where(lean > 0.5, "y", "n")
    if kind == "long":
        codes = numpy.minimum(random.zipf(1.2, rows) - 1, 4999)
        field.update(type="string", constraints={"enum": [str(i) for i in range(5000)], "required": True})
        return field, codes.astype(str)
    if kind == "category":
        values = 3 + number % 10
        cuts = numpy.quantile(lean[:10000], numpy.sort(random.random(values - 1)))
        field.update(type="string", constraints={"enum": [str(i) for i in range(values)], "required": True})
        return field, numpy.searchsorted(cuts, lean).astype(str)
    if kind == "number":
        field.update(type="number", constraints={"minimum": -4, "maximum": 4, "required": True})
        return field, numpy.char.mod("%.4f", numpy.clip(lean, -4, 4))
    field.update(type="integer", constraints={"minimum": 0, "maximum": 100, "required": True})
    return field, numpy.clip(numpy.round(40 + 12 * lean), 0, 100).astype(int).astype(str)


def make(folder, columns, rows, kind):
    os.makedirs(folder, exist_ok=True)
    if os.path.exists(os.path.join(folder, "schema.json")):
        return
    random = numpy.random.default_rng(1)
    hidden = random.normal(size=(rows, max(3, columns // 10)))
    kinds = ["two" if kind == "two" or j == columns - 1 else "long" if kind == "long" and j == 0 else
             ("category", "number", "integer")[j % 3] for j in range(columns)]
    made = [column(random, j, hidden, kinds[j], rows) for j in range(columns)]
    with open(os.path.join(folder, "train.csv"), "w", encoding="utf-8") as file:
        file.write(",".join(field["name"] for field, _ in made) + "\n")
        for begin in range(0, rows, 20000):
            file.write("\n".join(map(",".join, zip(*(cells[begin:begin + 20000] for _, cells in made)))) + "\n")
    with open(os.path.join(folder, "schema.json"), "w", encoding="utf-8") as file:
        json.dump({"fields": [field for field, _ in made], "semblance": {"label": f"x{columns - 1}"}}, file)


def measure(words):
    """Wall and processor seconds and the most memory of a command."""
    begun = time.perf_counter()
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    talk = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"scale.py: {talk.strip().splitlines()[-1]}")
    return {"seconds": round(time.perf_counter() - begun, 1), "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
            "peak_mb": round(usage.ru_maxrss / 1024)}


def run(args, name):
    columns, rows, kind = SHAPES[name]
    folder = os.path.join(args.work, name.replace(" ", "-").replace(",", ""))
    # In a process of its own: the memory of this one would count as the program's, which is forked from it.
    maker = multiprocessing.Process(target=make, args=(folder, columns, rows, kind))
    maker.start()
    maker.join()
    path = lambda file: os.path.join(folder, file)
    for file in os.listdir(folder):
        if file.startswith("out.csv"):
            os.remove(path(file))
    subprocess.run([args.program, "ledger", "init", path("out.csv.ledger"), "--quiet"], check=True)
    common = ["--schema", path("schema.json"), "--epsilon", "1"]
    plan = subprocess.run([args.program, "plan", *common, "--rows", str(rows)], check=True, capture_output=True, text=True).stdout
    job = [args.program, "synth", path("train.csv"), *common, "--ledger", path("out.csv.ledger"), "--quiet", "--threads", "2"]
    whole = measure([*job, "-o", path("out.csv")])
    floor = measure([*job, "--overwrite", "--method", "marginals", "-o", path("out.csv")])
    promised = re.search(r"at most (\d+) MB", plan)
    return {"notice": "generated data", "table": name, "columns": columns, "rows": rows, **whole,
            "planned_mb": int(promised.group(1)) if promised else None, "marginals_cpu_seconds": floor["cpu_seconds"],
            "load": round(os.getloadavg()[0], 1), "cores": len(os.sched_getaffinity(0))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/semblance")
    parser.add_argument("--work", default="build/bench-scale")
    parser.add_argument("--results", default="bench/results/scale.jsonl")
    parser.add_argument("--only", type=lambda text: text.split(";"), default=list(SHAPES), help="names, with ; between")
    args = parser.parse_args()
    for name in args.only:
        line = run(args, name)
        with open(args.results, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
