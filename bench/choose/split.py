#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Split a training table into rows to fit and rows held out.

  split.py DATA/NAME FOLDER [--fold K] [--fit-limit N] [--heldout-limit N]

Writes FOLDER/fit.csv, FOLDER/heldout.csv and FOLDER/schema.json from DATA/NAME/train.csv.gz and its schema; no
other file is opened, the test table least of all. A row is held out (one in five) by a hash of its number, so
the split is the same everywhere and does not depend on what a row holds; where there are more rows than a
limit, those with the smallest second hash stay, in their order. --fold chooses which fifth is held out: 0 to 4.
"""
import argparse
import csv
import gzip
import hashlib
import os
import shutil

HELD_OUT_ONE_IN = 5


def row_hash(number, use):
    return int.from_bytes(hashlib.sha256(f"{use}:{number}".encode()).digest()[:8], "big")


def is_held_out(number, fold=0):
    return row_hash(number, "split") % HELD_OUT_ONE_IN == fold


def keep(numbers, limit):
    if limit and len(numbers) > limit:
        numbers = sorted(sorted(numbers, key=lambda n: row_hash(n, "limit"))[:limit])
    return numbers


def split(source, folder, fit_limit=0, heldout_limit=0, fold=0):
    """Gives how many rows there are to fit and held out."""
    with gzip.open(os.path.join(source, "train.csv.gz"), "rt", encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        header = next(reader)
        rows = list(reader)
    held_out = [n for n in range(len(rows)) if is_held_out(n, fold)]
    fit = [n for n in range(len(rows)) if not is_held_out(n, fold)]
    parts = {"fit": keep(fit, fit_limit), "heldout": keep(held_out, heldout_limit)}
    os.makedirs(folder, exist_ok=True)
    for name, numbers in parts.items():
        path = os.path.join(folder, name + ".csv")
        with open(path + ".new", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(rows[n] for n in numbers)
        os.replace(path + ".new", path)
    shutil.copyfile(os.path.join(source, "schema.json"), os.path.join(folder, "schema.json"))
    return len(parts["fit"]), len(parts["heldout"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("folder")
    parser.add_argument("--fit-limit", type=int, default=0)
    parser.add_argument("--heldout-limit", type=int, default=0)
    parser.add_argument("--fold", type=int, choices=range(HELD_OUT_ONE_IN), default=0)
    args = parser.parse_args()
    print("%d rows to fit, %d held out"
          % split(args.source, args.folder, args.fit_limit, args.heldout_limit, args.fold))


if __name__ == "__main__":
    main()
