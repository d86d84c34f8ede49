#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What protecting persons costs beside protecting rows: a generated table of visits, k = 1, 3, 10, and one row one
person. Prints a Markdown table. NOT PRIVATE: compares synthetic rows with the rows they were fitted to; these are made
here from a seed.

    bench/utility/persons.py [--program build/release/semblance] [--epsilon 1] [--runs 3]
"""
import argparse
import csv
import itertools
import json
import pathlib
import random
import subprocess
import tempfile

PERSONS = 8000
MOST_VISITS = 30
REGIONS = ["north", "south", "east", "west"]
WARDS = ["surgery", "cardiology", "maternity", "eyes", "skin"]
NUMBERS = {"born": (1930, 2020), "days": (0, 40), "cost": (0, 20000)}
SCHEMA = {"fields": [
    {"name": "patient", "type": "string"},
    {"name": "sex", "type": "string", "constraints": {"enum": ["female", "male"], "required": True}},
    {"name": "region", "type": "string", "constraints": {"enum": REGIONS, "required": True}},
    {"name": "ward", "type": "string", "constraints": {"enum": WARDS, "required": True}},
    {"name": "again", "type": "string", "constraints": {"enum": ["no", "yes"], "required": True}},
] + [{"name": name, "type": "integer", "constraints": {"minimum": low, "maximum": high, "required": True}}
     for name, (low, high) in NUMBERS.items()],
    "semblance": {"label": "again"}}


def visits(seed):
    """Persons with 1 to 30 visits, 2.5 on average; the old and ill come more often, and to the same wards."""
    rng = random.Random(seed)
    rows = []
    for person in range(PERSONS):
        born = rng.randint(1930, 2020)
        frail = rng.random() < (2020 - born) / 120
        home = rng.choice(WARDS)
        fixed = [f"P{person:06d}", rng.choice(["female", "male"]), rng.choice(REGIONS)]
        count = 1
        while count < MOST_VISITS and rng.random() < (0.75 if frail else 0.45):
            count += 1
        for _ in range(count):
            ward = home if rng.random() < 0.7 else rng.choice(WARDS)
            days = min(40, int(rng.expovariate(1 / (6 if frail else 2))))
            cost = min(20000, int(300 * days + rng.expovariate(1 / 800)))
            rows.append(fixed + [ward, "yes" if frail and rng.random() < 0.6 else "no", born, days, cost])
    rng.shuffle(rows)
    return rows


def cells(rows):
    """Every column as codes: categories as they are, numbers in ten equal bins. rows: of the schema's columns."""
    names = [field["name"] for field in SCHEMA["fields"]][1:]
    coded = []
    for row in rows:
        out = []
        for name, value in zip(names, row[1:]):
            if name in NUMBERS:
                low, high = NUMBERS[name]
                out.append(min(9, int(10 * (float(value) - low) / (high - low))))
            else:
                out.append(value)
        coded.append(out)
    return coded


def distance(real, synthetic, ways):
    """Mean total variation over all sets of `ways` columns."""
    total = 0.0
    sets = list(itertools.combinations(range(len(real[0])), ways))
    for columns in sets:
        shares = {}
        for sign, rows in ((1.0, real), (-1.0, synthetic)):
            for row in rows:
                key = tuple(row[c] for c in columns)
                shares[key] = shares.get(key, 0.0) + sign / len(rows)
        total += sum(abs(v) for v in shares.values()) / 2
    return total / len(sets)


def read(path, by_person):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))[1:]
    return rows if by_person else [[None] + row for row in rows]


def run(options, folder, k):
    """One synthetic table under at most k rows of a person; None: one row is one person."""
    schema = json.loads(json.dumps(SCHEMA))
    if k is None:
        schema["fields"][0]["semblance"] = {"role": "ignore"}
    else:
        schema["semblance"].update(unit="patient", max_rows_per_unit=k)
    (folder / "schema.json").write_text(json.dumps(schema))
    (folder / "data.csv.ledger").unlink(missing_ok=True)
    command = [options.program, "synth", folder / "data.csv", "--schema", folder / "schema.json", "--epsilon",
               str(options.epsilon), "-o", folder / "out.csv", "--overwrite", "--quiet"]
    if k is not None:
        command += ["--expect-rows", str(PERSONS * min(k, 2.5)).split(".")[0]]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return read(folder / "out.csv", k is not None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/semblance")
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    print("| unit of privacy | rows that count | columns | pairs | mean rows of a synthetic person (real) |")
    print("|---|---|---|---|---|")
    for k in (None, 1, 3, 10):
        totals = [0.0] * 4
        for seed in range(options.runs):
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                rows = visits(seed)
                with open(folder / "data.csv", "w", newline="") as file:
                    writer = csv.writer(file)
                    writer.writerow([field["name"] for field in SCHEMA["fields"]])
                    writer.writerows(rows)
                made = run(options, folder, k)
                owned = {}
                for row in rows:
                    owned[row[0]] = owned.get(row[0], 0) + 1
                counted = sum(min(n, k) if k else n for n in owned.values())
                people = len({row[0] for row in made}) if k else 0
                totals[0] += counted / len(rows) / options.runs
                totals[1] += distance(cells(rows), cells(made), 1) / options.runs
                totals[2] += distance(cells(rows), cells(made), 2) / options.runs
                totals[3] += len(made) / people / options.runs if k else 0.0
                mean = counted / len(owned)
        label = "one row" if k is None else f"one person, k = {k}"
        size = "" if k is None else f"{totals[3]:.2f} ({mean:.2f})"
        print(f"| {label} | {100 * totals[0]:.0f} % | {totals[1]:.4f} | {totals[2]:.4f} | {size} |", flush=True)


if __name__ == "__main__":
    main()
