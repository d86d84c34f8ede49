# SPDX-License-Identifier: Apache-2.0
"""One pass over 573,820 x 77 from CSV beside reading it: processor seconds and wall seconds of both.

    /usr/bin/python3 bench/ron/speed.py PROGRAM BENCH_CSV WORK

BENCH_CSV is the program of bench/bench_csv.c, which reads a table five times and does nothing with it."""

import json
import os
import pathlib
import resource
import subprocess
import sys
import time

import studies
import tables

READS = 5  # of BENCH_CSV
ROUNDS = 5


def run(command, **environment):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    out = subprocess.run(command, check=True, capture_output=True, text=True,
                         env={**os.environ, "OMP_WAIT_POLICY": "passive", **environment}).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.time() - start, out


def keep(best, name, cpu, wall):
    """The least of both over the rounds."""
    for key, value in ((f"{name}_cpu_s", cpu), (f"{name}_wall_s", wall)):
        best[key] = round(min(best.get(key, value), value), 3)


def main():
    program, reader, work = sys.argv[1:4]
    folder = pathlib.Path(work) / "regression"
    table = tables.write("regression", folder)
    if not (folder / "table.csv").exists():
        (folder / "table.csv").symlink_to(table.name)
    best = {}
    for _ in range(ROUNDS):  # in turns, so that what else the machine does falls on all alike
        cpu, wall, _ = run([reader, str(folder)], OMP_NUM_THREADS="1")
        keep(best, "read", cpu / READS, wall / READS)
        for name, threads in (("fit_one", "1"), ("fit_two", "2")):
            for path in pathlib.Path(work).glob("speed.model*"):
                path.unlink()
            cpu, wall, _ = run([program, "fit", str(table), "--schema", str(folder / "schema.json"), "--epsilon", "1",
                                "--method", "ron-gauss", "-o", f"{work}/speed.model", "-q", "--threads", threads],
                               OMP_NUM_THREADS=threads)
            keep(best, name, cpu, wall)
    line = {"bench": "speed", "rows": 573820, "columns": 77, **best, "load": os.getloadavg()[0]}
    print(json.dumps(line))
    with open(studies.RESULTS, "a") as out:
        out.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
