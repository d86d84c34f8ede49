# SPDX-License-Identifier: Apache-2.0
"""Classification and regression on the paper's shapes (tables.py), train on synthetic, test on real.

    /usr/bin/python3 bench/ron/studies.py PROGRAM WORK [--runs R] [--study NAME] [--epsilon E]

Beside ron-gauss at its public rule: p fixed low (the paper's way), marginals, a constant, and the
real data. Appends JSON lines to bench/results/ron.jsonl. NOT PRIVATE: these numbers compare real
with synthetic data."""

import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.svm import LinearSVC

import tables

RESULTS = pathlib.Path(__file__).resolve().parents[1] / "results" / "ron.jsonl"
TEST_ROWS = 20000
TRAIN_ROWS = 20000  # of the learners
KERNEL_ROWS = 3000
COMMAND = " ".join(["bench/ron/" + pathlib.Path(sys.argv[0]).name, *(pathlib.Path(word).name if word.startswith("/") else word for word in sys.argv[1:])])

METHODS = {
    "ron-gauss": ["--method", "ron-gauss"],
    "ron-gauss p=4": ["--method", "ron-gauss", "--dimensions", "4"],
    "ron-gauss p=20": ["--method", "ron-gauss", "--dimensions", "20"],
    "ron-gauss p=50": ["--method", "ron-gauss", "--dimensions", "50"],
    "ron-gauss normalise": ["--method", "ron-gauss", "--geometry", "normalise"],
    "ron-gauss pure": ["--method", "ron-gauss", "--pure"],
    "marginals": ["--method", "marginals"],
}


def store(lines):
    """Append lines with what they were measured by."""
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=RESULTS.parent, check=True, capture_output=True, text=True)
    with open(RESULTS, "a") as out:
        out.writelines(json.dumps({**line, "command": COMMAND, "commit": commit.stdout.strip()}) + "\n" for line in lines)


def synthesise(program, folder, work, options, epsilon, seed):
    out = pathlib.Path(work) / "synthetic.csv"
    for path in pathlib.Path(work).glob("synthetic.csv*"):
        path.unlink()
    subprocess.run([program, "synth", f"{folder}/train.csv", "--schema", f"{folder}/schema.json",
                    "--epsilon", str(epsilon), "-o", str(out), "--rows", str(TRAIN_ROWS), "--seed", str(seed),
                    "--expect-rows", "200000", "-q", *options], check=True)
    table = np.loadtxt(out, delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1]


def classify(x, y, test):
    if len(set(y)) < 2:
        return {"accuracy": float(np.mean(test[1] == y[0]))}
    learner = LinearSVC(dual=False, C=1.0).fit(x, y)
    return {"accuracy": float(learner.score(*test))}


def regress(x, y, test):
    def rmse(learner, rows):
        return float(np.sqrt(np.mean((learner.fit(x[:rows], y[:rows]).predict(test[0]) - test[1]) ** 2)))
    columns = x.shape[1]
    return {"rmse_ridge": rmse(Ridge(alpha=1.0), TRAIN_ROWS),
            "rmse_kernel_ridge": rmse(KernelRidge(kernel="rbf", gamma=0.1 / columns, alpha=0.1), KERNEL_ROWS)}


def constant(study, y, test):
    if study == "classification":
        return {"accuracy": float(np.mean(test[1] == round(np.mean(y))))}
    return {"rmse_ridge": float(np.sqrt(np.mean((test[1] - np.mean(y)) ** 2)))}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("work")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--study", choices=tables.STUDIES)
    parser.add_argument("--epsilon", type=float, default=1)
    parser.add_argument("--method", action="append")
    arguments = parser.parse_args()
    for study in [arguments.study] if arguments.study else tables.STUDIES:
        folder = f"{arguments.work}/{study}"
        tables.write(study, folder)
        test = tables.draw(study, TEST_ROWS, 1)
        learn = classify if study == "classification" else regress
        real = tables.draw(study, TRAIN_ROWS, 2)
        found = [("real", 0, learn(*real, test)), ("constant", 0, constant(study, real[1], test))]
        for name in arguments.method or METHODS:
            for seed in range(arguments.runs):
                x, y = synthesise(arguments.program, folder, arguments.work, METHODS[name], arguments.epsilon, seed)
                found.append((name, seed, learn(x, y, test)))
                print(study, found[-1], flush=True)
        store({"bench": study, "method": name, "epsilon": arguments.epsilon, "seed": seed, **scores} for name, seed, scores in found)
        print(study, found[:2], flush=True)


if __name__ == "__main__":
    main()
