# SPDX-License-Identifier: Apache-2.0
"""The sets of the bench of `forest`: three that are made, and Artificial Characters.

parity: 10,000 rows of 8 numbers in [0, 1], and a label that is the parity of how many of the first three are above
one half, flipped with probability .05. No pair of columns shows anything of it.
rings: 10,000 rows; two of 6 numbers in [-3, 3] lie on one of two rings with noise, and the label is the ring, wrong
with probability .05. The label's pairs show all of it but noise: which ring follows from x^2 + y^2, a sum of one term
of each column. A set on which forests have nothing to win.
hidden: parity, of a schema that names no label: what hangs together is for a probe to find.
characters: Artificial Characters (UCI), 7 numbers and 10 classes, in parts train, val and test as CSV; from
tabular/artificial-characters_PART.csv of the repository toan-vt/cloud-data-store. Bounds are the range of the training
table rounded outwards: no published schema has any, so that they are an assumption of the bench.
"""
import json
import math
import os
import random

ROWS, TEST_ROWS = 10000, 5000


def parity(rng):
    row = [rng.random() for _ in range(8)]
    label = sum(value > .5 for value in row[:3]) % 2
    return row, label ^ (rng.random() < .05)


def rings(rng):
    label = rng.randrange(2)
    angle, radius = rng.uniform(0, 2 * math.pi), (1 if label == 0 else 2) + rng.gauss(0, .25)
    clip = lambda value: max(-3.0, min(3.0, value))
    row = [clip(radius * math.cos(angle)), clip(radius * math.sin(angle))] + [clip(rng.gauss(0, 1)) for _ in range(4)]
    return row, label ^ (rng.random() < .05)


MADE = {"parity": (parity, 8, (0, 1)), "hidden": (parity, 8, (0, 1)), "rings": (rings, 6, (-3, 3))}
BOUNDS = {"V1": (0, 10), "V2": (0, 50), "V3": (0, 70), "V4": (0, 50), "V5": (-10, 70), "V6": (0, 60), "V7": (0, 80)}
NAMES = [*MADE, "characters"]


def number(name, low, high, kind="number"):
    return {"name": name, "type": kind, "constraints": {"required": True, "minimum": low, "maximum": high}}


def schema(fields, label, classes):
    fields = [*fields, {"name": label, "type": "string",
                        "constraints": {"required": True, "enum": [str(c) for c in classes]}}]
    return {"fields": fields, "semblance": {"label": label}}


def without_label(made):
    return {**made, "semblance": {name: value for name, value in made["semblance"].items() if name != "label"}}


def write_made(name, folder, set_seed):
    make, count, (low, high) = MADE[name]
    rng = random.Random(f"{name} {set_seed}")
    for part, rows in (("train", ROWS), ("val", TEST_ROWS), ("test", TEST_ROWS)):
        with open(os.path.join(folder, f"{part}.csv"), "w", encoding="utf-8") as file:
            file.write(",".join([f"x{j + 1}" for j in range(count)] + ["y"]) + "\n")
            for _ in range(rows):
                row, label = make(rng)
                file.write(",".join([f"{value:.4f}" for value in row] + [str(int(label))]) + "\n")
    return schema([number(f"x{j + 1}", low, high) for j in range(count)], "y", range(2))


def write_characters(folder, data):
    for part in ("train", "val", "test"):
        with open(os.path.join(data, f"artificial-characters_{part}.csv"), encoding="utf-8") as source:
            text = source.read()
        with open(os.path.join(folder, f"{part}.csv"), "w", encoding="utf-8") as file:
            file.write(text)
    fields = [number(name, *bounds, "number" if name in ("V6", "V7") else "integer") for name, bounds in BOUNDS.items()]
    return schema(fields, "Class", range(1, 11))


def prepare(name, folder, data, set_seed=0):
    """train.csv, val.csv, test.csv and schema.json under folder."""
    os.makedirs(folder, exist_ok=True)
    made = write_made(name, folder, set_seed) if name in MADE else write_characters(folder, data)
    made = without_label(made) if name == "hidden" else made
    with open(os.path.join(folder, "schema.json"), "w", encoding="utf-8") as file:
        json.dump(made, file, indent=1)
