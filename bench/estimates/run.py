#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are plan's estimates right? Plans a job, runs it, and prints estimate over measurement, one JSON line each.

    run.py [--program build/release/semblance] [--sets FOLDER] [--jobs NAME,...] [--results FILE] [--again] [--table]

Processor seconds (user and system, all threads) and peak memory are compared: both are independent of what else the machine does. A plan
sees public sizes only. Where a probe decides on forests, the run is compared with the estimate of what the probe decided, which the number of
releases tells. FOLDER holds NAME/schema.json and NAME/train.csv.gz of real tables; without it only generated jobs run. A job that the
results file already has for this build is not measured again unless --again is given. --table prints a Markdown table of the file.
NOT PRIVATE where real tables are given: what a run takes is measured on their records.
"""
import argparse
import csv
import gzip
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "utility"))

REAL = ("adult", "cervical", "credit", "epileptic", "gfe", "isolet")
SHAPES = {"lab": (30, 5000, "mixed"), "two values": (60, 20000, "two"), "long column": (10, 30000, "long"), "rows": (12, 200000, "mixed")}
GENERATED = ("clinic", *SHAPES, "visits", "many visits", "bank", "small bank", "orders", "marginals", "merf")


def count_rows(path):
    with (gzip.open if str(path).endswith(".gz") else open)(path, "rb") as file:
        return sum(1 for _ in file) - 1


def table(path, schema, rows=None, options=()):
    """Words of plan and of synth."""
    rows = rows or count_rows(path)
    return ["--schema", schema, "-n", str(rows), *options], [path, "--schema", schema, *options]


def of_shape(name, folder):
    import scale  # in a process of its own: its memory would count as the program's, which is forked from this one
    maker = multiprocessing.Process(target=scale.make, args=(str(folder), *SHAPES[name]))
    maker.start()
    maker.join()
    return table(folder / "train.csv", folder / "schema.json", SHAPES[name][1])


def of_visits(folder, times):
    import persons
    schema = json.loads(json.dumps(persons.SCHEMA))
    schema["semblance"].update(unit="patient", max_rows_per_unit=20)
    for field in schema["fields"]:
        if field["name"] in ("sex", "region", "born"):
            field["semblance"] = {"per": "unit"}
    rows = [[f"{time}{row[0]}", *row[1:]] for time in range(times) for row in persons.visits(time)]
    with open(folder / "train.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([[field["name"] for field in schema["fields"]], *rows])
    (folder / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
    told = ["--expect-persons", str(times * persons.PERSONS)]
    plan, run = table(folder / "train.csv", folder / "schema.json", len(rows), told)
    return plan, [*run, "--expect-rows", str(len(rows))]


def of_bank(folder, accounts, examples):
    shutil.copy(HERE.parents[1] / "examples" / "bank.json", folder / "datapackage.json")
    subprocess.run([examples / "make_bank", folder, str(accounts)], check=True)
    package = ["--package", folder / "datapackage.json"]
    return [*package, "--persons", str(accounts)], [*package, "--expect-persons", str(accounts)]


def of_orders(folder, customers):
    """Two linked tables: customers with 0 to 30 orders, 8 on average."""
    draw = random.Random(1)
    of = lambda name, values: {"name": name, "type": "string", "constraints": {"enum": values, "required": True}}
    whole = lambda name, most: {"name": name, "type": "integer", "constraints": {"minimum": 0, "maximum": most, "required": True}}
    regions, goods = list("nsew"), [f"g{i}" for i in range(40)]
    orders = {"primaryKey": "order", "foreignKeys": [{"fields": "customer", "reference": {"resource": "customers", "fields": "customer"}}],
              "fields": [{"name": "order", "type": "integer"}, {"name": "customer", "type": "integer"}, of("goods", goods), whole("pieces", 20), whole("price", 1000)],
              "semblance": {"max_rows_per_unit": 30}}
    root = {"primaryKey": "customer", "fields": [{"name": "customer", "type": "integer"}, of("region", regions), whole("born", 2010)]}
    package = {"name": "shop", "resources": [{"name": "customers", "path": "customers.csv", "schema": root}, {"name": "orders", "path": "orders.csv", "schema": orders}]}
    (folder / "datapackage.json").write_text(json.dumps(package), encoding="utf-8")
    number = 0
    with open(folder / "customers.csv", "w", encoding="utf-8") as persons, open(folder / "orders.csv", "w", encoding="utf-8") as rows:
        persons.write("customer,region,born\n")
        rows.write("order,customer,goods,pieces,price\n")
        for customer in range(customers):
            persons.write(f"{customer},{draw.choice(regions)},{draw.randint(1930, 2010)}\n")
            for _ in range(min(30, int(draw.expovariate(1 / 8)))):
                rows.write(f"{number},{customer},{draw.choice(goods)},{draw.randint(0, 20)},{draw.randint(0, 1000)}\n")
                number += 1
    words = ["--package", folder / "datapackage.json"]
    return [*words, "--persons", str(customers)], [*words, "--expect-persons", str(customers)]


def words_of(name, folder, args):
    examples = pathlib.Path(args.program).resolve().parent / "examples"
    if name in SHAPES:
        return of_shape(name, folder)
    if name in ("visits", "many visits"):
        return of_visits(folder, 1 if name == "visits" else 4)
    if name == "orders":
        return of_orders(folder, 10000)
    if name in ("bank", "small bank"):
        return of_bank(folder, 4500 if name == "bank" else 1000, examples)
    if name in ("clinic", "marginals", "merf"):
        with open(folder / "train.csv", "wb") as file:
            subprocess.run([examples / "make_clinic", "4000" if name == "clinic" else "20000"], check=True, stdout=file)
        options = [] if name == "clinic" else ["--method", name]
        return table(folder / "train.csv", HERE.parents[1] / "examples" / "clinic.json", options=options)
    kept = pathlib.Path(args.sets) / name
    return table(kept / "train.csv.gz", kept / "schema.json")


def measure(name, args):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        plan, run = words_of(name, folder, args)
        common = ["--epsilon", "1"]
        os.environ.update(OMP_WAIT_POLICY="passive", OMP_NUM_THREADS=str(args.threads))  # threads that wait take no processor time
        said = json.loads(subprocess.run([args.program, "plan", *plan, *common, "--json"], check=True, capture_output=True, text=True).stdout)
        per = ["--rows-per-person", str(said["rows_together"])] if "rows_together" in said else []
        subprocess.run([args.program, "ledger", "init", folder / "ledger", *per, "--quiet"], check=True)
        errors = folder / "errors"
        synth = [args.program, "synth", *run, *common, "--ledger", folder / "ledger", "--quiet", "-o", folder / "out"]
        took = json.loads(subprocess.run([sys.executable, HERE.parent / "limited.py", str(args.most_seconds), "0", os.devnull, errors, *synth],
                                         check=True, capture_output=True, text=True).stdout)
        if took["status"] != 0:
            raise SystemExit(f"run.py: {name}: status {took['status']}: {errors.read_text(encoding='utf-8').strip()}")
        releases = len(list(folder.glob("out.release*")))
        estimate = said["estimate"]
        forests = "with_forests" in estimate and releases > 4
        of = {**estimate, **estimate["with_forests"]} if forests else estimate
        return {"method": said["method"], "rows": said.get("n"), "forests": forests, "threads": args.threads,
                "planned_cpu_seconds": round(of["processor_seconds"], 2), "planned_mb": round(of["bytes"] / 1e6, 1),
                "cpu_seconds": took["cpu_seconds"], "peak_mb": round(took["peak_mb"] * 1.048576, 1),
                "time_ratio": round(of["processor_seconds"] / max(took["cpu_seconds"], 0.01), 2),
                "memory_ratio": round(of["bytes"] / 1048576 / took["peak_mb"], 2)}


def read_lines(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.endswith("}\n")]


def print_table(lines):
    print("| job | method | planned CPU s | CPU s | ratio | planned MB | MB | ratio |\n|---|---|---|---|---|---|---|---|")
    for line in {line["job"]: line for line in lines}.values():
        method = line["method"] + (" with forests" if line["forests"] else "")
        print(f"| {line['job']} | {method} | {line['planned_cpu_seconds']} | {line['cpu_seconds']} | {line['time_ratio']} | "
              f"{line['planned_mb']} | {line['peak_mb']} | {line['memory_ratio']} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/semblance")
    parser.add_argument("--sets", help="the folder of real tables")
    parser.add_argument("--jobs", type=lambda text: text.split(","))
    parser.add_argument("--results", default="bench/results/estimates.jsonl")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--most-seconds", type=int, default=600, help="of processor time, for one run")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    if args.table:
        print_table(read_lines(args.results))
        return 0
    import program
    build = program.describe(args.program)
    done = set() if args.again else {line["job"] for line in read_lines(args.results) if build.items() <= line.items()}
    for name in args.jobs or [*GENERATED, *(REAL if args.sets else ())]:
        if name in done:
            continue
        notice = "NOT PRIVATE: measured on real records" if name in REAL else "generated data"
        line = {"notice": notice, "job": name, **build, **measure(name, args)}
        with open(args.results, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
