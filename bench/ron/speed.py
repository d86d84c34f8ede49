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


def run(command, **environment):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    out = subprocess.run(command, check=True, capture_output=True, text=True,
                         env={**os.environ, "OMP_WAIT_POLICY": "passive", **environment}).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.time() - start, out


def main():
    program, reader, work = sys.argv[1:4]
    folder = pathlib.Path(work) / "regression"
    table = tables.write("regression", folder)
    if not (folder / "table.csv").exists():
        (folder / "table.csv").symlink_to(table.name)
    cpu, wall, _ = run([reader, str(folder)])
    line = {"bench": "speed", "rows": 573820, "columns": 77, "read_cpu_s": cpu / 5, "read_wall_s": wall / 5}
    for name, threads in (("one", "1"), ("two", "2")):
        best = None
        for _ in range(3):
            for path in pathlib.Path(work).glob("speed.model*"):
                path.unlink()
            found = run([program, "fit", str(table), "--schema", str(folder / "schema.json"), "--epsilon", "1",
                         "--method", "ron-gauss", "-o", f"{work}/speed.model", "-q", "--threads", threads],
                        OMP_NUM_THREADS=threads)[:2]
            best = min(best or found, found)
        line[f"fit_{name}_cpu_s"], line[f"fit_{name}_wall_s"] = best
    print(json.dumps(line))
    with open(studies.RESULTS, "a") as out:
        out.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
