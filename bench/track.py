#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ten figures of speed and memory of one build, beside references of the same run: has a commit made something slower?

    track.py BUILD [--commit NAME] [--results FILE] [--quick]     measure, and append a line to bench/results/track.jsonl
    track.py --page FILE > docs/PERFORMANCE.md                    the page of the stored lines

BUILD holds the program semblance, as the preset `release` builds it. The tables are generated from a fixed seed: nothing here is
private. Figures are processor seconds, user and system, of whole commands on one thread, the least of a few; memory is the
most that a command held. Seconds of two machines, or of two moments of a busy one, say little about two commits. So each line also
has references of the same minute, and ratios to them: a memcpy, a product of matrices (by OpenBLAS or BLIS) and DuckDB's
read of the same CSV file (by build/engines or --duckdb). A reference that is not there leaves its ratios empty. About two minutes of a
processor; --quick takes a tenth of the rows and stores nothing. Standard library of Python only.
"""
import argparse
import ctypes
import ctypes.util
import csv
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "cores"))
import run as cores  # its generated table

BLOCK, REPEATS = 50000, 10  # rows of a fit; the table that is only read and drawn repeats them
FEW, MANY = 20, 120  # steps of a training
NOISE = ["--epsilon", "1", "--delta", "1e-6"]
COPIED, SIDE = 1 << 28, 1536  # bytes of the memcpy, rows of the matrices
# figure: (unit, its reference, what is measured)
FIGURES = {
    "read csv": ("s", "duckdb", "`sum` of one-way counts of 500,000 rows of CSV"),
    "read ndjson": ("s", "duckdb", "the same rows as NDJSON"),
    "read parquet": ("s", "duckdb", "the same rows as Parquet"),
    "sum features": ("s", "gemm", "`sum` of the random features of `merf`, 50,000 rows"),
    "fit pairs": ("s", "gemm", "`fit --method pairs`, 50,000 rows: reading, sums, noise and model"),
    "fit auto": ("s", "gemm", "`fit --method auto` of the same rows, with what its probe costs"),
    "train step": ("s", "gemm", "100 steps of the generator of `merf`"),
    "draw csv": ("s", "memcpy", "`sample` of 500,000 rows of `pairs` as CSV"),
    "draw parquet": ("s", "memcpy", "the same as Parquet"),
    "memory": ("MB", "table", "the most that `fit --method auto` held; the reference is the size of its table"),
}
REFERENCES = {"memcpy": "1 GiB copied, 256 MiB at a time", "gemm": "a product of two matrices of 1,536 x 1,536 floats, ten times",
              "duckdb": "DuckDB, one thread: the values of each column of the CSV file counted", "table": "megabytes of the table that is fitted"}


# ---- references: each in a process of its own; a command that is started counts the memory of this one as its own, which so stays small ----

def copy_memory():
    source, target = (ctypes.create_string_buffer(COPIED) for _ in range(2))
    ctypes.memmove(target, source, COPIED)
    begun = time.process_time()
    for _ in range(4):
        ctypes.memmove(target, source, COPIED)
    return time.process_time() - begun


def blas():
    for name in ("openblas", "blis", "cblas", "blas"):
        path = ctypes.util.find_library(name)
        library = ctypes.CDLL(path) if path else None
        if library is not None and hasattr(library, "cblas_sgemm"):
            return library
    return None


def multiply():
    library = blas()
    if library is None:
        return None
    size = SIDE * SIDE
    one, two, product = ((ctypes.c_float * size)(*([0.5] * size)) for _ in range(3))
    call = library.cblas_sgemm
    call.argtypes = [ctypes.c_int] * 6 + [ctypes.c_float, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_float,
                                          ctypes.c_void_p, ctypes.c_int]
    times = []
    for _ in range(11):
        begun = time.process_time()
        call(101, 111, 111, SIDE, SIDE, SIDE, 1.0, one, SIDE, two, SIDE, 0.0, product, SIDE)
        times.append(time.process_time() - begun)
    return sum(times[1:])


class Engine:
    """DuckDB by its C functions."""

    def __init__(self, path):
        self.library, self.database, self.connection = ctypes.CDLL(path), ctypes.c_void_p(), ctypes.c_void_p()
        self.library.duckdb_open(None, ctypes.byref(self.database))
        self.library.duckdb_connect(self.database, ctypes.byref(self.connection))
        self.do("SET threads = 1")

    def do(self, sql):
        if self.library.duckdb_query(self.connection, sql.encode(), None) != 0:
            sys.exit(f"track.py: DuckDB refuses: {sql}")


def columns_for_engine():
    return "{" + ", ".join(f"'{name}': '{'BIGINT' if len(rest) == 3 else 'VARCHAR'}'" for name, *rest in cores.TABLE) + "}"


def read_by_engine(library, path):
    engine = Engine(library)
    counts = ", ".join(f"count({column[0]})" for column in cores.TABLE)
    begun = time.process_time()
    engine.do(f"SELECT {counts} FROM read_csv('{path}', header = true, auto_detect = false, columns = {columns_for_engine()})")
    return time.process_time() - begun


def write_parquet(library, path, to):
    Engine(library).do(f"COPY (SELECT * FROM read_csv('{path}', header = true, auto_detect = false, columns = {columns_for_engine()})) "
                       f"TO '{to}' (FORMAT parquet)")
    return 0.0


def apart(name, *words):
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", BLIS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    done = subprocess.run([sys.executable, __file__, "--apart", name, *words], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


# ---- figures ----

def measure(command, times):
    """The least processor seconds, and the most megabytes."""
    best, most = None, 0
    for _ in range(times):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"track.py: {' '.join(command)}: {said.strip()}")
        taken = used.ru_utime + used.ru_stime
        best, most = taken if best is None else min(best, taken), max(most, used.ru_maxrss / 1024)
    return best, most


def make_tables(folder, block):
    """block.csv, and its rows ten times as rows.csv and rows.ndjson."""
    cores.make_table(f"{folder}/block.csv", int(block), "pairs")
    cores.describe(f"{folder}/schema.json", "pairs")
    with open(f"{folder}/block.csv", encoding="utf-8") as file:
        head, body = file.readline(), file.read()
    with open(f"{folder}/rows.csv", "w", encoding="utf-8") as out:
        out.write(head)
        for _ in range(REPEATS):
            out.write(body)
    numbers = {name for name, *rest in cores.TABLE if len(rest) == 3}
    lines = "".join(json.dumps({name: int(cell) if name in numbers else cell for name, cell in row.items()}) + "\n"
                    for row in csv.DictReader([head, *body.splitlines()]))
    with open(f"{folder}/rows.ndjson", "w", encoding="utf-8") as out:
        for _ in range(REPEATS):
            out.write(lines)


APART = {"memcpy": copy_memory, "gemm": multiply, "duckdb": read_by_engine, "parquet": write_parquet, "tables": make_tables}


def commands(program, folder, block, duckdb):
    """(figure, command, how often, what it is subtracted from)"""
    schema, quiet = ["--schema", f"{folder}/schema.json"], ["--quiet", "-f", "--threads", "1"]
    engine = ["--duckdb", duckdb] if duckdb else []
    rows = block * REPEATS
    for name, count, method in (("ones", rows, ["--method", "marginals"]), ("features", block, ["--method", "merf"])):
        measure([program, "plan", *schema, "-n", str(count), *NOISE, *method, "--no-estimate", "--save", f"{folder}/{name}.plan"], 1)

    def of_sum(table, plan):
        return [program, "sum", f"{folder}/{table}", "--plan", f"{folder}/{plan}.plan", "-o", f"{folder}/sums", *quiet]

    def fit(method, *more):
        return [program, "fit", f"{folder}/block.csv", *schema, *NOISE, "--method", method, *more, "--model", f"{folder}/{method}.model",
                "--release", f"{folder}/{method}.release", "--certificate", f"{folder}/{method}.json", *quiet]

    def draw(kind):
        return [program, "sample", f"{folder}/pairs.model", "-n", str(rows), "-o", f"{folder}/drawn.{kind}", *quiet]

    yield "read csv", of_sum("rows.csv", "ones"), 3
    yield "read ndjson", of_sum("rows.ndjson", "ones"), 2
    if duckdb:
        yield "read parquet", [*of_sum("rows.parquet", "ones"), *engine], 3
    yield "sum features", of_sum("block.csv", "features"), 2
    yield "fit pairs", fit("pairs"), 2
    yield "fit auto", fit("auto"), 1
    yield "few steps", fit("merf", "--steps", str(FEW)), 1
    yield "many steps", fit("merf", "--steps", str(MANY)), 1
    yield "draw csv", draw("csv"), 2
    if duckdb:
        yield "draw parquet", [*draw("parquet"), *engine], 2


def figures_of(program, folder, block, duckdb):
    found = {}
    for name, command, times in commands(program, folder, block, duckdb):
        seconds, megabytes = measure(command, times)
        found[name] = seconds
        if name == "fit auto":
            found["memory"] = megabytes
        print(f"{name:14}{seconds:9.3f} s{megabytes:9.0f} MB", flush=True)
    found["train step"] = found.pop("many steps") - found.pop("few steps")
    return {name: round(found[name], 4) for name in FIGURES if name in found}


def references_of(folder, duckdb):
    found = {"memcpy": apart("memcpy"), "gemm": apart("gemm"), "duckdb": apart("duckdb", duckdb, f"{folder}/rows.csv") if duckdb else None}
    return found


def least(first, second):
    return {name: None if one is None else round(min(one, second[name]), 4) for name, one in first.items()}


# ---- lines ----

def machine():
    model = platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
        model = names[0] if names else model
    except OSError:
        pass
    return f"{model}, {len(os.sched_getaffinity(0))} cores"


def commit_of(given):
    if given:
        return given
    said = [subprocess.run(["git", "-C", str(HERE), *words], stdout=subprocess.PIPE, text=True, check=False).stdout.strip()
            for words in (("rev-parse", "--short=8", "HEAD"), ("status", "--porcelain", "--untracked-files=no", "--", "../src", "../cli"))]
    return said[0] + ("+" if said[1] else "")


def ratios_of(line):
    """Each figure over its reference."""
    found = {}
    for name, value in line["figures"].items():
        base = line["references"].get(FIGURES[name][1])
        found[name] = round(value / base, 3) if base else None
    return found


def track(said):
    program = f"{said.build}/semblance"
    duckdb = said.duckdb or str(HERE.parent / "build" / "engines" / "libduckdb.so")
    duckdb = os.path.abspath(duckdb) if os.path.exists(duckdb) else None
    block = BLOCK // 10 if said.quick else BLOCK
    if not os.path.exists(program):
        sys.exit(f"track.py: {program} is not there: build the preset release")
    with tempfile.TemporaryDirectory(prefix="track-") as folder:
        apart("tables", folder, str(block))
        if duckdb:
            apart("parquet", duckdb, f"{folder}/rows.csv", f"{folder}/rows.parquet")
        before = references_of(folder, duckdb)
        figures = figures_of(program, folder, block, duckdb)
        references = least(before, references_of(folder, duckdb))
        references["table"] = round(os.path.getsize(f"{folder}/block.csv") / 1e6, 4)
    line = {"bench": "track", "commit": commit_of(said.commit), "day": time.strftime("%Y-%m-%d"), "machine": machine(),
            "load": round(os.getloadavg()[0], 1), "rows": block, "references": references, "figures": figures}
    line["ratios"] = ratios_of(line)
    print(json.dumps(line))
    if not said.quick:
        with open(said.results, "a", encoding="utf-8") as out:
            out.write(json.dumps(line) + "\n")


# ---- the page ----

HEAD = """# Speed and memory over commits

<!-- Generated by bench/track.py from bench/results/track.jsonl: do not edit. -->

This page is for people who change the code. After it you know whether a commit made the program slower or larger. `bench/track.py
BUILD` measures ten figures of a release build on generated tables, with references in the same run, and appends a line to
`bench/results/track.jsonl`; it takes about two minutes of a processor. This page is made by

```
bench/track.py --page bench/results/track.jsonl > docs/PERFORMANCE.md
```

Compare ratios, not seconds: a busy machine makes the references slower too. Ratios of two machines are not alike either, so each machine has
its own table. A change of less than a third of a ratio to `duckdb` or `memcpy` may be load alone.

## What is measured

| figure | what | reference |
|---|---|---|
"""


def page(path):
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file if line.strip()]
    out = [HEAD.rstrip("\n")]
    out += [f"| {name} | {what} | {base} |" for name, (_, base, what) in FIGURES.items()]
    out += ["", "| reference | what |", "|---|---|", *(f"| {name} | {what} |" for name, what in REFERENCES.items())]
    for kind in dict.fromkeys(line["machine"] for line in lines):
        out += ["", *of_machine(kind, [line for line in lines if line["machine"] == kind])]
    return "\n".join(out) + "\n"


def of_machine(kind, lines):
    """Tables of ratios and of figures, commits as rows, and the last over the first."""
    heading = "| commit | day | load | " + " | ".join(FIGURES) + " |"
    rule = "|---|---|---|" + "---|" * len(FIGURES)
    out = [f"## {kind}", "", "Ratios to the references; less is better.", "", heading, rule]
    out += [row_of(line, ratios_of(line), 2) for line in lines]
    if len(lines) > 1:
        first, last = ratios_of(lines[0]), ratios_of(lines[-1])
        change = [f"{last[name] / first[name]:.2f}" if first.get(name) and last.get(name) else "-" for name in FIGURES]
        out += [f"| last / first | | | {' | '.join(change)} |"]
    out += ["", "The figures themselves: seconds of a processor, and megabytes.", "", heading, rule]
    return out + [row_of(line, line["figures"], 2) for line in lines]


def row_of(line, values, digits):
    cells = ["-" if values.get(name) is None else f"{values[name]:.{digits}f}" for name in FIGURES]
    return f"| {line['commit']} | {line['day']} | {line['load']} | {' | '.join(cells)} |"


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("build", nargs="?")
    ask.add_argument("--commit", help="of the build, where it is not the one that is checked out")
    ask.add_argument("--duckdb", help="DuckDB's library; by default that of build/engines")
    ask.add_argument("--results", default=str(HERE / "results" / "track.jsonl"))
    ask.add_argument("--quick", action="store_true")
    ask.add_argument("--page", metavar="FILE")
    ask.add_argument("--apart", nargs="+", help=argparse.SUPPRESS)
    said = ask.parse_args()
    if said.apart:
        print(json.dumps(APART[said.apart[0]](*said.apart[1:])))
    elif said.page:
        sys.stdout.write(page(said.page))
    elif said.build:
        track(said)
    else:
        ask.error("name a build, or --page FILE")


if __name__ == "__main__":
    main()
