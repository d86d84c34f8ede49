# SPDX-License-Identifier: Apache-2.0
"""Which step of RON-Gauss costs a regression its accuracy? One step after another is switched on, on generated rows.

    /usr/bin/python3 bench/ron/steps.py PROGRAM WORK [--runs R]

Ridge and kernel ridge (as in studies.py) learn from rows of the regression table (tables.py) after some of the steps:

    real              rows of the table
    linear target     the real x, and y drawn by the Gaussian of y given x: the best linear prediction and a normal rest
    Gaussian          rows of the Gaussian with the mean and covariance of 200,000 real rows (x, y); nothing is clipped
    clipped           the same, cut to the columns' bounds and rounded to their digits
    Gaussians by y    a Gaussian for each tenth of y, in numpy: what a mixture over the target would give
    no noise          the program, p = m, `--pure` with an epsilon of 300,000: everything but noise
    no noise, p=20    the same through a projection
    no noise, normalise   with the paper's geometry, at an epsilon of 10,000
    epsilon 1         the program as it is

Appends JSON lines to bench/results/ron.jsonl. NOT PRIVATE: these numbers compare real with synthetic data."""

import argparse

import numpy as np

import studies
import tables

STUDY = "regression"
MOMENT_ROWS = 200000
QUIET = "300000"  # an epsilon that leaves nearly no noise, and protects nobody
QUIET_TWICE = "10000"  # the same for two releases


def gaussian(rng, rows, count):
    """Rows of the Gaussian with the moments of these."""
    return rng.multivariate_normal(rows.mean(0), np.cov(rows.T), size=count, method="cholesky")


def linear_target(rng, x, rows):
    """x, and y drawn by the Gaussian of y given x."""
    mean, covariance = rows.mean(0), np.cov(rows.T)
    slope = np.linalg.solve(covariance[:-1, :-1], covariance[:-1, -1])
    rest = covariance[-1, -1] - slope @ covariance[:-1, -1]
    return x, mean[-1] + (x - mean[:-1]) @ slope + rng.normal(size=len(x)) * np.sqrt(rest)


def by_target(rng, rows, count, parts=10):
    """A Gaussian for each tenth of the rows by their y."""
    edges = np.quantile(rows[:, -1], np.linspace(0, 1, parts + 1))
    place = np.clip(np.searchsorted(edges, rows[:, -1], side="right") - 1, 0, parts - 1)
    drawn = [gaussian(rng, rows[place == k] + 1e-6 * rng.normal(size=rows[place == k].shape), count // parts) for k in range(parts)]
    return rng.permutation(np.concatenate(drawn))


def split(table):
    return table[:, :-1], table[:, -1]


def clip(table):
    x, y = split(table)
    return np.round(np.clip(x, -tables.BOUND, tables.BOUND), 3), np.round(np.clip(y, -1, 1), 3)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("work")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--step", action="append", help="these only")
    arguments = parser.parse_args()
    quiet = f"{arguments.work}/quiet"  # a table of its own: what it is charged leaves its ledger nothing
    for folder in (f"{arguments.work}/{STUDY}", quiet):
        tables.write(STUDY, folder)
    test = tables.draw(STUDY, studies.TEST_ROWS, 1)
    rows = np.column_stack(tables.draw(STUDY, MOMENT_ROWS, 3))

    def program(folder, options, epsilon):
        return lambda seed, rng: studies.synthesise(arguments.program, folder, arguments.work, ["--method", "ron-gauss", *options], epsilon, seed)

    steps = {
        "real": lambda seed, rng: tables.draw(STUDY, studies.TRAIN_ROWS, 10 + seed),
        "linear target": lambda seed, rng: linear_target(rng, tables.draw(STUDY, studies.TRAIN_ROWS, 10 + seed)[0], rows),
        "Gaussian": lambda seed, rng: split(gaussian(rng, rows, studies.TRAIN_ROWS)),
        "clipped": lambda seed, rng: clip(gaussian(rng, rows, studies.TRAIN_ROWS)),
        "Gaussians by y": lambda seed, rng: clip(by_target(rng, rows, studies.TRAIN_ROWS)),
        "no noise": program(quiet, ["--pure", "--dimensions", "77"], QUIET),
        "no noise, p=20": program(quiet, ["--pure", "--dimensions", "20"], QUIET),
        "no noise, normalise": program(quiet, ["--pure", "--dimensions", "77", "--geometry", "normalise"], QUIET_TWICE),
        "epsilon 1": program(f"{arguments.work}/{STUDY}", [], "1"),
    }
    for name in arguments.step or steps:
        make = steps[name]
        for seed in range(arguments.runs):
            scores = studies.regress(*make(seed, np.random.default_rng([4, seed])), test)
            studies.store([{"bench": "steps", "step": name, "seed": seed, **scores}])
            print(name, seed, scores, flush=True)


if __name__ == "__main__":
    main()
