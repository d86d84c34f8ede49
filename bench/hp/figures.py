#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Figure 1 of the DP-HP paper: how well k features approximate a Gaussian kernel.

usage: figures.py FOLDER            writes FOLDER/hermite-error.svg

Kernel of rho = 1/3, X and Y standard normal (Prop. B.1 of the paper). Hermite features: the functions up to order
k - 1, whose root mean square error is 3^-(k-1) / (3 sqrt 2) exactly. Random Fourier features: k / 2 frequencies, mean
square error 1 / (k sqrt 7). Both are measured on 20,000 pairs, and the formulas are drawn beside them. Needs numpy.
"""
import math
import os
import sys

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ron"))
import plot  # noqa: E402

RHO, PAIRS = 1 / 3, 20000
COUNTS = [2, 4, 6, 8, 10, 14, 20, 30, 50, 100]


def hermite(x, order):
    values = [(1 - RHO**2) ** 0.25 * numpy.exp(-RHO / (1 + RHO) * x * x)]
    before = numpy.zeros_like(x)
    for c in range(order):
        following = math.sqrt(2 * RHO / (c + 1)) * x * values[-1] - RHO * math.sqrt(c / (c + 1)) * before
        before = values[-1]
        values.append(following)
    return numpy.array(values)


def main():
    random = numpy.random.default_rng(0)
    x, y = random.normal(size=(2, PAIRS))
    kernel = numpy.exp(-RHO / (1 - RHO**2) * (x - y) ** 2)
    root = lambda error: math.log10(math.sqrt(float((error**2).mean())))
    a, b = hermite(x, 19), hermite(y, 19)
    ours = [(k, root(kernel - (a[:k] * b[:k]).sum(axis=0))) for k in COUNTS if k <= 20]
    theirs = []
    for k in COUNTS:
        frequencies = random.normal(scale=math.sqrt(2 * RHO / (1 - RHO**2)), size=(PAIRS, k // 2))
        theirs.append((k, root(kernel - numpy.cos(frequencies * (x - y)[:, None]).mean(axis=1))))
    lines = [("Hermite, measured", ours),
             ("3^-(k-1) / (3 sqrt 2)", [(k, math.log10(3.0 ** (1 - k) / (3 * math.sqrt(2)))) for k, _ in ours]),
             ("random Fourier, measured", theirs),
             ("1 / sqrt(k sqrt 7)", [(k, -0.5 * math.log10(k * math.sqrt(7))) for k in COUNTS])]
    for name, points in lines:
        print(name, " ".join(f"{k}:{v:.4f}" for k, v in points))
    plot.plot(os.path.join(sys.argv[1], "hermite-error.svg"), "Error of a Gaussian kernel by k features (NOT of noise)",
              "features k", "log10 of the root mean square error", lines, log_x=True)


if __name__ == "__main__":
    main()
