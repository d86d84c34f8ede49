#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Peers beside ours in one run: the same training rows, schema, delta and relation, the same measures for all.

    bench/peers/run.py --data DATA --characters FOLDER [--sets adult,characters] [--methods auto,mst,...] [--eps 1]
                       [--seeds 0] [--dpsynth FOLDER] [--dpsda FOLDER] [--limit 1500]

DATA holds the folder `adult` (train.csv.gz, test.csv.gz, schema.json), FOLDER Artificial Characters (bench/forest/sets.py
says from where); --dpsynth and --dpsda are checkouts of google/dpsynth and microsoft/DPSDA. Each method runs in a process
of its own on one thread; its processor seconds, user and system, and its peak memory are the operating system's. One that
has not ended after --limit processor seconds is stopped, and that is its line. Delta 1e-5, add-remove. A line per (set,
method, epsilon, seed) is appended to --results; what is there is not run again. Every figure is computed from real
records: NOT PRIVATE. page.py makes the tables.
"""
import argparse
import json
import os
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.path.dirname(HERE)
sys.path[1:1] = [os.path.join(BENCH, "utility"), os.path.join(BENCH, "forest")]
import needs

needs.require()
import numpy
import pandas

import cells
import measures
import program
import sets
import store
import tables

DELTA = "1e-5"
OURS = ("auto", "pairs", "forest", "marginals")
DPSYNTH = {"mst": [], "aim-gdp": [], "aim-gdp-4mb": ["--model-mb", "4"], "swift": [],
           "swift-1e5": ["--clique-cells", "1e5"]}
ITERATIONS = {"adult": "30", "characters": "15"}  # Tab-PE's own examples for these two sets
METHODS = ("real", "real-cells", "real-1000", *OURS, *DPSYNTH, "tab-pe")
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu",
              "JAX_ENABLE_COMPILATION_CACHE": "false", "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}


def arguments(given):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda value: [word for word in value.split(",") if word]
    add = parser.add_argument
    add("--data", help="folder with the folder adult")
    add("--characters", default=os.environ.get("FOREST_DATA"),
        help="folder of Artificial Characters [default: FOREST_DATA]")
    add("--program", default="build/release/semblance")
    add("--peers-python", default=sys.executable, help="a Python that has what the peers need")
    add("--dpsynth", default="", help="folder of google/dpsynth")
    add("--dpsda", default="", help="folder of microsoft/DPSDA")
    add("--results", default="bench/results/peers.jsonl")
    add("--sets", type=words, default=["characters", "adult"])
    add("--methods", type=words, default=list(METHODS))
    add("--eps", type=words, default=["1"])
    add("--seeds", type=words, default=["0"])
    add("--limit", type=int, default=1500, help="processor seconds of one method")
    add("--limit-gb", type=int, default=16, help="address space of one method")
    add("--work", default="build/bench-peers")
    args = parser.parse_args(given)
    for given_names, known in ((args.sets, tuple(ITERATIONS)), (args.methods, METHODS)):
        for name in given_names:
            if name not in known:
                parser.error(f"{name} is not known: {', '.join(known)} are")
    if "adult" in args.sets and args.data is None or "characters" in args.sets and args.characters is None:
        parser.error("name the folders of the sets with --data and --characters")
    return args


def prepare(args, name):
    """Paths of the training table, the test table and the schema."""
    if name == "characters":
        folder = os.path.join(args.work, name)
        sets.prepare(name, folder, args.characters)
        return [os.path.join(folder, file) for file in ("train.csv", "test.csv", "schema.json")]
    folder = os.path.join(args.data, name)
    return [os.path.join(folder, file) for file in ("train.csv.gz", "test.csv.gz", "schema.json")]


def our_command(args, job, train, schema, output, rows):
    """Under add-remove the rows are private: what is declared of them is a public guess, n to one digit."""
    subprocess.run([args.program, "ledger", "init", output + ".ledger", "--neighbours", "add-remove", "--quiet"],
                   check=True)
    guess = [] if job["method"] == "marginals" else ["--expect-rows", str(int(float(f"{rows:.0e}")))]
    return [args.program, "synth", train, "--schema", schema, "--epsilon", job["eps"], "--delta", DELTA, "--neighbours",
            "add-remove", "--method", job["method"], "--seed", job["seed"], "--threads", "1", "--quiet", "--ledger",
            output + ".ledger", "-o", output, *guess]


def peer_command(args, job, train, schema, output):
    own = ["peer_tab_pe.py", "--iterations", ITERATIONS[job["set"]]]
    if job["method"] in DPSYNTH:
        mechanism = next(name for name in ("mst", "aim-gdp", "swift") if job["method"].startswith(name))
        own = ["peer_dpsynth.py", "--mechanism", mechanism, *DPSYNTH[job["method"]]]
    return [args.peers_python, os.path.join(HERE, own[0]), train, schema, output, "--eps", job["eps"], "--delta", DELTA,
            "--seed", job["seed"], *own[1:]]


def execute(args, command, folder):
    """What a command takes; `ended` is false when it was stopped at its limit. Any other failure is an error."""
    path = os.pathsep.join(os.path.abspath(place) for place in (args.dpsynth, args.dpsda) if place)
    out, err = os.path.join(folder, "out"), os.path.join(folder, "err")
    limited = [sys.executable, os.path.join(HERE, os.pardir, "limited.py"), str(args.limit), str(args.limit_gb), out, err]
    answer = subprocess.run(limited + command, capture_output=True, text=True, check=True,
                            env={**os.environ, **ONE_THREAD, "PYTHONPATH": path})
    took = json.loads(answer.stdout)
    status = took.pop("status")
    if status not in (0, -signal.SIGXCPU):
        with open(err, encoding="utf-8") as file:
            last = (file.read().strip().splitlines() or ["no message"])[-1]
        raise program.ProgramError(f"exit {status}: {last}")
    return {**took, "ended": status == 0}


def through_cells(train, schema_path, output):
    """Real rows cut into the peers' cells and back: what the cells alone cost."""
    random = numpy.random.default_rng(0)
    coders = cells.of_schema(train.schema, schema_path)
    text = {column.name: coder.decode(coder.encode(values), random)
            for column, coder, values in zip(train.schema.columns, coders, train.values)}
    pandas.DataFrame(text).to_csv(output, index=False)


def last_json(path):
    with open(path, encoding="utf-8") as file:
        return json.loads(file.read().strip().splitlines()[-1])


def make(args, job, paths, train, folder):
    """The synthetic table, or None of a method that did not end, and the facts of the run."""
    output = os.path.join(folder, "synthetic.csv")
    if job["method"] == "real":
        return train, {}
    if job["method"] == "real-1000":  # the best that as many rows as Tab-PE draws can be
        return train.take(numpy.random.default_rng(int(job["seed"])).choice(train.rows, 1000, replace=False)), {}
    if job["method"] == "real-cells":
        through_cells(train, paths[2], output)
        return tables.read_table(output, train.schema), {}
    if job["method"] in OURS:
        needs.require_program(args.program)
        facts = execute(args, our_command(args, job, paths[0], paths[2], output, train.rows), folder)
        facts["versions"] = program.describe(args.program)
    else:
        facts = execute(args, peer_command(args, job, paths[0], paths[2], output), folder)
        if facts["ended"]:
            facts["versions"] = last_json(os.path.join(folder, "out"))
    return (tables.read_table(output, train.schema) if facts["ended"] else None), facts


def run(args, job, settings):
    folder = os.path.join(args.work, "-".join(str(job[key]) for key in ("set", "method", "eps", "seed")))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    paths = prepare(args, job["set"])
    schema = tables.read_schema(paths[2])
    train, test = (tables.read_table(path, schema) for path in paths[:2])
    made, facts = make(args, job, paths, train, folder)
    line = {"notice": store.NOT_PRIVATE, **job, "delta": DELTA, "neighbours": "add-remove", **facts}
    if made is None:
        return line
    subject = test if job["method"] == "real" else made  # how far a second real sample is
    return {**line, "rows": made.rows, **measures.distances(train, subject, settings),
            **measures.learned(made, test, settings, int(job["seed"])), "libraries": store.libraries(),
            "machine": store.machine()}


def done(path):
    """The jobs that the results file has."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(text) for text in file if text.strip()]
    return [{key: line[key] for key in ("set", "method", "eps", "seed")} for line in lines]


def jobs(args):
    for seed in args.seeds:
        for eps in args.eps:
            for name in args.sets:
                for method in args.methods:
                    spent = None if method.startswith("real") else eps
                    yield {"set": name, "method": method, "eps": spent, "seed": seed}


def main(given=None):
    args = arguments(given)
    with open(os.path.join(BENCH, "utility", "protocol.json"), encoding="utf-8") as file:
        settings = json.load(file)
    failures = 0
    for job in jobs(args):
        if job in done(args.results):
            continue
        title = " ".join(str(value) for value in job.values())
        try:
            line = run(args, job, settings)
        except (program.ProgramError, tables.TableError, ValueError) as error:
            failures += 1
            print(f"{title}: failed: {error}", file=sys.stderr, flush=True)
            continue
        with open(args.results, "a", encoding="utf-8") as file:
            file.write(json.dumps(line, allow_nan=False) + "\n")
        shown = {key: line[key] for key in ("cpu_seconds", "peak_mb", "tvd_2way", "tvd_3way", "rf") if key in line}
        print(f"{title}: {shown}", file=sys.stderr, flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
