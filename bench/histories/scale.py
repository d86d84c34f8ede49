#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What whole persons cost: seconds and memory beside a flat table of as many rows with the same columns.

    bench/histories/scale.py [--program build/release/semblance] [--persons 1000000] [--order grouped,mixed]

Generated persons with 10 events on average: two columns of the person, a day that orders events, four columns of
an event. The same rows without the unit and what is said of it are the flat table. Memory stands beside what `plan`
said for as many persons and rows. One JSON line for each order of the rows is appended to --results.
"""
import argparse
import json
import multiprocessing
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "utility"))  # before this folder: it has a scale, too
import needs

needs.require(("numpy",))
import numpy
import program
from scale import measure

EVENTS, MOST, DAYS = 10, 50, 730
SEXES, REGIONS = ["f", "m"], ["north", "south", "east", "west"]
WARDS, OUTCOMES = ["surgery", "cardiology", "maternity", "eyes", "skin"], ["home", "ward", "other"]


def fields(of_persons):
    own = {"semblance": {"per": "unit"}} if of_persons else {}
    listed = lambda name, values: {"name": name, "type": "string", "constraints": {"enum": values, "required": True}}
    within = lambda name, type, low, high: {
        "name": name, "type": type, "constraints": {"minimum": low, "maximum": high, "required": True}}
    who = {"name": "patient", "type": "string"} if of_persons else {
        "name": "patient", "type": "string", "semblance": {"role": "ignore"}}
    return [who, {**listed("sex", SEXES), **own}, {**listed("region", REGIONS), **own},
            within("day", "date", "2023-01-01", "2024-12-30"), listed("ward", WARDS), listed("outcome", OUTCOMES),
            within("days", "integer", 0, 40), within("cost", "integer", 0, 20000)]


def schema(of_persons):
    said = {"unit": "patient", "order": "day", "max_rows_per_unit": MOST}
    return {"fields": fields(of_persons), **({"semblance": said} if of_persons else {})}


def make(path, persons, order):
    """Persons differ in a mean number of events, a home ward and a mean length of stay. Returns nothing: how many rows
    there are is read off the file by who wants it."""
    random = numpy.random.default_rng(7)
    frail = random.random(persons) < 0.3
    counts = numpy.clip(random.poisson(numpy.where(frail, 1.7 * EVENTS, 0.7 * EVENTS)), 1, MOST)
    who = numpy.repeat(numpy.arange(persons, dtype=numpy.int32), counts)
    rows = len(who)
    sex, region, home = (random.integers(0, n, persons, dtype=numpy.int8) for n in (2, 4, len(WARDS)))
    stays = random.random(rows) < 0.7
    ward = numpy.where(stays, home[who], random.integers(0, len(WARDS), rows, dtype=numpy.int8))
    length = numpy.minimum(random.exponential(numpy.where(frail, 6, 2)[who]), 40).astype(numpy.int8)
    cost = numpy.minimum(300 * length.astype(numpy.int32) + random.exponential(800, rows), 20000).astype(numpy.int32)
    day = random.integers(0, DAYS, rows, dtype=numpy.int16)
    outcome = numpy.where(length > 5, 1, random.integers(0, 3, rows, dtype=numpy.int8))
    days = (numpy.datetime64("2023-01-01") + numpy.arange(DAYS)).astype(str)
    at = random.permutation(rows) if order == "mixed" else numpy.arange(rows)
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join(field["name"] for field in fields(False)) + "\n")
        for begin in range(0, rows, 100000):
            part = at[begin:begin + 100000]
            own = who[part]
            cells = (own, sex[own], region[own], day[part], ward[part], outcome[part], length[part], cost[part])
            file.writelines(f"P{p:07d},{SEXES[s]},{REGIONS[r]},{days[d]},{WARDS[w]},{OUTCOMES[o]},{n},{c}\n"
                            for p, s, r, d, w, o, n, c in zip(*(column.tolist() for column in cells)))


def run(args, order):
    path = lambda file: os.path.join(args.work, file)
    os.makedirs(args.work, exist_ok=True)
    # In a process of its own: the memory of this one would count as the program's, which is forked from it.
    maker = multiprocessing.Process(target=make, args=(path("visits.csv"), args.persons, order))
    maker.start()
    maker.join()
    with open(path("visits.csv"), "rb") as file:
        rows = sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b"")) - 1
    line = {"notice": "generated data", "persons": args.persons, "rows": rows, "order": order}
    for name, of_persons in (("histories", True), ("flat", False)):
        with open(path("schema.json"), "w", encoding="utf-8") as file:
            json.dump(schema(of_persons), file)
        common = ["--schema", path("schema.json"), "--epsilon", "1", "--neighbours", "add-remove"]
        common += ["--expect-persons", str(args.persons)] if of_persons else []
        plan = subprocess.run([args.program, "plan", *common, "--rows", str(rows), "--json"], check=True,
                              capture_output=True, text=True).stdout
        for file in os.listdir(args.work):
            if file.startswith("made.csv"):
                os.remove(path(file))
        words = ["--rows-per-person", str(MOST)] if of_persons else []
        subprocess.run([args.program, "ledger", "init", path("made.csv.ledger"), "--neighbours", "add-remove", "--quiet",
                        *words], check=True)
        took = measure([args.program, "synth", path("visits.csv"), *common, "--expect-rows", str(rows), "--ledger",
                        path("made.csv.ledger"), "--quiet", "--threads", str(args.threads), "-o", path("made.csv")])
        line[name] = {**took, "planned_mb": round(json.loads(plan)["estimate"]["bytes"] / 2**20),
                      "planned_seconds": round(sum(json.loads(plan)["estimate"][key] for key in (
                          "reading_seconds", "fitting_seconds")), 1)}
    line["times"] = round(line["histories"]["cpu_seconds"] / line["flat"]["cpu_seconds"], 2)
    return {**line, "threads": args.threads, "load": round(os.getloadavg()[0], 1),
            "cores": len(os.sched_getaffinity(0)), **program.describe(args.program)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--program", default="build/release/semblance")
    add("--work", default="build/bench-histories-scale")
    add("--results", default="bench/results/histories_scale.jsonl")
    add("--persons", type=int, default=1000000)
    add("--threads", type=int, default=2)
    add("--order", type=lambda text: text.split(","), default=["grouped", "mixed"],
        help="of the rows: those of a person follow each other, or all are mixed")
    args = parser.parse_args()
    for order in args.order:
        line = run(args, order)
        with open(args.results, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        print(json.dumps(line), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
