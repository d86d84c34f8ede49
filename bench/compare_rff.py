#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""RFF sums: our program against numpy float32 (batches of 512), in turns in one run.

usage: compare_rff.py PATH/TO/bench_rff [rows columns features]
"""
import json
import subprocess
import sys
import time

import numpy as np


def numpy_seconds(rows, columns, features):
    rng = np.random.default_rng(0)
    x = rng.random((rows, columns), dtype=np.float32)
    w = rng.standard_normal((columns, features // 2), dtype=np.float32)
    start = time.perf_counter()
    cosines = np.zeros(features // 2)
    sines = np.zeros(features // 2)
    for first in range(0, rows, 512):
        phase = x[first:first + 512] @ w
        cosines += np.cos(phase).sum(axis=0)
        sines += np.sin(phase).sum(axis=0)
    return time.perf_counter() - start


def main():
    sizes = [int(a) for a in sys.argv[2:5]] or [50000, 50, 10000]
    best_numpy, best = 1e9, None
    for _ in range(3):
        best_numpy = min(best_numpy, numpy_seconds(*sizes))
        ours = json.loads(subprocess.check_output([sys.argv[1], *map(str, sizes)]))
        if best is None or ours["seconds"] < best["seconds"]:
            best = ours
    best["numpy_seconds"] = round(best_numpy, 4)
    best["times_numpy"] = round(best_numpy / best["seconds"], 2)
    json.dump(best, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
