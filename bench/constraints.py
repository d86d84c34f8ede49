#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""With and without constraints: the made-up hospital of tests/rules, the same rows fitted with the schema's rules, ids
and spikes, and without. NOT PRIVATE, and of generated rows.

    bench/constraints.py SEMBLANCE [--rows N] [--epsilon E] [--runs K] [--methods pairs,marginals] [--unit 0,1,3,10]

Both synthetic tables are compared with rows that were not fitted, by `semblance evaluate` and one schema, so that the
numbers are of the same columns; the rules are checked by tests/rules/check_hospital.py, which knows nothing of the program.
With --unit the table is one of stays, several of a patient, fitted with the rules and at most so many rows of a patient counting
(0: each row is protected).
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RULES = os.path.join(HERE, "..", "tests", "rules")


def held_shares(table):
    """Share of rows that hold every rule is not printed: the least and the mean share of a rule."""
    text = subprocess.run([sys.executable, os.path.join(RULES, "check_hospital.py"), table], capture_output=True, text=True).stdout
    shares = [float(line.split()[0]) for line in text.splitlines() if line[:1] == " "]
    return min(shares), statistics.mean(shares)


def one_run(program, folder, method, epsilon, run, with_rules):
    schema = "rules.json" if with_rules else "plain.json"
    if os.path.exists(os.path.join(folder, "train.csv.ledger")):
        os.unlink(os.path.join(folder, "train.csv.ledger"))
    subprocess.run([program, "synth", "train.csv", "--schema", schema, "--epsilon", str(epsilon), "--method", method, "--seed",
                    str(run), "-o", "synthetic.csv", "--overwrite", "--quiet"], cwd=folder, check=True)
    text = subprocess.run([program, "evaluate", "--real", "test.csv", "--synthetic", "synthetic.csv", "--train", "train.csv",
                           "--schema", "plain.json", "--json"], cwd=folder, check=True, capture_output=True, text=True).stdout
    document = json.loads(text)
    result = {f"{entry['way']}-way TVD": entry["tvd"]["synthetic"] for entry in document["marginals"]}
    result["association"] = document["association"]["mean_difference"]["synthetic"]
    aucs = [model["synthetic"]["auc"] for model in document["utility"]["models"] if model["synthetic"]]
    result["mean AUC"] = statistics.mean(auc for auc in aucs if auc is not None)
    result["least rule"], result["mean rule"] = held_shares(os.path.join(folder, "synthetic.csv"))
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("semblance")
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--epsilon", type=float, default=1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--methods", default="pairs")
    parser.add_argument("--unit")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.semblance)
    with tempfile.TemporaryDirectory() as folder:
        make = [sys.executable, os.path.join(RULES, "make_hospital.py"), str(arguments.rows)]
        stays = [] if arguments.unit is None else ["--unit", "0"]
        subprocess.run(make + ["2", "test.csv", "plain.json", "--plain"] + stays, cwd=folder, check=True)
        for method in arguments.methods.split(","):
            for most in (arguments.unit or "none").split(","):
                unit = [] if most == "none" else ["--unit", most]
                subprocess.run(make + ["1", "train.csv", "rules.json"] + unit, cwd=folder, check=True)
                for with_rules in (False, True) if most == "none" else (True,):
                    runs = [one_run(program, folder, method, arguments.epsilon, run, with_rules) for run in range(arguments.runs)]
                    mean = {name: statistics.mean(run[name] for run in runs) for name in runs[0]}
                    print(method, "with constraints   " if with_rules else "without constraints", "" if most == "none" else f"k = {most}",
                          "  ".join(f"{name} {value:.4f}" for name, value in mean.items()), flush=True)


if __name__ == "__main__":
    main()
