#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How often do 95 % intervals from replicates hold the truth?

    bench/coverage/run.py [--columns 5,15,40] [--rows 1000,10000,100000] [--eps 0.3,1,3] [--persons no,yes] [--tables 200]
                          [--jobs 16] [--part I/N]
    bench/coverage/run.py --data FOLDER --sets adult,credit,cdnow
    bench/coverage/run.py --merge

A cell is a population, a number of rows and an epsilon. For each of its tables the program makes M replicates and one plain synthetic
table. Every statistic gets an interval from the real table, from the plain table taken for real (naive), and from the replicates by
`semblance combine`. The truth is that of a much larger draw of the population. For a real set, a random half is the table, the
other half stands for the population, and 500 random statistics are asked; the interval of a difference between the halves also
has the other half's sampling variance.

Each table is one line in WORK/lines/, one file for each process, so that a run that was stopped continues and runs of several
machines (--part 0/4, ...) are put together: copy their files into one folder, then --merge. A cell with all its tables becomes one line
of --results. Replace-one, delta 1e-5, from 100,000 rows on 1e-6. NOT PRIVATE: all figures are computed from real records. Needs numpy.
"""
import argparse
import csv
import glob
import hashlib
import itertools
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(HERE), "utility"))
sys.path.insert(0, HERE)
import needs

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):  # one thread for each process, also of the program
    os.environ[_name] = "1"
needs.require(("numpy",))
import numpy

import populations
import program
import real_sets
import statistics_of as statistics

Z = 1.959963984540054
DELTA, SMALL_DELTA, MANY_ROWS = "1e-5", "1e-6", 100_000
WAYS = ("real", "naive", "replicates")


def arguments(given):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda value: [word for word in value.split(",") if word]
    add = parser.add_argument
    add("--program", default="build/release/semblance")
    add("--results", default="bench/results/coverage.jsonl")
    add("--work", default="build/bench-coverage")
    add("--columns", type=words, default=["5", "15", "40"])
    add("--rows", type=words, default=["1000", "10000", "100000"])
    add("--eps", type=words, default=["0.3", "1", "3"])
    add("--persons", type=words, default=["no", "yes"])
    add("--method", default="auto", help="auto: pairs, and histories for persons")
    add("--data", help="folder with a folder for each real set")
    add("--sets", type=words, default=[], help="real sets instead of populations: adult, credit, cdnow")
    add("--questions", type=int, default=500, help="random statistics of a real set")
    add("--tables", type=int, default=None, help="of each cell [default: 200; for a real set 10]")
    add("--replicates", type=int, default=20)
    add("--seed", type=int, default=1)
    add("--jobs", type=int, default=1)
    add("--part", default="0/1", help="I/N: every Nth table from the Ith on")
    add("--merge", action="store_true", help="only put together what is there")
    args = parser.parse_args(given)
    if args.sets and not args.data:
        parser.error("name the folder of the real sets with --data")
    if not args.merge:
        needs.require_program(args.program)
    return args


# ---- cells ----

def cells_of(args):
    """Every cell as a dict of public facts; its name is their text."""
    same = {"method": args.method, "replicates": args.replicates, "seed": args.seed}
    if args.sets:
        for name, eps in itertools.product(args.sets, args.eps):
            yield {"set": name, "eps": eps, "tables": args.tables or 10, "questions": args.questions, **same}
        return
    for columns, rows, eps, persons in itertools.product(args.columns, args.rows, args.eps, args.persons):
        yield {"columns": int(columns), "rows": int(rows), "eps": eps, "persons": persons == "yes",
               "tables": args.tables or 200, **same}


def name_of(cell):
    """Cells that differ in the number of tables alone share their tables."""
    text = json.dumps({key: value for key, value in cell.items() if key != "tables"}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def rng_of(cell, *numbers):
    return numpy.random.default_rng([int(name_of(cell), 16) % 2**32, *numbers])


def truth_of(cell, work):
    """The statistics of the population, from a draw of 200 times the table's rows and at least two million; kept in the work folder."""
    path = os.path.join(work, f"truth-{cell['columns']}-{cell['persons']}-{cell['rows']}-{cell['seed']}.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    chunk = 500_000
    rng = numpy.random.default_rng([cell["seed"], cell["columns"], cell["persons"], 99])
    chunks = [statistics.of_population(populations.draw(min(cell["columns"], 8), chunk, cell["persons"], rng))
              for _ in range(max(4, 200 * cell["rows"] // chunk))]
    truth = {name: float(numpy.mean([one[name][0] for one in chunks])) for name in chunks[0]}
    truth.update({name: 0.0 for name in statistics.ABSENT})
    with open(path + f".{os.getpid()}", "w", encoding="utf-8") as file:
        json.dump(truth, file)
    os.replace(path + f".{os.getpid()}", path)
    return truth


# ---- tables ----

def write_table(path, columns):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*(values.tolist() for values in columns.values())))


def read_table(path, kinds):
    """name -> numbers, or texts for a column whose kind is a text. kinds: name -> type."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        names = next(rows)
        cells = [*zip(*rows)]
    return {name: numpy.array(values).astype(kinds[name]) for name, values in zip(names, cells) if name in kinds}


def synthesise(args, cell, folder, rows):
    """Replicates in folder/out and a plain table; the paths of all of them."""
    method = cell["method"]
    if method == "auto":
        method = "histories" if cell.get("persons") else "pairs"
    inside = lambda name: os.path.join(folder, name)
    run = [args.program, "synth", inside("table.csv"), "--schema", inside("schema.json"), "--epsilon", cell["eps"],
           "--delta", DELTA if rows < MANY_ROWS else SMALL_DELTA, "--neighbours", "replace-one", "--method", method, "--threads", "1", "--quiet"]
    facts = program.execute([*run, "--replicates", str(cell["replicates"]), "-n", str(rows), "-o", inside("out"),
                             "-m", inside("model")])
    program.execute([args.program, "sample", inside("model"), "-n", str(rows), "-o", inside("plain.csv"), "--threads", "1"])
    return sorted(glob.glob(inside("out/*.csv"))), inside("plain.csv"), facts


def combine(args, folder, results):
    """name -> the row of `semblance combine`. results: for each replicate, name -> (estimate, variance)."""
    path = os.path.join(folder, "results.csv")
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["replicate", "name", "estimate", "variance"])
        for i, one in enumerate(results):
            writer.writerows([i, name, repr(q), repr(u)] for name, (q, u) in one.items())
    answer = subprocess.run([args.program, "combine", path, "--json"], check=True, capture_output=True, text=True).stdout
    return {row["name"]: row for row in json.loads(answer)}


def judge(truth, real, naive, combined):
    """For each statistic and way: is the truth inside, and half the width. truth: name -> (value, variance of that value)."""
    judged = {}
    for name, (value, extra) in truth.items():
        ways = {}
        for way, (q, u) in (("real", real[name]), ("naive", naive[name])):
            ways[way] = [bool(abs(q - value) <= Z * (u + extra) ** 0.5), Z * u ** 0.5]
        row = combined[name]
        half = (row["high"] - row["low"]) / 2
        t = half / row["standard_error"] if row["standard_error"] > 0 else Z
        ways["replicates"] = [bool(abs(row["estimate"] - value) <= t * (row["standard_error"] ** 2 + extra) ** 0.5), half]
        judged[name] = ways
    return judged


def simulated_table(args, cell, number, folder):
    rng = rng_of(cell, number)
    real = populations.draw(cell["columns"], cell["rows"], cell["persons"], rng)
    write_table(os.path.join(folder, "table.csv"), real)
    with open(os.path.join(folder, "schema.json"), "w", encoding="utf-8") as file:
        json.dump(populations.schema(cell["columns"], cell["persons"]), file)
    paths, plain, facts = synthesise(args, cell, folder, cell["rows"])
    kinds = {name: str if name == "id" else int for name in real}
    measure = lambda path: statistics.of_population(read_table(path, kinds))
    truth = {name: (value, 0.0) for name, value in truth_of(cell, args.work).items()}
    judged = judge(truth, statistics.of_population(real), measure(plain), combine(args, folder, map(measure, paths)))
    return judged, facts


def real_table(args, cell, number, folder):
    rng = rng_of(cell, number)
    loaded = real_sets.load(args.data, cell["set"])
    half, other = real_sets.halves(loaded, rng)
    write_table(os.path.join(folder, "table.csv"), half)
    with open(os.path.join(folder, "schema.json"), "w", encoding="utf-8") as file:
        json.dump(loaded.schema, file)
    paths, plain, facts = synthesise(args, {**cell, "persons": loaded.unit is not None}, folder, loaded.rows_of(half))
    questions = statistics.random_questions(other, loaded.kinds, cell["questions"], rng_of(cell, 0, 7))

    def measure(columns):
        who = columns.get(loaded.unit)
        return {str(i): tuple(map(float, statistics.answer(one, columns, who))) for i, one in enumerate(questions)}

    read = lambda path: measure(read_table(path, loaded.types))
    judged = judge(measure(other), measure(half), read(plain), combine(args, folder, map(read, paths)))
    return judged, facts


def one_table(task):
    """Measure one table and append its line to this process's file."""
    args, cell, number = task
    folder = tempfile.mkdtemp(dir=args.work)
    try:
        judged, facts = (real_table if "set" in cell else simulated_table)(args, cell, number, folder)
    except program.ProgramError as error:
        return f"{json.dumps(cell)}: table {number}: {error}"
    finally:
        shutil.rmtree(folder)
    line = {"cell": name_of(cell), "table": number, "judged": judged, "seconds": facts.get("seconds", facts.get("wall_s")),
            **program.describe(args.program)}
    own = f"{os.uname().nodename}-{args.part.replace('/', 'of')}-{os.getpid()}.jsonl"
    with open(os.path.join(args.work, "lines", own), "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    return None


# ---- results ----

def lines_of(work):
    """(cell, table) -> line. A last line that was cut short is measured again."""
    found = {}
    for path in sorted(glob.glob(os.path.join(work, "lines", "*.jsonl"))):
        with open(path, encoding="utf-8") as file:
            for text in file:
                if text.endswith("\n"):
                    line = json.loads(text)
                    found[line["cell"], line["table"]] = line
    return found


def summary(cell, lines):
    """One line for a cell: coverage by way, and widths over the real table's."""
    made = {}
    names = list(lines[0]["judged"])
    share = lambda name, way: float(numpy.mean([line["judged"][name][way][0] for line in lines]))
    width = lambda name, way: float(numpy.mean([line["judged"][name][way][1] for line in lines]))
    for name in names:
        real = width(name, "real")
        made[name] = {**{way: round(share(name, way), 4) for way in WAYS},
                      **{f"{way}_width": round(width(name, way) / real, 3) if real > 0 else None for way in WAYS[1:]}}
    line = {"bench": "coverage", **cell, "tables": len(lines), "cell": name_of(cell),
            "versions": sorted({f"{one['version']} {one['build']}" for one in lines})}
    if "set" in cell:  # the share of all statistics of all tables
        covered = {way: round(float(numpy.mean([share(name, way) for name in names])), 4) for way in WAYS}
        widths = [one["replicates_width"] for one in made.values() if one["replicates_width"] is not None]
        return {**line, "covered": covered, "median_width": round(float(numpy.median(widths)), 3)}
    absent = {way: round(1 - float(numpy.mean([share(name, way) for name in statistics.ABSENT])), 4) for way in WAYS}
    return {**line, "type_one": absent, "statistics": made}


def commit():
    answer = subprocess.run(["git", "-C", HERE, "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=False)
    return answer.stdout.strip() or "unknown"


def write_results(args, found, given):
    """Replace the lines of these cells, keep all others."""
    made = []
    for cell in cells_of(args):
        lines = [found[name_of(cell), i] for i in range(cell["tables"]) if (name_of(cell), i) in found]
        if len(lines) == cell["tables"]:
            command = "bench/coverage/run.py " + " ".join(given)
            made.append({**summary(cell, lines), "commit": commit(), "command": command.strip()})
    new = {line["cell"] for line in made}
    kept = []
    if os.path.exists(args.results):
        with open(args.results, encoding="utf-8") as file:
            kept = [line for line in map(json.loads, file) if line["cell"] not in new]
    with open(args.results + ".new", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in kept + made)
    os.replace(args.results + ".new", args.results)
    return made


def show(made):
    for line in made:
        facts = ", ".join(f"{key} {line[key]}" for key in ("set", "columns", "rows", "eps", "persons", "tables") if key in line)
        print(f"{facts}: " + json.dumps(line.get("covered", line.get("type_one"))))
        for name, one in line.get("statistics", {}).items():
            print(f"  {name:22}" + "".join(f" {way} {one[way]:.3f}" for way in WAYS) +
                  f"  width: naive {one['naive_width']} replicates {one['replicates_width']}")


def main(given):
    args = arguments(given)
    os.makedirs(os.path.join(args.work, "lines"), exist_ok=True)
    part, parts = map(int, args.part.split("/"))
    failed = 0
    if not args.merge:
        done = lines_of(args.work)
        tasks = [(args, cell, i) for cell in cells_of(args) for i in range(cell["tables"])]
        tasks = [task for place, task in enumerate(tasks) if place % parts == part and (name_of(task[1]), task[2]) not in done]
        for _, cell, _ in tasks:
            if "set" not in cell:
                truth_of(cell, args.work)
        with multiprocessing.get_context("spawn").Pool(args.jobs) as pool:  # a fork would copy the locks of threads
            for said in pool.imap_unordered(one_table, tasks):
                if said is not None:
                    failed += 1
                    print(said, file=sys.stderr)
    show(write_results(args, lines_of(args.work), given))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
