#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Choose the constants of method merf for tables, on splits of the training tables alone.

  sweep.py --program build/release/bench/choose_merf --data DATA --work FOLDER --jobs N --results FILE.jsonl

Every configuration fits four fifths of each training table (split.py; test tables are never opened) with the
program's own noise, and is scored on the last fifth: ROC-AUC of logistic regression and of boosted trees that
learned from synthetic rows, divided by the AUC of the same model that learned from the real rows to fit, and
the mean total variation distance over pairs of columns. The criterion is the first: the mean over data sets
and the two models. One JSON line per job is appended to --results; what is there is not run again. Jobs run
on one thread each, all of one seed first, long ones first; none is begun that may end after --deadline.

Every number is computed from real records and is NOT PRIVATE. Needs Python 3.8 and nothing else.
"""
import argparse
import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time

import split
import summary

NOT_PRIVATE = "NOT PRIVATE: computed from real records"
SETS = ["census", "intrusion", "adult", "credit"]  # the long ones first
REAL = "real"  # the table to fit itself: what the scores are divided by

# What differs from the defaults of src/run/methods/merf.c and src/after/train/train_defaults.c.
CONFIGURATIONS = {
    "default": {},
    "scales .1 .2 .4": {"scales": [.1, .2, .4]},
    "scales .2 .4 .8": {"scales": [.2, .4, .8]},
    "scales .4": {"scales": [.4]},
    "scales .8": {"scales": [.8]},
    "scales .1 .2 .4 .8 1.6": {"scales": [.1, .2, .4, .8, 1.6]},
    "deviations .3 .6": {"deviations": [.3, .6]},
    "deviations .6 1.2": {"deviations": [.6, 1.2]},
    "deviations .3 .6 1.2 2.4": {"deviations": [.3, .6, 1.2, 2.4]},
    "joint share 0": {"joint-share": [0]},
    "joint share .25": {"joint-share": [.25]},
    "joint share .75": {"joint-share": [.75]},
    "joint share 1": {"joint-share": [1]},
    "hidden 256 256": {"hidden": [256, 256]},
    "hidden 128 128 128": {"hidden": [128, 128, 128]},
}
OF_CODES = {"deviations", "joint-share"}  # of no effect where a table has no categories
IN_PLAN = {"scales": "scales", "deviations": "code_deviations", "joint-share": "joint_share"}


def arguments():
    text = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=text)
    words = lambda value: [word.strip() for word in value.split(",") if word.strip()]
    add = parser.add_argument
    add("--program", default="build/release/bench/choose_merf")
    add("--data", help="folder of data set folders, each with train.csv.gz and schema.json")
    add("--work", default="build/bench-choose")
    add("--results", default="bench/results/choose.jsonl")
    add("--jobs", type=int, default=len(os.sched_getaffinity(0)), help="processes of one thread at once")
    add("--sets", type=words, default=SETS)
    add("--configurations", type=words, default=list(CONFIGURATIONS), help="names, with commas between")
    add("--seeds", type=words, default=["0", "1"])
    add("--epsilon", default="1")
    add("--steps", type=int, default=1200)
    add("--fit-limit", type=int, default=40000)
    add("--heldout-limit", type=int, default=20000)
    add("--deadline", type=float, default=0, help="seconds; 0: none")
    add("--table-only", action="store_true", help="only print the table of --results")
    args = parser.parse_args()
    unknown = [name for name in args.configurations if name not in CONFIGURATIONS]
    if unknown:
        parser.error(f"no configuration is called '{unknown[0]}'")
    if not args.table_only and not args.data:
        parser.error("--data is needed")
    return args


def stop(message):
    print(f"sweep: {message}", file=sys.stderr)
    sys.exit(2)


def starter(program):
    """How the program is started; it must answer that it needs arguments."""
    path = os.path.abspath(program)
    try:
        answer = subprocess.run([path], capture_output=True, text=True, check=False)
    except OSError as error:
        return stop(f"{program} does not start: {error}")
    if answer.returncode != 2 or "choose_merf FIT.csv" not in answer.stderr:
        return stop(f"{program} does not start: {answer.stderr.strip()}")
    return [path]


def limits(args):
    """What makes results comparable; a line of other limits is not looked at."""
    return {"epsilon": args.epsilon, "steps": args.steps, "fit_limit": args.fit_limit,
            "heldout_limit": args.heldout_limit}


def has_categories(schema_path):
    """Has the table a category beside its label?"""
    with open(schema_path, encoding="utf-8") as file:
        document = json.load(file)
    label = document.get("semblance", {}).get("label")
    return any(field["name"] != label and field.get("semblance", {}).get("role") != "ignore" and
               (field["type"] == "boolean" or "categories" in field or "enum" in field.get("constraints", {}))
               for field in document["fields"])


def job_list(args, done):
    """(configuration, data set, seed) of what is not done, in the order in which it is to run."""
    plain = [name for name in args.sets if not has_categories(os.path.join(args.data, name, "schema.json"))]
    wanted = [(REAL, name, 0) for name in args.sets]
    for seed in map(int, args.seeds):
        for name in args.sets:
            wanted += [(configuration, name, seed) for configuration in args.configurations
                       if not (name in plain and set(CONFIGURATIONS[configuration]) & OF_CODES)]
    return [job for job in wanted if job not in done]


def command(start, args, job, folder):
    configuration, name, seed = job
    tables = os.path.join(args.work, "split", name)
    made = start + [os.path.join(tables, file) for file in ("fit.csv", "heldout.csv", "schema.json")]
    made.append(os.path.join(folder, "synthetic"))
    if configuration == REAL:
        return made + ["--real"]
    made += ["--epsilon", args.epsilon, "--steps", str(args.steps), "--seed", str(seed)]
    for option, values in CONFIGURATIONS[configuration].items():
        made += ["--" + option, ",".join(map(str, values))]
    return made


def check_plan(configuration, plan):
    """The release itself must say that it was made with these constants."""
    for option, field in IN_PLAN.items():
        wanted = CONFIGURATIONS.get(configuration, {}).get(option)
        if wanted is not None and plan[field] != (wanted[0] if option == "joint-share" else wanted):
            raise ValueError(f"the release was made with {field} {plan[field]}")


def run_job(start, args, job):
    """One line of results. Each run has a folder of its own; the ledger beside
    fit.csv has no limit and adds all of them up."""
    folder = os.path.join(args.work, "-".join(map(str, job)).replace(" ", "_"))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    begun = time.monotonic()
    answer = subprocess.run(command(start, args, job, folder), capture_output=True, text=True, check=False,
                            stdin=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
    took = time.monotonic() - begun
    shutil.rmtree(folder, ignore_errors=True)
    if answer.returncode != 0:
        raise ValueError((answer.stderr.strip().splitlines() or [f"exit {answer.returncode}"])[-1])
    found = json.loads(answer.stdout)
    if job[0] != REAL:
        check_plan(job[0], found["plan"])
    constants = CONFIGURATIONS.get(job[0])
    return {"notice": NOT_PRIVATE, "configuration": job[0], "constants": constants, "set": job[1], "seed": job[2],
            "limits": limits(args), "scores": found["scores"],
            "seconds": {"all": round(took, 2), **{k: round(v, 2) for k, v in found["seconds"].items()}}}


class Sweep:
    def __init__(self, args, begun):
        self.args, self.begun = args, begun
        self.lock = threading.Lock()
        self.longest = {}  # seconds, by data set
        self.failures = self.left = 0

    def late(self, name):
        expected = time.monotonic() - self.begun + 1.1 * self.longest.get(name, 0)
        return self.args.deadline and expected > self.args.deadline

    def work(self, start, jobs):
        while True:
            try:
                job = jobs.get_nowait()
            except queue.Empty:
                return
            if self.late(job[1]):
                with self.lock:
                    self.left += 1
                continue
            try:
                self.keep(job, run_job(start, self.args, job))
            except (ValueError, KeyError, OSError) as error:
                with self.lock:
                    self.failures += 1
                    print(f"{job}: {error}", file=sys.stderr, flush=True)

    def keep(self, job, line):
        with self.lock:
            with open(self.args.results, "a", encoding="utf-8") as file:
                file.write(json.dumps(line, allow_nan=False) + "\n")
            if job[0] != REAL:
                self.longest[job[1]] = max(self.longest.get(job[1], 0), line["seconds"]["all"])
            print(f"{time.monotonic() - self.begun:6.0f} s  {job[1]:<10} seed {job[2]}  {job[0]:<26} "
                  f"{line['seconds']['all']:.1f} s", flush=True)


def prepare(args):
    os.makedirs(os.path.dirname(os.path.abspath(args.results)), exist_ok=True)
    for name in args.sets:
        counts = split.split(os.path.join(args.data, name), os.path.join(args.work, "split", name),
                             args.fit_limit, args.heldout_limit)
        print(f"{name}: {counts[0]} rows to fit, {counts[1]} held out", flush=True)


def main():
    args = arguments()
    begun = time.monotonic()
    lines = summary.read(args.results, limits(args))
    sweep = Sweep(args, begun)
    if not args.table_only:
        todo = job_list(args, {(line["configuration"], line["set"], line["seed"]) for line in lines})
        start = starter(args.program)
        jobs = queue.Queue()
        for job in todo:
            jobs.put(job)
        if todo:
            prepare(args)
        workers = [threading.Thread(target=sweep.work, args=(start, jobs)) for _ in range(args.jobs)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        lines = summary.read(args.results, limits(args))
    print(summary.table(lines, {name: set(c) & OF_CODES for name, c in CONFIGURATIONS.items()}))
    if sweep.left or sweep.failures:
        print(f"{sweep.left} jobs were left for lack of time and {sweep.failures} failed: the same command goes on")
    return 1 if sweep.left or sweep.failures else 0


if __name__ == "__main__":
    sys.exit(main())
