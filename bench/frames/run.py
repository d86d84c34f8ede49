#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How quickly are rows read, and how much memory does it take? CSV beside Arrow from pyarrow, pandas, polars and duckdb.

    run.py [--rows N] [--times N] [--forms csv,pyarrow,...]      with semblance and these installed

Each form is fitted in a process of its own by `marginals`, which reads the table once (and a file once more, to count
it); what is timed is fit(), in processor seconds of all threads, the least of so many times (by turns, since a busy machine slows them
all). The table is made up: 12 columns of the usual kinds. `pandas` has its dates as pandas keeps them (datetime64), `pandas-objects` as
objects of Python, each of which is looked at when the frame becomes Arrow. `stream` is a reader
that gives batches of 65,536 rows, made as they are asked for (which is timed, too), to `pairs` with rounds=1: its memory must not grow
with the rows.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

FORMS = ("csv", "pyarrow", "pandas", "pandas-objects", "polars", "duckdb", "stream")
TOWNS = ["Ayr", "Bath", "Cork", "Deal", "Ely", "Fort William"]


def schema():
    fields = [{"name": f"i{k}", "type": "integer", "constraints": {"minimum": 0, "maximum": 999}} for k in range(4)]
    fields += [{"name": f"x{k}", "type": "number", "constraints": {"minimum": 0, "maximum": 1}} for k in range(4)]
    fields += [{"name": f"t{k}", "type": "string", "constraints": {"enum": TOWNS}} for k in range(3)]
    return {"fields": fields + [{"name": "day", "type": "date", "constraints": {"minimum": "2000-01-01", "maximum": "2029-12-31"}}]}


def batch(rows, seed):
    """Columns of numpy; numbers have six digits, so that their text means the same."""
    import numpy

    draw = numpy.random.default_rng(seed)
    columns = {f"i{k}": draw.integers(0, 1000, rows) for k in range(4)}
    columns.update({f"x{k}": draw.integers(0, 10**6, rows) / 10**6 for k in range(4)})
    columns.update({f"t{k}": numpy.array(TOWNS)[draw.integers(0, len(TOWNS), rows)] for k in range(3)})
    columns["day"] = (draw.integers(11000, 20000, rows)).astype("datetime64[D]")
    return columns


def arrow(rows):
    import pyarrow

    return pyarrow.table(batch(rows, 1))


def stream(rows):
    import pyarrow

    size = 65536
    first = pyarrow.record_batch(batch(1, 1))
    parts = (pyarrow.record_batch(batch(min(size, rows - begin), begin)) for begin in range(0, rows, size))
    return pyarrow.RecordBatchReader.from_batches(first.schema, parts)


def data_of(form, rows, folder):
    if form == "csv":
        return os.path.join(folder, "table.csv")
    if form == "stream":
        return stream(rows)
    table = arrow(rows)
    if form == "pandas":
        return table.to_pandas().astype({"day": "datetime64[s]"})
    if form == "pandas-objects":
        return table.to_pandas()
    if form == "polars":
        import polars

        return polars.DataFrame(table)
    if form == "duckdb":
        import duckdb

        return duckdb.from_arrow(table)
    return table


def peak():
    """Of this process since it began, in MB. Not getrusage(), which counts what its parent had."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))


def one(form, rows, folder):
    """Fit it here, and print what that took."""
    import semblance

    options = {"rounds": 1, "method": "pairs"} if form == "stream" else {"method": "marginals"}
    release = os.path.join(folder, form + ".release")
    synthesizer = semblance.Synthesizer(epsilon=1, delta=1e-8, schema=schema(), threads=1, progress=False, release=release,
                                        certificate=release + ".json", ledger=release + ".ledger", **options)
    data = data_of(form, rows, folder)
    before = peak()
    began, cpu = time.perf_counter(), time.process_time()
    synthesizer.fit(data)
    took = {"form": form, "rows": rows, "cpu_s": time.process_time() - cpu, "wall_s": time.perf_counter() - began,
            "peak_MB": peak(), "before_MB": before}
    print(json.dumps(took))


def measure(form, rows, folder):
    """In a process of its own."""
    for old in ("", ".json", ".ledger", ".ledger.lock"):
        if os.path.exists(os.path.join(folder, form + ".release" + old)):
            os.remove(os.path.join(folder, form + ".release" + old))
    done = subprocess.run([sys.executable, __file__, "--one", form, "--rows", str(rows), "--folder", folder],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--forms", default=",".join(FORMS))
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        return one(arguments.one, arguments.rows, arguments.folder)
    with tempfile.TemporaryDirectory() as folder:
        if "csv" in arguments.forms:
            arrow(arguments.rows).to_pandas().to_csv(os.path.join(folder, "table.csv"), index=False)
        best = {}
        for _ in range(arguments.times):
            for form in arguments.forms.split(","):
                took = measure(form, arguments.rows, folder)
                if form not in best or took["cpu_s"] < best[form]["cpu_s"]:
                    best[form] = took
        for form, took in best.items():
            print(f"{form:14} {took['rows'] / took['cpu_s']:12,.0f} rows per CPU second, {took['cpu_s']:.2f} s CPU, "
                  f"{took['wall_s']:.2f} s wall, peak {took['peak_MB']:.0f} MB ({took['before_MB']:.0f} before the fit)")
    return None


if __name__ == "__main__":
    main()
