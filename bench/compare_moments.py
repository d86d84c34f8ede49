#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exact second moments against numpy's matrix product in doubles (OpenBLAS dgemm), on one thread, in
turns in one run. For n rows of p columns the symmetric product counts n p^2 operations.

usage: compare_moments.py PATH/TO/bench_moments [classes batch_rows]
"""
import json
import os
import subprocess
import sys
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy  # noqa: E402 (the number of threads must be set first)


def dgemm_gflops(n=1024):
    a, b = numpy.random.default_rng(1).standard_normal((2, n, n))
    best = 1e9
    for _ in range(7):
        start = time.process_time()
        a @ b
        best = min(best, time.process_time() - start)
    return 2e-9 * n ** 3 / best


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    before = dgemm_gflops()
    run = subprocess.run(sys.argv[1:], check=True, capture_output=True, text=True)
    dgemm = max(before, dgemm_gflops())
    for line in run.stdout.splitlines():
        row = json.loads(line)
        row["numpy_dgemm_gflops"] = round(dgemm, 2)
        row["products_of_numpy"] = round(row["products_gflops"] / dgemm, 3)
        row["sum_of_numpy"] = round(row["sum_gflops"] / dgemm, 3)
        print(json.dumps(row))


if __name__ == "__main__":
    main()
