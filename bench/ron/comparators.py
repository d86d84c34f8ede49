# SPDX-License-Identifier: Apache-2.0
"""The comparators of the RON-Gauss paper on its shapes (tables.py), epsilon 1, replace-one neighbours, n public.

    /usr/bin/python3 bench/ron/comparators.py PROGRAM WORK [--runs R] [--study NAME]

    li      Li, Zhang, Winslett, Yang (2011), as the paper runs it: a Bernoulli random projection to p dimensions, and the
            identity query: every value of every projected record is released with Laplace noise
    jiang   Jiang, Ji, Wang, Mohammed, Cheng, Ohno-Machado (2013): principal components of a noisy second moment matrix, and
            the identity query on the p first coordinates
    liu     Liu (2016): a Gaussian, of classes one each, without a projection: the program with --pure, all dimensions and
            the geometry of the paper

Blum, Ligett and Roth (2008) is not here: the exponential mechanism over all data sets of some size needs a class of queries
and a grid, and the description that we have names neither; with any useful grid there are too many data sets to enumerate.

How li and jiang treat the label is our choice: 0.3 of epsilon for the label, 0.7 for x: a class by
randomised response, a target with Laplace noise. jiang spends half of x's share on the components. Records are points of
the unit sphere, as the paper prepares them, without the released centre. A learner that learned from projected rows is
tested on real rows through the same projection; linear learners only.

Sensitivities, L1, one record replaced: a projected unit vector moves by at most 2 max |A x|_1 <= 2 sqrt(p) |A|_2, where |A|_2
is that of the public matrix; with orthonormal components by 2 sqrt(p). The upper triangle of x x^T: sqrt(m (m + 3) / 2)
(docs/mechanisms/ron-gauss.md). This is a bench in numpy: its noise is not exact, and nothing it makes may be published.

Appends JSON lines to bench/results/ron.jsonl. NOT PRIVATE: these numbers compare real with synthetic data."""

import argparse

import numpy as np

import projected
import studies
import tables

EPSILON, LABEL_SHARE, DIMENSIONS = 1.0, 0.3, (4, 20)
LIU = ["--method", "ron-gauss", "--pure", "--geometry", "normalise", "--split", "paper", "--dimensions"]


def sphere(x):
    """Records as the method sees them: numbers in [0,1] by their bounds, on the unit sphere."""
    u = (x + tables.BOUND) / (2 * tables.BOUND)
    return u / np.linalg.norm(u, axis=1, keepdims=True)


def noisy_label(rng, study, y, epsilon):
    if study == "classification":
        keep = rng.random(len(y)) < 1 / (1 + np.exp(-epsilon))
        return np.where(keep, y, 1 - y)
    return y + rng.laplace(scale=2 / epsilon, size=len(y))


def li(rng, x, rows, p, epsilon):
    """(noisy coordinates of the rows that a learner learns from, the projection); noise is drawn record by record"""
    a = rng.choice([-1.0, 1.0], size=(p, x.shape[1])) / np.sqrt(x.shape[1])
    sensitivity = 2 * np.sqrt(p) * np.linalg.norm(a, 2)
    return x[rows] @ a.T + rng.laplace(scale=sensitivity / epsilon, size=(len(rows), p)), a


def jiang(rng, x, rows, p, epsilon):
    m = x.shape[1]
    noise = rng.laplace(scale=np.sqrt(m * (m + 3) / 2) / (epsilon / 2), size=(m, m))
    second = x.T @ x + np.triu(noise) + np.triu(noise, 1).T
    a = np.linalg.eigh(second)[1][:, ::-1][:, :p].T
    return x[rows] @ a.T + rng.laplace(scale=2 * np.sqrt(p) / (epsilon / 2), size=(len(rows), p)), a


def learn(study, train, test):
    return projected.learn_line(study, *projected.standardise(train, test))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("work")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--study", choices=tables.STUDIES)
    arguments = parser.parse_args()
    for study in [arguments.study] if arguments.study else tables.STUDIES:
        folder = f"{arguments.work}/{study}"
        tables.write(study, folder)
        x, y = tables.draw(study, tables.STUDIES[study]["rows"], 0)
        x = sphere(x)
        test = tables.draw(study, studies.TEST_ROWS, 1)
        points = sphere(test[0])

        def store(name, p, seed, scores):
            line = {"bench": f"comparators {study}", "method": name, "dimensions": p, "epsilon": EPSILON, "seed": seed, **scores}
            studies.store([line])
            print(line, flush=True)

        for seed in range(arguments.runs):
            for make in (li, jiang):
                for p in DIMENSIONS:
                    rng = np.random.default_rng([5, seed, p])
                    rows = rng.permutation(len(x))[:studies.TRAIN_ROWS]
                    made, a = make(rng, x, rows, p, (1 - LABEL_SHARE) * EPSILON)
                    label = noisy_label(rng, study, y[rows], LABEL_SHARE * EPSILON)
                    store(make.__name__, p, seed, learn(study, (made, label), (points @ a.T, test[1])))
            drawn = studies.synthesise(arguments.program, folder, arguments.work, [*LIU, str(x.shape[1])], EPSILON, seed)
            store("liu", x.shape[1], seed, learn(study, drawn, test))


if __name__ == "__main__":
    main()
