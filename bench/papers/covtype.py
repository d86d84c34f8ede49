#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Covertype (UCI), or an excerpt of it, as a data set folder of the utility bench.

usage: bench/papers/covtype.py FILE OUT

FILE is a CSV table with the 55 columns of covtype.data in their order: ten numbers, four wilderness areas and forty kinds of soil as 0 or 1,
and the cover type, 1 to 7; with a header or without. OUT gets train.csv.gz, test.csv.gz and schema.json: 70 % and 30 %, as in DP-MERF, drawn
with a seed. Bounds are those of the set's public description, and its columns of 0 and 1 are categories, as in that paper."""
import csv
import gzip
import json
import os
import random
import sys

NUMBERS = (("elevation", 1859, 3858), ("aspect", 0, 360), ("slope", 0, 66), ("to_water", 0, 1397), ("above_water", -173, 601),
           ("to_road", 0, 7117), ("shade_9", 0, 254), ("shade_12", 0, 254), ("shade_15", 0, 254), ("to_fire_point", 0, 7173))
FLAGS = [f"area_{i}" for i in range(1, 5)] + [f"soil_{i}" for i in range(1, 41)]


def category(name, values):
    return {"name": name, "type": "string", "constraints": {"enum": [str(value) for value in values], "required": True}}


def schema():
    fields = [{"name": name, "type": "integer", "constraints": {"minimum": low, "maximum": high, "required": True}} for name, low, high in NUMBERS]
    fields += [category(name, (0, 1)) for name in FLAGS] + [category("cover", range(1, 8))]
    return {"fields": fields, "missingValues": [""], "semblance": {"label": "cover", "task": "classification"}}


def rows_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    rows = rows if rows and rows[0][0].lstrip("-").isdigit() else rows[1:]
    if not rows or any(len(row) != len(NUMBERS) + len(FLAGS) + 1 for row in rows):
        sys.exit(f"covtype.py: {path} is not a table of covtype's 55 columns")
    return rows


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    rows, out = rows_of(sys.argv[1]), sys.argv[2]
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "schema.json"), "w", encoding="utf-8") as file:
        json.dump(schema(), file, indent=1)
    random.Random(0).shuffle(rows)
    cut = len(rows) * 7 // 10
    header = [field["name"] for field in schema()["fields"]]
    for name, part in (("train", rows[:cut]), ("test", rows[cut:])):
        with gzip.open(os.path.join(out, name + ".csv.gz"), "wt", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([header, *part])
    print(f"{out}: {cut} rows to train, {len(rows) - cut} to test")


if __name__ == "__main__":
    main()
