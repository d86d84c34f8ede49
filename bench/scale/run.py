#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How quickly are rows summed in parts, in how many bytes and how much memory? Processes, executors of Spark, and the program.

    run.py make FOLDER --rows N                        the table, made up, as Parquet: files of a million rows
    run.py fit FOLDER --rows N [--by local|spark|program] [--processes P] [--method M] [--program PATH --duckdb PATH]
    run.py merge [--values N]                          what merging costs for each million values
    run.py draw --rows N [--processes P]               synthetic rows into Parquet

With semblance (PYTHONPATH) and pyarrow, numpy, of Spark pyspark. Each result is a line of JSON on standard output, and at the end of
--results where that is given. wall_seconds is of fit() alone, without the start of Spark; cpu_seconds of all processes that did it. peak_mb is the sum of what
all of them hold at one time (looked at five times a second), largest_mb the most that one process held. `plan` is in it: what is summed is what a user would.
"""
import argparse
import glob
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time

SIZE = 1_000_000  # rows of a file
GROUP = 125_000  # and of a row group
TOWNS = ["Ayr", "Bath", "Cork", "Deal", "Ely", "Fowey", "Goole", "Hull"]
JOBS = ["clerk", "cook", "driver", "farmer", "nurse", "smith", "teacher", "weaver", "other"]
LEVELS = ["none", "school", "college", "higher"]


def schema():
    """15 columns: 5 integers, 4 numbers, 5 categories, a date; the label depends on some of them."""

    def number(name, kind, low, high):
        return {"name": name, "type": kind, "constraints": {"minimum": low, "maximum": high, "required": True}}

    def choice(name, values):
        return {"name": name, "type": "string", "constraints": {"enum": values, "required": True}}

    fields = [number("age", "integer", 18, 90), number("hours", "integer", 0, 80), number("children", "integer", 0, 9),
              number("visits", "integer", 0, 99), number("score", "integer", 0, 1000), number("height", "number", 120, 220),
              number("weight", "number", 30, 200), number("income", "number", 0, 100000), number("distance", "number", 0, 100),
              choice("town", TOWNS), choice("job", JOBS), choice("level", LEVELS), choice("sex", ["f", "m"]),
              {"name": "joined", "type": "date", "constraints": {"minimum": "2000-01-01", "maximum": "2025-12-31", "required": True}},
              choice("wage", ["low", "high"])]
    return {"fields": fields, "semblance": {"label": "wage", "task": "classification"}}


def batch(rows, seed):
    import numpy
    import pyarrow

    draw = numpy.random.default_rng(seed)
    age, hours = draw.integers(18, 91, rows), draw.integers(0, 81, rows)
    height = numpy.round(draw.normal(170, 10, rows).clip(120, 220), 1)
    level = draw.integers(0, 4, rows)
    income = numpy.round((draw.gamma(2.0, 8000.0, rows) * (1 + level)).clip(0, 100000), 2)

    def coded(values, codes):
        return pyarrow.DictionaryArray.from_arrays(pyarrow.array(codes.astype("int8")), pyarrow.array(values))

    return pyarrow.table({
        "age": age, "hours": hours, "children": draw.poisson(1.2, rows).clip(0, 9), "visits": draw.poisson(4.0, rows).clip(0, 99),
        "score": draw.integers(0, 1001, rows), "height": height,
        "weight": numpy.round((height - 100 + draw.normal(0, 12, rows)).clip(30, 200), 1), "income": income,
        "distance": numpy.round(draw.exponential(12.0, rows).clip(0, 100), 1), "town": coded(TOWNS, draw.integers(0, 8, rows)),
        "job": coded(JOBS, draw.integers(0, 9, rows)), "level": coded(LEVELS, level), "sex": coded(["f", "m"], draw.integers(0, 2, rows)),
        "joined": draw.integers(10957, 20454, rows).astype("datetime64[D]"),
        "wage": coded(["low", "high"], (income + 300 * (age - 40) + draw.normal(0, 8000, rows) > 30000).astype("int64")),
    })


def make(folder, rows):
    import pyarrow.parquet

    os.makedirs(folder, exist_ok=True)
    for first in range(0, rows, SIZE):
        path = os.path.join(folder, f"{first // SIZE:05d}.parquet")
        if not os.path.exists(path):
            pyarrow.parquet.write_table(batch(min(SIZE, rows - first), first), path + ".part", row_group_size=GROUP)
            os.rename(path + ".part", path)


def files_of(folder, rows):
    found = sorted(glob.glob(os.path.join(folder, "*.parquet")))[: -(-rows // SIZE)]
    if len(found) * SIZE < rows:
        sys.exit(f"{folder} has fewer rows: run.py make {folder} --rows {rows}")
    return found


# ---- how much of the machine it takes ----


def tree(root):
    """The process and all below it."""
    parents = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                parents.setdefault(int(file.read().rsplit(")", 1)[1].split()[1]), []).append(int(name))
        except OSError:
            continue
    found, waiting = [], [root]
    while waiting:
        found.append(waiting.pop())
        waiting += parents.get(found[-1], [])
    return found


def look(process):
    """(processor seconds, resident MB), or nothing of one that is gone."""
    try:
        with open(f"/proc/{process}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        ticks = sum(map(int, fields[11:13]))
        return ticks / os.sysconf("SC_CLK_TCK"), int(fields[21]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except (OSError, IndexError):
        return None


class Watch(threading.Thread):
    """Processor time and memory of this process and all below it, from now until stop()."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seconds, self.before, self.peak, self.largest, self.ends = {}, {}, 0.0, 0.0, threading.Event()
        self.glance()
        self.before = dict(self.seconds)
        self.peak = self.largest = 0.0

    def glance(self):
        seen = {process: found for process in tree(os.getpid()) if (found := look(process))}
        self.seconds.update({process: found[0] for process, found in seen.items()})
        self.peak = max(self.peak, sum(found[1] for found in seen.values()))
        self.largest = max(self.largest, *(found[1] for found in seen.values()))

    def run(self):
        while not self.ends.wait(0.2):
            self.glance()

    def stop(self):
        self.ends.set()
        self.join()
        self.glance()
        spent = sum(self.seconds.values()) - sum(self.before.values())
        return {"cpu_seconds": round(spent, 1), "peak_mb": round(self.peak), "largest_mb": round(self.largest)}


# ---- what is measured ----


class Counted:
    """Partitions whose parts are counted on their way to the driver."""

    def __init__(self, engine):
        self.engine, self.shares, self.bytes, self.rounds, self.part_bytes = engine, engine.shares, 0, 0, 0
        self.columns, self.count, self.parts = engine.columns, engine.count, engine.parts

    def sums(self, work):
        self.rounds += 1
        for part in self.engine.sums(work):
            self.bytes += len(part.sums)
            self.part_bytes = max(self.part_bytes, len(part.sums))
            yield part


def spark_session(executors):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(f"local-cluster[{executors},1,2048]")
    for name, value in {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.driver.host": "127.0.0.1",
                        "spark.executor.memory": "2g", "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"]}.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


def fit(options):
    from semblance import distributed

    files = files_of(options.folder, options.rows)
    known = dict(epsilon=1, schema=schema(), method=options.method, rows=options.rows)
    result = {"what": "fit", "by": options.by, "rows": options.rows, "columns": 15, "method": options.method, "processes": options.processes,
              "input_mb": round(sum(map(os.path.getsize, files)) / 1e6)}
    with tempfile.TemporaryDirectory() as folder:
        if options.by == "program":
            return {**result, **by_program(files, folder, options)}
        if options.by == "spark":
            import semblance.spark

            session = spark_session(options.processes)
            frame = session.read.parquet(*files)
            session.range(4).count()  # executors are there
            engine = Counted(semblance.spark.Frame(frame))
        else:
            engine = Counted(distributed.Local(files, options.processes))
        watch = Watch()
        watch.start()
        began = time.monotonic()
        distributed.fit(engine, ledger=os.path.join(folder, "ledger"), **known)
        seconds = time.monotonic() - began
        result.update(wall_seconds=round(seconds, 1), rows_per_second=round(options.rows / seconds), **watch.stop())
        result.update(rounds=engine.rounds, part_bytes=engine.part_bytes, bytes_to_driver=engine.bytes)
        if options.by == "spark":
            session.stop()
    return result


def by_program(files, folder, options):
    """One process, threads as it likes: `semblance fit` of the files as one table."""
    os.mkdir(os.path.join(folder, "rows"))
    for path in files:
        os.symlink(os.path.abspath(path), os.path.join(folder, "rows", os.path.basename(path)))
    with open(os.path.join(folder, "schema.json"), "w") as file:
        json.dump(schema(), file)
    command = [options.program, "fit", os.path.join(folder, "rows", "*.parquet"), "--schema", os.path.join(folder, "schema.json"), "--epsilon", "1",
               "--method", options.method, "--model", os.path.join(folder, "model"), "--ledger", os.path.join(folder, "ledger"),
               "--threads", str(options.processes), "--health", "off", "--quiet"]
    command += ["--duckdb", options.duckdb] if options.duckdb else []
    subprocess.run([options.program, "ledger", "init", os.path.join(folder, "ledger"), "--quiet"], check=True)
    began = time.monotonic()
    subprocess.run(command, check=True)
    seconds = time.monotonic() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"wall_seconds": round(seconds, 1), "rows_per_second": round(options.rows / seconds),
            "cpu_seconds": round(used.ru_utime + used.ru_stime, 1), "largest_mb": round(used.ru_maxrss / 1e3)}


def merge(options):
    """Parts of no rows: what a merge does depends on their size alone."""
    from semblance import _core, distributed, Synthesizer
    from semblance._work import empty

    columns = max(2, round((2 * options.values / 400) ** 0.5))
    fields = [{"name": f"c{k}", "type": "string", "constraints": {"enum": [f"v{v}" for v in range(20)], "required": True}} for k in range(columns)]
    handle = Synthesizer(1, schema={"fields": fields})._schema()._handle
    names = tuple(field["name"] for field in fields)
    plan = _core.parts_plan(handle, 10**6, [("epsilon", "1"), ("method", "pairs"), ("rounds", "1")])
    work = distributed.Work(*plan, names)
    parts = [work.part(number, empty(names)) for number in range(16)]
    values = len(parts[0].sums) / 8
    began = time.process_time()
    work.merge(parts)
    seconds = time.process_time() - began
    return {"what": "merge", "parts": len(parts), "values": round(values), "part_bytes": len(parts[0].sums),
            "cpu_seconds": round(seconds, 3), "ms_a_part_and_million_values": round(1000 * seconds / len(parts) / (values / 1e6), 2)}


def draw(options):
    from semblance import Synthesizer, distributed

    with tempfile.TemporaryDirectory() as folder:
        fitted = Synthesizer(1, schema=schema(), method=options.method, ledger=os.path.join(folder, "ledger")).fit(batch(200_000, 1))
        watch = Watch()
        watch.start()
        began = time.monotonic()
        paths = distributed.sample(fitted, os.path.join(folder, "drawn"), options.rows, parts=max(1, options.rows // SIZE),
                                   processes=options.processes, seed=1)
        seconds = time.monotonic() - began
        return {"what": "draw", "by": "local", "rows": options.rows, "columns": 15, "method": options.method, "processes": options.processes,
                "output_mb": round(sum(map(os.path.getsize, paths)) / 1e6), "wall_seconds": round(seconds, 1),
                "rows_per_second": round(options.rows / seconds), **watch.stop()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("what", choices=["make", "fit", "merge", "draw"])
    add("folder", nargs="?")
    add("--rows", type=int, default=1_000_000)
    add("--by", choices=["local", "spark", "program"], default="local")
    add("--processes", type=int, default=1)
    add("--method", default="marginals")
    add("--values", type=int, default=1_000_000)
    add("--program", default="build/release/semblance")
    add("--duckdb")
    add("--results")
    options = parser.parse_args()
    if options.what == "make":
        make(options.folder, options.rows)
        return
    load = round(os.getloadavg()[0], 1)
    found = {"notice": "generated data", **{"fit": fit, "merge": merge, "draw": draw}[options.what](options), "load": load}
    line = json.dumps(found)
    print(line)
    if options.results:
        with open(options.results, "a", encoding="utf-8") as file:
            file.write(line + "\n")


if __name__ == "__main__":
    main()
