# SPDX-License-Identifier: Apache-2.0
"""The paper's protocol in the projected space: learn from synthetic projected rows, test on real rows through the same W.

    /usr/bin/python3 bench/ron/projected.py PROGRAM WORK [--runs R] [--study NAME] [--epsilon E]

`synth --space projected` draws the synthetic rows; `project` puts real rows, for training and for the test, into the space
of the same model. Learners: linear SVM and SVM with a Gaussian kernel, ridge and kernel ridge. Coordinates are divided by
the deviations of the rows that a learner learns from. The kernel's width is chosen on a split of those rows, never on test
rows. Appends JSON lines to bench/results/ron.jsonl. NOT PRIVATE: these numbers compare real with synthetic data."""

import argparse
import pathlib
import subprocess

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.svm import SVC, LinearSVC

import studies
import tables

SETTINGS = {
    "normalise, rule": ["--geometry", "normalise"],
    "normalise, p=4": ["--geometry", "normalise", "--dimensions", "4"],
    "normalise, p=20": ["--geometry", "normalise", "--dimensions", "20"],
    "clip, rule": [],
    "clip, p=20": ["--dimensions", "20"],
}
WIDTHS = (0.01, 0.1, 1.0)  # gamma of the kernel, over the number of coordinates


def write_rows(path, study, rows, seed):
    """Real rows as a CSV file; made once."""
    if not path.exists():
        x, y = tables.draw(study, rows, seed)
        names = ",".join([f"x{j}" for j in range(x.shape[1])] + ["y"])
        formats = ["%.3f"] * x.shape[1] + ["%d" if study == "classification" else "%.3f"]
        np.savetxt(path, np.column_stack([x, y]), delimiter=",", fmt=formats, header=names, comments="")
    return path


def read(path):
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1]


def score(learner, train, test, study):
    learner.fit(*train)
    if study == "classification":
        return float(learner.score(*test))
    return float(np.sqrt(np.mean((learner.predict(test[0]) - test[1]) ** 2)))


def kernel(study, gamma):
    return SVC(C=1.0, gamma=gamma) if study == "classification" else KernelRidge(kernel="rbf", gamma=gamma, alpha=0.1)


def learn_line(study, train, test):
    """The score of a linear learner on test rows."""
    learner = LinearSVC(dual=False, C=1.0) if study == "classification" else Ridge(alpha=1.0)
    return {"linear": score(learner, train, test, study)}


def standardise(train, test):
    """Both by the means and deviations of the rows that are learned from."""
    mean, deviations = train[0].mean(0), np.maximum(train[0].std(0), 1e-6)
    return (((x - mean) / deviations, y) for x, y in (train, test))


def learn(study, train, test):
    """Scores on test rows, by a linear and by a kernel learner."""
    train, test = standardise(train, test)
    if len(set(train[1])) < 2:
        return {"linear": float(np.mean(test[1] == train[1][0])), "kernel": float(np.mean(test[1] == train[1][0]))}
    few = (train[0][:studies.KERNEL_ROWS], train[1][:studies.KERNEL_ROWS])
    part, rest = (few[0][:2000], few[1][:2000]), (few[0][2000:], few[1][2000:])
    gammas = [width / train[0].shape[1] for width in WIDTHS]
    found = [score(kernel(study, gamma), part, rest, study) for gamma in gammas]
    best = gammas[int(np.argmax(found) if study == "classification" else np.argmin(found))]
    return {**learn_line(study, train, test), "kernel": score(kernel(study, best), few, test, study)}


def one(program, work, study, options, epsilon, seed):
    """(p, scores from synthetic rows, scores from real rows), both tested on real rows in the same projection."""
    folder, out = pathlib.Path(work) / study, pathlib.Path(work) / "projected"
    out.mkdir(exist_ok=True)
    for path in out.glob("*"):
        path.unlink()
    subprocess.run([program, "synth", str(folder / "train.csv"), "--schema", str(folder / "schema.json"), "--epsilon", str(epsilon),
                    "--method", "ron-gauss", "--space", "projected", "--rows", str(studies.TRAIN_ROWS), "--seed", str(seed),
                    "--model", str(out / "model"), "-o", str(out / "synthetic.csv"), "-q", *options], check=True)
    rows = {}
    for name, source in (("test", 1), ("real", 2)):
        real = write_rows(folder / f"{name}.csv", study, studies.TEST_ROWS, source)
        subprocess.run([program, "project", str(out / "model"), str(real), "-o", str(out / f"{name}.csv")], check=True,
                       stderr=subprocess.DEVNULL)
        rows[name] = read(out / f"{name}.csv")
    synthetic = read(out / "synthetic.csv")
    return synthetic[0].shape[1], learn(study, synthetic, rows["test"]), learn(study, rows["real"], rows["test"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("work")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--study", choices=tables.STUDIES)
    parser.add_argument("--epsilon", type=float, default=1)
    parser.add_argument("--setting", action="append", choices=SETTINGS)
    arguments = parser.parse_args()
    for study in [arguments.study] if arguments.study else tables.STUDIES:
        tables.write(study, f"{arguments.work}/{study}")
        for name in arguments.setting or SETTINGS:
            for seed in range(arguments.runs):
                p, synthetic, real = one(arguments.program, arguments.work, study, SETTINGS[name], arguments.epsilon, seed)
                line = {"bench": f"projected {study}", "setting": name, "dimensions": p, "epsilon": arguments.epsilon, "seed": seed}
                studies.store([{**line, "trained_on": "synthetic", **synthetic}, {**line, "trained_on": "real", **real}])
                print(study, name, seed, p, synthetic, real, flush=True)


if __name__ == "__main__":
    main()
