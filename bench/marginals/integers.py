# SPDX-License-Identifier: Apache-2.0
"""How well `marginals` keeps integer columns, on generated tables.

    python3 bench/marginals/integers.py PROGRAM [PROGRAM...] [--values 100] [--tables 20]

Ten columns: seven integers of the shapes below and three categories. With --label a class of 30 %
has every shape mirrored, and distances are taken within the classes. For each number of rows and
epsilon it prints, averaged over the tables, per column and over the integers: the Kolmogorov-
Smirnov distance of synthetic to real, the total variation in 8 equal bins, and value by value.
The last is taken to the shape and not to the table, whose few rows are a sample of it.
"""
import argparse
import json
import os
import subprocess
import tempfile

import numpy

SHARE = 0.3  # of the second class


def shapes(values):
    """Shares of the values 1..values."""
    i = numpy.arange(values)
    u = i / (values - 1)
    bell = numpy.exp(-0.5 * ((u - 0.4) / 0.12) ** 2)
    spike = 0.3 / values + 0.2 * bell / bell.sum()
    spike[int(0.4 * (values - 1))] += 0.5
    heaped = numpy.exp(-0.5 * ((u - 0.45) / 0.2) ** 2)
    heaped *= numpy.where(i % 10 == 9, 8, numpy.where(i % 5 == 4, 4, 1))
    zeros = numpy.exp(-4 * u)
    zeros[0] += 2 * zeros.sum()
    out = {"even": numpy.ones(values), "bell": numpy.exp(-0.5 * ((u - 0.4) / 0.15) ** 2),
           "falling": numpy.exp(-12 * u), "spike": spike, "heaped": heaped, "zeros": zeros,
           "rough": numpy.random.default_rng(5).gamma(0.3, 1, values)}
    return {name: shape / shape.sum() for name, shape in out.items()}


def schema(names, values, label):
    number = {"minimum": 1, "maximum": values, "required": True}
    category = {"enum": ["a", "b", "c", "d"], "required": True}
    fields = [{"name": name, "type": "integer", "constraints": number} for name in names]
    fields += [{"name": f"c{k}", "type": "string", "constraints": category} for k in range(3)]
    if not label:
        return {"fields": fields}
    fields.append({"name": "class", "type": "string",
                   "constraints": {"enum": ["0", "1"], "required": True}})
    return {"fields": fields, "semblance": {"label": "class", "task": "classification"}}


def write(folder, known, rows, label, random):
    """A table and its schema; returns the integers and the classes."""
    values = len(next(iter(known.values())))
    classes = (random.random(rows) < SHARE).astype(int) if label else numpy.zeros(rows, int)
    numbers = []
    for shape in known.values():
        drawn = random.choice(values, rows, p=shape) + 1
        numbers.append(numpy.where(classes == 1, values + 1 - drawn, drawn))
    letters = numpy.array(list("abcd"))[random.integers(0, 4, (3, rows))]
    with open(os.path.join(folder, "schema.json"), "w", encoding="utf-8") as file:
        json.dump(schema(known, values, label), file)
    with open(os.path.join(folder, "real.csv"), "w", encoding="utf-8") as file:
        file.write(",".join([*known, "c0", "c1", "c2"] + ["class"] * label) + "\n")
        for row in zip(*numbers, *letters, *([classes] if label else [])):
            file.write(",".join(map(str, row)) + "\n")
    return numbers, classes


def run(program, folder, epsilon, known, label):
    output = tempfile.mkdtemp(dir=folder) + "/synthetic.csv"  # runs add up in real.csv.ledger, which has no limit
    subprocess.run([program, "synth", os.path.join(folder, "real.csv"), "--schema",
                    os.path.join(folder, "schema.json"), "--epsilon", epsilon, "--method",
                    "marginals", "--rows", "100000", "--quiet", "-o", output],
                   check=True, stdin=subprocess.DEVNULL)
    table = numpy.loadtxt(output, delimiter=",", skiprows=1, dtype=int,
                          usecols=[*range(len(known))] + [len(known) + 3] * label)
    classes = table[:, -1] if label else numpy.zeros(len(table), int)
    return list(table[:, :len(known)].T), classes


def distances(real, synthetic, shape):
    values = len(shape)
    p, q = (numpy.bincount(x - 1, minlength=values) / max(len(x), 1) for x in (real, synthetic))
    eighth = numpy.minimum(numpy.arange(values) * 8 // (values - 1), 7)
    coarse = numpy.bincount(eighth, p - q)
    return numpy.array([abs(numpy.cumsum(p - q)).max(), abs(coarse).sum() / 2,
                        abs(shape - q).sum() / 2])


def measure(program, folder, epsilon, known, real, classes, label):
    """(shapes, 3): mean over the classes by their real sizes."""
    synthetic, drawn = run(program, folder, epsilon, known, label)
    out = numpy.zeros((len(known), 3))
    for c in range(1 + label):
        weight = (classes == c).mean()
        for k, shape in enumerate(known.values()):
            out[k] += weight * distances(real[k][classes == c], synthetic[k][drawn == c],
                                         shape[::-1] if c else shape)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--values", type=int, default=100)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--label", action="store_true")
    parser.add_argument("--rows", type=int, nargs="+", default=[200, 1000, 10000])
    given = parser.parse_args()
    known = shapes(given.values)
    print("rows epsilon program", *known, "mean", "(KS/TV of 8 bins/TV of values)")
    for rows in given.rows:
        for epsilon in ("0.1", "1"):
            found = [[] for _ in given.programs]
            for table in range(given.tables):
                random = numpy.random.default_rng([rows, table])
                with tempfile.TemporaryDirectory() as folder:
                    real, classes = write(folder, known, rows, given.label, random)
                    for number, program in enumerate(given.programs):
                        found[number].append(measure(program, folder, epsilon, known, real,
                                                     classes, given.label))
            for number, lines in enumerate(found):
                mean = numpy.mean(lines, axis=0)
                print(rows, epsilon, number, *("/".join(f"{x:.3f}" for x in line)
                                               for line in [*mean, mean.mean(axis=0)]), flush=True)


if __name__ == "__main__":
    main()
