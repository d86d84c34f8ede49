#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What models learn from synthetic rows of sets whose label depends on several columns together.

    bench/forest/run.py --data FOLDER [--sets parity,hidden,rings,characters] [--methods pairs,forest,auto] [--eps 1,10]
                        [--seeds 0,1,2] [--part val]

FOLDER holds artificial-characters_{train,val,test}.csv (sets.py says from where); made sets need none, and each seed
has a set of its own. A random forest and boosted trees (XGBoost) learn from as many synthetic rows as the training
table has and are scored on real rows of --part: val for choosing, test for what is reported. `real` learns from the
training table. Add-remove, delta 1e-5. Each run is one line appended to --results, with the time that it took and what
the probe decided; the means are printed as Markdown. NOT PRIVATE: all figures are computed from real records.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(os.path.dirname(HERE), "utility"))
import needs

needs.require(("numpy", "pandas", "sklearn", "xgboost"))
import numpy
import pandas
from sklearn.ensemble import RandomForestClassifier
from xgboost import XGBClassifier

import program
import sets

DELTA = "1e-5"


def arguments(given):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda value: [word for word in value.split(",") if word]
    add = parser.add_argument
    add("--data", default=os.environ.get("FOREST_DATA"), help="folder of Artificial Characters [default: FOREST_DATA]")
    add("--program", default="build/release/semblance")
    add("--results", default="bench/results/forest.jsonl")
    add("--sets", type=words, default=sets.NAMES)
    add("--methods", type=words, default=["pairs", "forest", "auto"])
    add("--eps", type=words, default=["1"])
    add("--seeds", type=words, default=["0"])
    add("--part", choices=("val", "test"), default="val")
    add("--neighbours", choices=("add-remove", "replace-one"), default="add-remove")
    add("--work", default="build/bench-forest")
    args = parser.parse_args(given)
    unknown = [name for name in args.sets if name not in sets.NAMES]
    if unknown:
        parser.error(f"no set is called {unknown[0]}: {', '.join(sets.NAMES)} are known")
    if args.data is None and "characters" in args.sets:
        parser.error("name the folder of Artificial Characters with --data or FOREST_DATA")
    return args


def learn(train, test, seed, trees):
    """Accuracies on `test`; the label is the last column."""
    classes = sorted(set(train.iloc[:, -1].astype(str)) | set(test.iloc[:, -1].astype(str)))
    code = {name: i for i, name in enumerate(classes)}
    x, y = train.iloc[:, :-1].to_numpy(float), train.iloc[:, -1].astype(str).map(code).to_numpy()
    tx, ty = test.iloc[:, :-1].to_numpy(float), test.iloc[:, -1].astype(str).map(code).to_numpy()
    forest = RandomForestClassifier(trees, random_state=seed, n_jobs=2).fit(x, y)
    present = numpy.unique(y)  # XGBoost wants classes 0, 1, ... without a hole
    boosted = XGBClassifier(random_state=seed, n_jobs=2).fit(x, numpy.searchsorted(present, y))
    return {"rf": float((forest.predict(tx) == ty).mean()),
            "xgb": float((present[boosted.predict(tx)] == ty).mean())}


def decided(certificate):
    with open(certificate, encoding="utf-8") as file:
        lines = json.load(file)["assumes_public"]
    return next((line for line in lines if line.startswith("the probe")), None)


def used():
    """Seconds of a processor that programs started from here have taken."""
    times = resource.getrusage(resource.RUSAGE_CHILDREN)
    return times.ru_utime + times.ru_stime


def synthesize(args, name, method, eps, seed, folder):
    """Paths of the synthetic table and the certificate, seconds, and seconds of a processor."""
    train, schema = os.path.join(folder, "train.csv"), os.path.join(folder, "schema.json")
    output = os.path.join(folder, f"{method}-{eps}-{seed}.csv")
    job = [args.program, "synth", train, "--schema", schema, "--epsilon", eps, "--delta", DELTA, "--neighbours",
           args.neighbours, "--method", method, "--seed", seed, "--overwrite", "--quiet", "--ledger", output + ".ledger",
           "-o", output]
    with open(train, encoding="utf-8") as file:
        rows = sum(1 for _ in file) - 1
    if args.neighbours == "add-remove":
        job += ["--expect-rows", str(rows)]
    if os.path.exists(output + ".ledger"):
        os.remove(output + ".ledger")
    subprocess.run([args.program, "ledger", "init", output + ".ledger", "--neighbours", args.neighbours, "--quiet"],
                   check=True)
    start, before = time.monotonic(), used()
    subprocess.run(job, check=True)
    return output, output + ".certificate.json", time.monotonic() - start, used() - before


def run(args, name, method, eps, seed):
    folder = os.path.join(args.work, f"{name}-{seed}" if name in sets.MADE else name)
    sets.prepare(name, folder, args.data, seed)
    test = pandas.read_csv(os.path.join(folder, args.part + ".csv"))
    trees = 50 if name in sets.MADE else 200
    line = {"set": name, "method": method, "seed": int(seed), "part": args.part}
    if method == "real":
        return {**line, **learn(pandas.read_csv(os.path.join(folder, "train.csv")), test, int(seed), trees)}
    table, certificate, seconds, processor = synthesize(args, name, method, eps, seed, folder)
    return {**line, "eps": eps, "delta": DELTA, "neighbours": args.neighbours, "seconds": round(seconds, 1),
            "processor_seconds": round(processor, 1),
            "probe": decided(certificate), **program.describe(args.program),
            **learn(pandas.read_csv(table), test, int(seed), trees)}


def means(lines):
    print("| set | epsilon | method | seeds | RF | XGB | seconds |\n|---|---|---|---|---|---|---|")
    keys = dict.fromkeys((line["set"], line.get("eps", ""), line["method"]) for line in lines)
    for key in keys:
        own = [line for line in lines if (line["set"], line.get("eps", ""), line["method"]) == key]
        mean = lambda name: sum(line.get(name, 0) for line in own) / len(own)
        print(f"| {key[0]} | {key[1]} | {key[2]} | {len(own)} | {mean('rf'):.3f} | {mean('xgb'):.3f} "
              f"| {mean('seconds'):.1f} |")


def main(given=None):
    args = arguments(given)
    needs.require_program(args.program)
    lines = []
    for name in args.sets:
        for method in args.methods:
            for eps in args.eps if method != "real" else [""]:
                for seed in args.seeds:
                    lines.append(run(args, name, method, eps, seed))
                    with open(args.results, "a", encoding="utf-8") as file:
                        file.write(json.dumps(lines[-1]) + "\n")
    means(lines)


if __name__ == "__main__":
    main()
