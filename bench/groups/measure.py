#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Small groups of a made-up population, real and synthetic: mean height by year of age, and how far pairs of columns are apart.

    measure.py REAL.csv SYNTHETIC.csv [...]

Prints one JSON line a synthetic table: the mean height of ages 0, 1, 2 and 0-2 with the real ones, the mean error of the mean height over
the ages 0 to 17, the same of weight and of years of school, and the mean total variation distance over pairs of columns (numbers in 8
cells of equal width and in 20 of equal share)."""
import csv
import itertools
import json
import sys

import numpy

NUMBERS = ["age", "height_cm", "weight_kg", "school_years", "income", "systolic"]


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        names = next(rows)
        columns = list(zip(*rows))
    return {name: numpy.array(cells, dtype=float if name in NUMBERS else str) for name, cells in zip(names, columns)}


def by_age(table, name, ages):
    return [float(table[name][table["age"] == age].mean()) if (table["age"] == age).any() else float("nan") for age in ages]


def infants(table):
    return float(table["height_cm"][table["age"] <= 2].mean())


def codes(real, table, name, kind):
    if name not in NUMBERS:
        return numpy.searchsorted(numpy.unique(real[name]), table[name])
    if kind == "equal":
        edges = numpy.linspace(real[name].min(), real[name].max(), 9)[1:-1]
    else:
        edges = numpy.unique(numpy.quantile(real[name], numpy.arange(1, 20) / 20))
    return numpy.searchsorted(edges, table[name], side="right")


def distance(real, other, kind):
    total, pairs = 0.0, list(itertools.combinations(real, 2))
    for first, second in pairs:
        tables = []
        for table in (real, other):
            joint = codes(real, table, first, kind) * 64 + codes(real, table, second, kind)
            tables.append(numpy.bincount(joint, minlength=64 * 64) / len(joint))
        total += 0.5 * float(numpy.abs(tables[0] - tables[1]).sum())
    return total / len(pairs)


def main():
    real = read(sys.argv[1])
    for path in sys.argv[2:]:
        other = read(path)
        line = {"synthetic": path, "age_0_1_2": [round(v, 1) for v in by_age(other, "height_cm", range(3))],
                "real_0_1_2": [round(v, 1) for v in by_age(real, "height_cm", range(3))], "infants": round(infants(other), 1),
                "real_infants": round(infants(real), 1)}
        for name in ("height_cm", "weight_kg", "school_years"):
            apart = numpy.abs(numpy.array(by_age(other, name, range(18))) - numpy.array(by_age(real, name, range(18))))
            line[name + "_error"] = round(float(numpy.nanmean(apart)), 2)
        for kind in ("equal", "share"):
            line["pairs_" + kind] = round(distance(real, other, kind), 4)
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
