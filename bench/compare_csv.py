#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reading a CSV table: ours against pandas.read_csv, in one run on one generated table.

usage: compare_csv.py BENCH_CSV [ROWS]

BENCH_CSV is the program built from bench/bench_csv.c. Rounds alternate, the best of each counts.
pandas reads with its defaults and again with every text column declared as a category; the ratio
is against the faster of the two.
"""
import json
import subprocess
import sys
import tempfile
import time

ROUNDS = 3


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        import pandas
    except ImportError:
        print("skipped: pandas is not installed (apt install python3-pandas)")
        return
    rows = sys.argv[2] if len(sys.argv) > 2 else "500000"
    text = ["sex", "region", "admitted", "code", "occupation", "outcome"]
    ways = {"defaults": {}, "categories": {"dtype": dict.fromkeys(text, "category")}}
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = [], {name: [] for name in ways}
        for _ in range(ROUNDS):
            line = subprocess.run([sys.argv[1], folder, rows], check=True, capture_output=True,
                                  text=True).stdout
            result = json.loads(line)
            ours.append(result["seconds"])
            for name, options in ways.items():
                start = time.perf_counter()
                frame = pandas.read_csv(folder + "/table.csv", **options)
                theirs[name].append(time.perf_counter() - start)
                assert len(frame) == result["rows"]
    best = min(min(times) for times in theirs.values())
    megabytes = result["bytes"] / 1e6
    print(f"table      {result['rows']} rows x 15 columns, {megabytes:.1f} MB")
    print(f"semblance  {min(ours):.3f} s  {megabytes / min(ours):.0f} MB/s  (one thread)")
    for name, times in theirs.items():
        print(f"pandas     {min(times):.3f} s  {megabytes / min(times):.0f} MB/s  ({name}, {pandas.__version__})")
    print(f"ratio      {best / min(ours):.2f}")


if __name__ == "__main__":
    main()
