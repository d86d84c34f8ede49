#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Splits of training tables as data set folders, for choosing constants with bench/utility.

  as_sets.py DATA FOLDER NAME... [--fold K] [--fit-limit N] [--heldout-limit N]

FOLDER/NAME gets train.csv.gz (four fifths of the training table of DATA/NAME) and test.csv.gz (the last fifth of
it): what bench/utility then calls the test table is held-out training rows. With --fold 1 to 4 another fifth is held
out, and the folder is FOLDER/NAME-K. The test table itself is never opened.
"""
import argparse
import gzip
import os
import shutil

import split


def pack(folder, source, target):
    with open(os.path.join(folder, source), "rb") as plain, gzip.open(os.path.join(folder, target), "wb") as packed:
        shutil.copyfileobj(plain, packed)
    os.remove(os.path.join(folder, source))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("folder")
    parser.add_argument("names", nargs="+")
    parser.add_argument("--fit-limit", type=int, default=0)
    parser.add_argument("--heldout-limit", type=int, default=0)
    parser.add_argument("--fold", type=int, choices=range(split.HELD_OUT_ONE_IN), default=0)
    args = parser.parse_args()
    for name in args.names:
        folder = os.path.join(args.folder, name if args.fold == 0 else f"{name}-{args.fold}")
        sizes = split.split(os.path.join(args.data, name), folder, args.fit_limit, args.heldout_limit, args.fold)
        pack(folder, "fit.csv", "train.csv.gz")
        pack(folder, "heldout.csv", "test.csv.gz")
        print("%s: %d rows to fit, %d held out" % (name, *sizes))


if __name__ == "__main__":
    main()
