#!/usr/bin/env python3
"""With and without constraints: the made-up hospital of tests/rules, the same rows fitted with the schema's rules, ids
and spikes, and without. NOT PRIVATE, and of generated rows.

    bench/constraints.py SEMBLANCE [--rows N] [--epsilon E] [--runs K] [--methods pairs,marginals]

Both synthetic tables are compared with rows that were not fitted, by `semblance evaluate` and one schema, so that the
numbers are of the same columns; the rules are checked by tests/rules/check_hospital.py, which knows nothing of the program.
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
    subprocess.run([program, "synth", "train.csv", "--schema", schema, "--epsilon", str(epsilon), "--method", method, "--seed",
                    str(run), "-o", "synthetic.csv", "--force", "--quiet"], cwd=folder, check=True)
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
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.semblance)
    with tempfile.TemporaryDirectory() as folder:
        make = [sys.executable, os.path.join(RULES, "make_hospital.py"), str(arguments.rows)]
        subprocess.run(make + ["1", "train.csv", "rules.json"], cwd=folder, check=True)
        subprocess.run(make + ["2", "test.csv", "plain.json", "--plain"], cwd=folder, check=True)
        for method in arguments.methods.split(","):
            for with_rules in (False, True):
                runs = [one_run(program, folder, method, arguments.epsilon, run, with_rules) for run in range(arguments.runs)]
                mean = {name: statistics.mean(run[name] for run in runs) for name in runs[0]}
                print(method, "with constraints   " if with_rules else "without constraints",
                      "  ".join(f"{name} {value:.4f}" for name, value in mean.items()), flush=True)


if __name__ == "__main__":
    main()
