# SPDX-License-Identifier: Apache-2.0
"""The paper's figures 1 and 2 again: effect of the dimension, and membership inference against epsilon.

    /usr/bin/python3 bench/ron/figures.py PROGRAM WORK [--runs R]

Writes docs/ron-dimension.svg and docs/ron-membership.svg and appends JSON lines to
bench/results/ron.jsonl. NOT PRIVATE: these numbers compare real with synthetic data."""

import argparse
import json
import pathlib
import subprocess

import numpy as np

import studies
import tables
from plot import plot

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
DIMENSIONS = [2, 4, 8, 16, 32, 64, 117]
EPSILONS = [0.1, 0.3, 1, 3, 10, 30]
MEMBERS, COLUMNS = 40, 20


def interval(values):
    values = np.asarray(values)
    half = 1.96 * values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    return float(values.mean()), float(values.mean() - half), float(values.mean() + half)


def dimension(program, work, runs, lines):
    """Accuracy of a linear classifier that learned from synthetic rows, by p."""
    study = "classification"
    folder = f"{work}/{study}"
    tables.write(study, folder)
    test = tables.draw(study, studies.TEST_ROWS, 1)
    real = studies.classify(*tables.draw(study, studies.TRAIN_ROWS, 2), test)["accuracy"]
    curves = {}
    for name, options in (("Gaussian noise", []), ("Laplace noise", ["--pure"])):
        for p in DIMENSIONS:
            scores = []
            for seed in range(runs):
                x, y = studies.synthesise(program, folder, work,
                                          ["--method", "ron-gauss", "--dimensions", str(p), *options], 1, seed)
                scores.append(studies.classify(x, y, test)["accuracy"])
                lines.append({"bench": "dimension", "noise": name, "dimensions": p, "seed": seed, "epsilon": 1,
                              "accuracy": scores[-1]})
            curves.setdefault(name, []).append((p, *interval(scores)))
            print(name, p, interval(scores), flush=True)
    plot(DOCS / "ron-dimension.svg", "ron-gauss: accuracy by dimension of the projection, epsilon 1",
         "dimensions p (of 117)", "accuracy on real rows", [*curves.items(), ("real data", [(0, real)])], log_x=True)


def tell_apart(x, mean, covariance):
    """Balanced accuracy of telling the first MEMBERS rows from the others by their likelihood."""
    apart = x - mean
    distance = np.einsum("ij,jk,ik->i", apart, np.linalg.inv(covariance + 1e-6 * np.eye(COLUMNS)), apart)
    guess = distance < np.median(distance)
    return float((guess[:MEMBERS].mean() + (~guess[MEMBERS:]).mean()) / 2)


def attack(program, work, epsilon, seed):
    """The attack on synthetic rows; without a program, on the members' own moments: no privacy at all."""
    x, _ = tables.draw("regression", 2 * MEMBERS, 1000 + seed)
    x = x[:, :COLUMNS]
    if program is None:
        return tell_apart(x, x[:MEMBERS].mean(0), np.cov(x[:MEMBERS].T))
    schema = tables.schema("regression")
    schema["fields"] = schema["fields"][:COLUMNS]
    schema["semblance"] = {}
    folder = pathlib.Path(work) / "membership"
    folder.mkdir(exist_ok=True)
    (folder / "schema.json").write_text(json.dumps(schema))
    names = ",".join(field["name"] for field in schema["fields"])
    np.savetxt(folder / "members.csv", x[:MEMBERS], delimiter=",", fmt="%.3f", header=names, comments="")
    out = folder / "synthetic.csv"
    for path in folder.glob("synthetic.csv*"):
        path.unlink()
    subprocess.run([program, "synth", str(folder / "members.csv"), "--schema", str(folder / "schema.json"),
                    "--epsilon", str(epsilon), "--method", "ron-gauss", "--rows", "4000", "--seed", str(seed),
                    "-o", str(out), "-q"], check=True)
    synthetic = np.loadtxt(out, delimiter=",", skiprows=1)
    return tell_apart(x, synthetic.mean(0), np.cov(synthetic.T))


def membership(program, work, runs, lines):
    curve = []
    for epsilon in EPSILONS:
        scores = [attack(program, work, epsilon, seed) for seed in range(runs)]
        lines.extend({"bench": "membership", "epsilon": epsilon, "seed": seed, "accuracy": score}
                     for seed, score in enumerate(scores))
        curve.append((epsilon, *interval(scores)))
        print("membership", epsilon, interval(scores), flush=True)
    bare = interval([attack(None, work, 0, seed) for seed in range(runs)])[0]
    lines.append({"bench": "membership", "epsilon": "none", "accuracy": bare})
    limit = [(e, min(1.0, float(np.exp(e) / (1 + np.exp(e))))) for e in EPSILONS]
    plot(DOCS / "ron-membership.svg", f"ron-gauss: membership inference, {MEMBERS} rows of {COLUMNS} columns",
         "epsilon", "balanced accuracy of the attack",
         [("attack", curve), ("no attack can pass", limit), ("without noise", [(0, bare)]), ("a coin", [(0, 0.5)])], log_x=True, y_range=(0.4, 1.0))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("work")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=["dimension", "membership"])
    arguments = parser.parse_args()
    lines = []
    if arguments.only != "membership":
        dimension(arguments.program, arguments.work, arguments.runs, lines)
    if arguments.only != "dimension":
        membership(arguments.program, arguments.work, 4 * arguments.runs, lines)
    with open(studies.RESULTS, "a") as out:
        out.writelines(json.dumps(line) + "\n" for line in lines)


if __name__ == "__main__":
    main()
