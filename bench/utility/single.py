# SPDX-License-Identifier: Apache-2.0
"""What the one-part benches (discretised tables, the 2-D grid) share: options and a resumable run."""
import argparse
import os
import sys
import time

import left
import needs
import program
import store
import tables


def parser(description, methods):
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda value: [word for word in value.split(",") if word]
    add = made.add_argument
    add("--program", default="build/release/semblance")
    add("--results", default="bench/results/utility.jsonl")
    add("--methods", type=words, default=methods, help="'' measures the baselines only")
    add("--eps", type=words, default=["1"])
    add("--delta", default="1e-5")
    add("--neighbours", default="replace-one", choices=["replace-one", "add-remove"])
    add("--seeds", type=words, default=["0"])
    add("--option", action="append", default=[], help="passed on to synth; repeatable")
    add("--work", default="build/bench-utility")
    add("--again", action="store_true", help="measure anew what the results file has; the latest counts")
    left.add_options(made)
    return made


def jobs(args, name, baselines):
    noise = program.noise_of(args.program)
    for method in baselines:
        yield store.Job(name, method, seed=0)
    for seed in args.seeds:
        for eps in args.eps:
            for method in args.methods:
                yield store.Job(name, method, eps, args.delta, args.neighbours, int(seed), tuple(args.option), noise)


def run(args, part, name, folder, baselines, baseline, measure, libraries=("numpy", "pandas"), told="schema.json"):
    """Measure every job on the table in `folder` (train.csv, schema.json) that is not measured yet. The program gets the schema `told`.

    baseline(method, seed, schema) gives a baseline's table; measure(job, table) its metrics.
    Returns the number of failures."""
    kept = store.Store(args.results)
    schema = tables.read_schema(os.path.join(folder, "schema.json"))
    about = {"machine": store.machine(), "libraries": store.libraries(libraries)}
    args.clock = clock = getattr(args, "clock", None) or left.Left(args)  # one for all tables of a command
    failures, train = 0, os.path.join(folder, "train.csv")
    for job in jobs(args, name, baselines):
        title = f"{name} {job.method}" + (f" eps {job.eps}" if job.eps is not None else "") + f" seed {job.seed}"
        if not args.again and part in kept.find(job, {}):
            print(f"{title}: in the results already", file=sys.stderr)
            continue
        private = lambda: ["--schema", os.path.join(folder, told), "-n", str(tables.read_table(train, schema).rows)]
        if clock.out(title, kept.lines, job, [part], None if job.method in baselines else lambda: left.plan_of(args, job, private())):
            continue
        try:
            facts = {}
            if job.method in baselines:
                table = baseline(job.method, job.seed, schema)
            else:
                needs.require_program(args.program)
                expect = program.rows_to_expect(job, lambda: tables.read_table(train, schema).rows)
                path, facts = program.table_of(job, args.program, train, os.path.join(folder, told),
                                               args.work, expect_rows=expect)
                table = tables.read_table(path, schema)
            start = time.perf_counter()
            metrics = measure(job, table)
        except (program.ProgramError, tables.TableError, ValueError) as error:
            failures += 1
            print(f"{title}: failed: {error}", file=sys.stderr)
            continue
        seconds = {"measure": round(time.perf_counter() - start, 2)}
        if facts:
            seconds.update(synth=facts["seconds"], synth_cpu=facts["cpu_seconds"])
        kept.append({"part": part, **job.fields, "limits": {}, "run": facts.get("run"),
                     "version": facts.get("version"), "build": facts.get("build"),
                     "peak_mb": facts.get("peak_mb"), "rows": table.rows, "seconds": seconds, **about,
                     "metrics": metrics})
        program.forget(job, args.work)
        shown = " ".join(f"{k} {v:.4f}" for k, v in metrics.items() if isinstance(v, float))
        print(f"{title}: {shown}", file=sys.stderr, flush=True)
    return failures
