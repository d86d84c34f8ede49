#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good the tables are against epsilon and against the number of rows.

  run.py --data DATA --program build/shipped/semblance --results bench/results/curves.jsonl --jobs N [--only NAME,...]

For each data set, method and seed one table by epsilon (all rows), and one by number of rows (epsilon 1), under
add-remove at delta 1e-5: mean total variation distance over sets of 1, 2 and 3 columns to the rows that were fitted
(numbers in 8, 7 and 100 equal and 10 quantile bins; 100 equal are MargNet's), and AUC of the program's own boosted trees on test rows. adult,
census and credit are read from DATA; shop and survey are made (generate.py) below --work. One JSON line per table is
appended to --results; what is there is not run again, so a stopped run goes on where it was. Every job runs on one
thread. Needs numpy and the program, nothing else.

Every number is computed from real records and is NOT PRIVATE.
"""
import argparse
import concurrent.futures
import gzip
import itertools
import json
import os
import shutil
import subprocess
import sys
import time

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "utility")]
import generate  # noqa: E402
import marginals  # noqa: E402
import tables  # noqa: E402

NOT_PRIVATE = "NOT PRIVATE: computed from real records"
REAL = ["adult", "census", "credit"]
EPSILONS = ["0.05", "0.1", "0.3", "1", "3", "10"]
ROWS = [300, 1000, 3000, 10000, 30000, 100000, 200000]
SETTINGS = {"column_sets": 300, "sampling_seed": 0}
LEARNED, TESTED = 20000, 20000  # rows that the trees see


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: [word for word in text.split(",") if word]
    add = parser.add_argument
    add("--data", required=True, help="folder of data set folders")
    add("--program", default="build/shipped/semblance")
    add("--work", default="build/bench-curves")
    add("--results", default="bench/results/curves.jsonl")
    add("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    add("--only", type=words, default=REAL + list(generate.TABLES), help="data sets")
    add("--methods", type=words, default=["auto", "marginals"])
    add("--epsilons", type=words, default=EPSILONS)
    add("--rows", type=lambda text: [int(n) for n in words(text)], default=ROWS)
    add("--seeds", type=words, default=["0", "1", "2"])
    add("--deadline", type=float, default=0, help="seconds after which no job is begun; 0: none")
    return parser.parse_args()


def key_of(line):
    return tuple(line[k] for k in ("set", "method", "epsilon", "rows", "seed"))


def read_results(path):
    done = set()
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for text in file:
                try:
                    done.add(key_of(json.loads(text)))
                except (ValueError, KeyError):
                    pass  # half a line of a stopped run
    return done


def read_lines(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return file.read().splitlines(keepends=True)


def prepare(args, name):
    """Rows in a fixed random order, so that n rows are a part of more; and test rows, plain."""
    source = generate.write(os.path.join(args.work, "made"), name) if name in generate.TABLES else os.path.join(args.data, name)
    folder = os.path.join(args.work, "data", name)
    os.makedirs(folder, exist_ok=True)
    shutil.copyfile(os.path.join(source, "schema.json"), os.path.join(folder, "schema.json"))
    header, *lines = read_lines(os.path.join(source, "train.csv.gz"))
    order = numpy.random.default_rng(11).permutation(len(lines))
    sizes = [n for n in args.rows if n < len(lines)] + [len(lines)]
    for n in sizes:
        path = os.path.join(folder, f"fit{n}.csv")
        if not os.path.exists(path):
            write_lines(path, header, [lines[i] for i in order[:n]])
    header, *lines = read_lines(os.path.join(source, "test.csv.gz"))
    write_lines(os.path.join(folder, "test.csv"), header, lines[:TESTED])
    return folder, sizes


def write_lines(path, header, lines):
    with open(path + ".new", "w", encoding="utf-8", newline="") as file:
        file.writelines([header, *lines])
    os.replace(path + ".new", path)


def job_list(args, sizes):
    """By epsilon at all rows, by rows at epsilon 1; long jobs first within a seed."""
    for seed in map(int, args.seeds):
        jobs = []
        for name, method in itertools.product(args.only, args.methods):
            most = sizes[name][-1]
            points = {(e, most) for e in args.epsilons} | {("1", n) for n in sizes[name]}
            jobs += [(name, method, e, n, seed) for e, n in points]
        yield from sorted(jobs, key=lambda j: (-j[3], j))


def call(words):
    answer = subprocess.run(words, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                            env={**os.environ, "OMP_NUM_THREADS": "1"})
    if answer.returncode != 0:
        raise RuntimeError((answer.stderr.strip().splitlines() or [f"exit {answer.returncode}"])[-1])
    return answer.stdout


def synthesise(program, folder, work, job):
    name, method, epsilon, rows, seed = job
    output = os.path.join(work, "synthetic.csv")
    call([program, "ledger", "init", output + ".ledger", "--neighbours", "add-remove", "--quiet"])
    guess = ["--expect-rows", str(int(float(f"{rows:.0e}")))] if method != "marginals" else []
    begun = time.perf_counter()
    call([program, "synth", os.path.join(folder, f"fit{rows}.csv"), "--schema", os.path.join(folder, "schema.json"),
          "--epsilon", epsilon, "--delta", "1e-5", "--neighbours", "add-remove", "--method", method, "--seed", str(seed),
          "--threads", "1", "--overwrite", "--quiet", "--ledger", output + ".ledger", "-o", output, *guess])
    return output, time.perf_counter() - begun


def distances(folder, rows, output):
    schema = tables.read_schema(os.path.join(folder, "schema.json"))
    real = tables.read_table(os.path.join(folder, f"fit{rows}.csv"), schema)
    made = tables.read_table(output, schema)
    found = {}
    for name, edges in (("equal8", marginals.equal_edges(real, 8)), ("equal7", marginals.equal_edges(real, 7)),
                        ("quantile10", marginals.quantile_edges(real, 10)), ("equal100", marginals.equal_edges(real, 100))):
        (a, sizes), (b, _) = marginals.cut(real, edges), marginals.cut(made, edges)
        for way in (1, 2, 3):
            found[f"{way}way_{name}"] = round(marginals.mean_distance(a, b, sizes, way, SETTINGS)[0], 5)
    return found


def area(program, folder, work, output):
    """AUC of boosted trees that learned from synthetic rows; of several classes the mean."""
    some = os.path.join(work, "some.csv")
    with open(output, encoding="utf-8", newline="") as file:
        write_lines(some, file.readline(), list(itertools.islice(file, LEARNED)))
    text = call([program, "evaluate", "--real", os.path.join(folder, "test.csv"), "--synthetic", some, "--schema",
                 os.path.join(folder, "schema.json"), "--models", "xgboost", "--sets", "1", "--json", "--threads", "1"])
    model = json.loads(text)["utility"]["models"][0]
    return {"auc": model["synthetic"]["auc"], "auc_real": model["real"]["auc"]}


def run_job(args, begun, folder, job):
    """One line of results; None when there is no time left for it."""
    if args.deadline and time.monotonic() - begun > args.deadline:
        return None
    work = os.path.join(args.work, "-".join(map(str, job)))
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    program = os.path.abspath(args.program)
    output, seconds = synthesise(program, folder, work, job)
    line = {"notice": NOT_PRIVATE, **dict(zip(("set", "method", "epsilon", "rows", "seed"), job)),
            "seconds": round(seconds, 2), **distances(folder, job[3], output),
            **area(program, folder, work, output)}
    shutil.rmtree(work, ignore_errors=True)
    return line


def run_all(args, folders, todo, begun):
    """Appends a line as each job ends. Gives how many failed."""
    failed = 0
    with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
        waiting = {pool.submit(run_job, args, begun, folders[job[0]], job): job for job in todo}
        for number, future in enumerate(concurrent.futures.as_completed(waiting), 1):
            try:
                line = future.result()
            except (RuntimeError, ValueError, KeyError, OSError, tables.TableError) as error:
                failed += 1
                print(f"{waiting[future]}: {error}", file=sys.stderr, flush=True)
                continue
            if line is None:
                continue
            with open(args.results, "a", encoding="utf-8") as file:
                file.write(json.dumps(line, allow_nan=False) + "\n")
            print(f"{time.monotonic() - begun:6.0f} s  {number} of {len(todo)}  {waiting[future]}", flush=True)
    return failed


def main():
    args = arguments()
    begun = time.monotonic()
    os.makedirs(os.path.dirname(os.path.abspath(args.results)), exist_ok=True)
    done = read_results(args.results)
    folders, sizes = {}, {}
    for name in args.only:
        folders[name], sizes[name] = prepare(args, name)
    return 1 if run_all(args, folders, [job for job in job_list(args, sizes) if job not in done], begun) else 0


if __name__ == "__main__":
    sys.exit(main())
