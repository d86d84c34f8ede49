#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The utility bench: how good are synthetic tables, by the pinned protocol (protocol.json).

Takes every data set folder under --data that holds train.csv.gz, test.csv.gz and schema.json, makes
a synthetic table of the training table with each method, epsilon and seed, and measures
  marginals    total variation distance to the training table over 1-, 2- and 3-way marginals
  classifiers  twelve classifiers with hard labels, trained on synthetic and tested on real
  scores       AUC and average precision of three classifiers, from scores
  bins         marginals under other bins than the protocol's (--parts; not by default)
Baselines (the real table; independent columns) are measured the same way. Each part is one line
appended to --results: what is there is not measured again, so an interrupted run continues. Every
number is computed from real records and is NOT PRIVATE. With the program without noise
(--program build/release/bench/semblance-without-noise) lines say "noise": "off": what the same plan
gives without noise, which protects no one.
"""
import argparse
import functools
import json
import os
import signal
import sys
import time

import left
import needs

PARTS = ("marginals", "classifiers", "scores", "bins")
USUAL = ("marginals", "classifiers", "scores")
HERE = os.path.dirname(os.path.abspath(__file__))


def arguments(given=None):
    text = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=text)
    words = lambda value: [word for word in value.split(",") if word]
    add = parser.add_argument
    add("--data", required=True, help="folder of data set folders")
    add("--program", default="build/release/semblance")
    add("--results", default="bench/results/utility.jsonl")
    add("--methods", type=words, default=["auto", "merf", "hp", "ron-gauss", "marginals"],
        help="'' measures the baselines only")
    add("--aim-python", default=sys.executable, help="a Python that has dpmm, for the method `aim` (aim.py)")
    add("--eps", type=words, default=["1"])
    add("--delta", default="1e-5")
    add("--neighbours", default="replace-one", choices=["replace-one", "add-remove"])
    add("--seeds", type=words, default=["0"])
    add("--sets", type=words, help="default: every folder that has the files")
    add("--parts", type=words, default=list(USUAL))
    add("--baselines", type=words, default=["real", "independent"])
    add("--baseline-seeds", type=words, default=["0"])
    add("--option", action="append", default=[], help="passed on to synth, e.g. --option=--steps=500; repeatable")
    add("--max-train", type=int, help="rows for classifiers, for a quick look: kept apart from the protocol's figures")
    add("--max-test", type=int)
    add("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    add("--work", default="build/bench-utility", help="where synthetic tables stay until they are measured")
    add("--keep", action="store_true", help="keep the synthetic tables")
    add("--again", action="store_true", help="measure anew what the results file has; the latest counts")
    left.add_options(parser)
    args = parser.parse_args(given)
    unknown = [p for p in args.parts if p not in PARTS]
    if unknown:
        parser.error(f"no part is called {unknown[0]}: {', '.join(PARTS)} are known")
    return args


def data_sets(folder, wanted):
    """Names of the folders that can be measured."""
    if not os.path.isdir(folder):
        needs.stop(f"{folder} is no folder: name the data sets with --data")
    files = ("train.csv.gz", "test.csv.gz", "schema.json")
    whole = [name for name in sorted(os.listdir(folder))
             if all(os.path.isfile(os.path.join(folder, name, file)) for file in files)]
    if wanted is not None:
        absent = [name for name in wanted if name not in whole]
        if absent:
            needs.stop(f"{os.path.join(folder, absent[0])} does not hold {', '.join(files)}")
        whole = wanted
    if not whole:
        needs.stop(f"no folder in {folder} holds {', '.join(files)}")
    return whole


def read_protocol(args):
    with open(os.path.join(HERE, "protocol.json"), encoding="utf-8") as file:
        settings = json.load(file)
    for name in ("max_train", "max_test"):
        settings[name] = getattr(args, name) or settings[name]
    return settings


def thinning_of(settings, folder, name):
    own = os.path.join(folder, name, "bench.json")
    if os.path.isfile(own):
        with open(own, encoding="utf-8") as file:
            return float(json.load(file).get("thinning", 1.0))
    return float(settings["thinning"]["sets"].get(name, 1.0))


class DataSet:
    """A data set folder; tables are read when first needed."""

    def __init__(self, folder, name, settings):
        import tables
        self.name, self.folder, self._tables = name, os.path.join(folder, name), tables
        self.thinning = thinning_of(settings, folder, name)
        self.schema = tables.read_schema(self.path("schema.json"))

    def path(self, file):
        return os.path.join(self.folder, file)

    def read(self, path):
        return self._tables.read_table(path, self.schema)

    @functools.cached_property
    def train(self):
        return self.read(self.path("train.csv.gz"))

    @functools.cached_property
    def test(self):
        return self.read(self.path("test.csv.gz"))

    def parts(self, wanted):
        return [part for part in wanted if part in ("marginals", "bins") or self.schema.classes >= 2]


class Bench:
    def __init__(self, args):
        import baselines, classifiers, marginals, program, store  # after needs.require()
        self.args, self.settings = args, read_protocol(args)
        self.baselines, self.classifiers, self.marginals = baselines, classifiers, marginals
        self.program, self.store_module = program, store
        self.store = store.Store(args.results)
        self.about = {"machine": store.machine(), "libraries": store.libraries()}
        self.noise = program.noise_of(args.program)
        self.left = left.Left(args)
        self.failures = 0

    def say(self, *words):
        print(*words, file=sys.stderr, flush=True)

    def jobs(self, name):
        job = self.store_module.Job
        for method in self.args.baselines:
            for seed in self.args.baseline_seeds:
                yield job(name, method, seed=int(seed))
        for seed in self.args.seeds:  # one seed of everything first
            for eps in self.args.eps:
                for method in self.args.methods:
                    yield job(name, method, eps, self.args.delta, self.args.neighbours, int(seed),
                              tuple(self.args.option), self.noise)

    def limits(self, data):
        """What a figure depends on beside the method: figures under other limits are kept apart."""
        return {"max_train": self.settings["max_train"], "max_test": self.settings["max_test"],
                "thinning": data.thinning}

    def run_set(self, name):
        data = DataSet(self.args.data, name, self.settings)
        parts = data.parts(self.args.parts)
        if parts != self.args.parts:
            self.say(f"{name}: task is {data.schema.task}, so only {', '.join(parts)} are measured")
        for job in self.jobs(name):
            try:
                self.run_job(data, job, parts)
            except (self.program.ProgramError, data._tables.TableError, ValueError) as error:
                self.failures += 1
                self.say(f"{self.title(job)}: failed: {error}")

    def title(self, job):
        eps = f" eps {job.eps}" if job.eps is not None else ""
        return f"{job.set} {job.method}{eps} seed {job.seed}"

    def run_job(self, data, job, parts):
        found = {} if self.args.again else self.store.find(job, self.limits(data))
        todo = [part for part in parts if part not in found]
        if not todo:
            self.say(f"{self.title(job)}: in the results already")
            return
        plan = None if job.method in self.baselines.NAMES else self.plan_of(data, job)
        if self.left.out(self.title(job), self.store.lines, job, todo, plan):
            return
        if job.method in self.baselines.NAMES:
            table, facts = self.baselines.make(job.method, data.train, job.seed), {}
        else:
            run = next((line["run"] for line in found.values()), None)
            expect = self.program.rows_to_expect(job, lambda: data.train.rows)
            path, facts = self.program.table_of(job, self.args.program, data.path("train.csv.gz"),
                                                data.path("schema.json"), self.args.work, run, expect,
                                                self.args.aim_python)
            if run not in (None, facts["run"]):
                todo = parts  # another table: parts of the earlier one do not belong to it
            table = data.read(path)
        for part in todo:
            self.measure(data, job, part, table, facts)
        if facts and not self.args.keep:
            self.program.forget(job, self.args.work)

    def plan_of(self, data, job):
        return lambda: left.plan_of(self.args, job, ["--schema", data.path("schema.json"), "-n", str(data.train.rows)])

    def measure(self, data, job, part, table, facts):
        start = time.perf_counter()
        settings, jobs = self.settings, self.args.jobs
        if part == "marginals":
            subject = data.test if job.method == "real" else table
            metrics = self.marginals.measure(data.train, subject, settings["ways"], settings)
            metrics["out_of_domain"] = subject.out_of_domain
        elif part == "bins":
            metrics = self.marginals.measure_bins(data.train, data.test if job.method == "real" else table, settings)
        elif part == "classifiers":
            metrics = self.classifiers.measure_hard(table, data.test, settings, job.seed, data.thinning, jobs)
        else:
            metrics = self.classifiers.measure_scores(table, data.test, settings, job.seed, jobs)
        seconds = {"measure": round(time.perf_counter() - start, 2)}
        if facts:
            seconds.update(synth=facts["seconds"], synth_cpu=facts["cpu_seconds"])
        self.store.append({"part": part, **job.fields, "limits": self.limits(data), "run": facts.get("run"),
                           "version": facts.get("version"), "build": facts.get("build"),
                           "peak_mb": facts.get("peak_mb"), "expect_rows": facts.get("expect_rows"),
                           "rows": table.rows, "seconds": seconds, **self.about, "metrics": metrics})
        self.say(f"{self.title(job)}: {part} {brief(metrics)} ({seconds['measure']:.0f} s)")


def brief(metrics):
    shown = ("tvd_1way", "tvd_2way", "tvd_3way", "tvd_2way_quantile10", "tvd_2way_equal20", "tvd_2way_equal100", "roc", "prc", "f1", "auc", "ap")
    return " ".join(f"{name} {metrics[name]:.4f}" for name in shown if name in metrics)


def main(given=None):
    args = arguments(given)
    needs.require(("numpy", "scipy", "sklearn", "xgboost"))  # pandas only reads tables faster
    if args.methods:
        needs.require_program(args.program)
    names = data_sets(args.data, args.sets)
    bench = Bench(args)
    if bench.store.damaged:
        bench.say(f"{args.results}: {bench.store.damaged} unreadable lines are left alone")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # end the classifiers' processes too
    try:
        for name in names:
            bench.run_set(name)
    except KeyboardInterrupt:
        bench.say("interrupted: the same command continues from here")
        return 130
    return 1 if bench.failures else 0


if __name__ == "__main__":
    sys.exit(main())
