#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Do 800 codes keep their chapter's relations? A made-up table, fitted without and with a hierarchy over the codes. NOT PRIVATE.

    codes.py SEMBLANCE [--rows 60000] [--seed 4] [--epsilon 1]

Prints one JSON line: total variation distances of chapter x sex, ward, decade of age and outcome between the table and its synthetic one. The
constant of the merging (TREE_NOISES) was chosen on seeds 2 and 3."""
import argparse
import collections
import csv
import json
import os
import random
import subprocess
import tempfile

# Letter, number of codes, weight, wards.
CHAPTERS = [("A", 40, 5, "im"), ("C", 80, 9, "oi"), ("E", 60, 6, "im"), ("F", 60, 5, "p"), ("G", 50, 5, "n"), ("H", 30, 2, "s"),
            ("I", 100, 18, "im"), ("J", 70, 10, "im"), ("K", 90, 12, "s"), ("M", 70, 9, "t"), ("N", 50, 6, "s"), ("O", 50, 9, "g"),
            ("R", 20, 3, "m"), ("S", 30, 8, "t")]
CODES = {letter: [f"{letter}{i // 5:02d}.{i % 5}" for i in range(count)] for letter, count, _, _ in CHAPTERS}
AGES = {"O": 30, "I": 70, "C": 66, "F": 42, "S": 38}


def row(rng):
    letter, count, _, wards = rng.choices(CHAPTERS, [chapter[2] for chapter in CHAPTERS])[0]
    i = min(int(rng.expovariate(4 / count)), count - 1) if rng.random() < .8 else rng.randrange(count)
    ward = rng.choice(wards) if rng.random() < .85 else rng.choice("imopnstg")
    sex = "w" if letter == "O" else rng.choices("wm", [.35, .65] if letter in "IS" else [.5, .5])[0]
    age = int(min(99, max(0, rng.gauss(AGES.get(letter, 55), 12))))
    return [sex, age, ward, CODES[letter][i], rng.choice("abcd"), "bad" if rng.random() < (.3 if letter in "CI" else .08) else "good"]


def schema(options):
    def of(name, values): return {"name": name, "type": "string", "constraints": {"enum": list(values), "required": True}}
    code = of("code", [code for codes in CODES.values() for code in codes])
    if options: code["semblance"] = options
    return {"fields": [of("sex", "wm"), {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99, "required": True}},
                       of("ward", "imopnstg"), code, of("insurer", "abcd"), of("outcome", ["good", "bad"])]}


def shares(rows, key):
    counts = collections.Counter(map(key, rows))
    return {cell: count / len(rows) for cell, count in counts.items()}


def distance(one, other): return sum(abs(one.get(cell, 0) - other.get(cell, 0)) for cell in one.keys() | other.keys()) / 2


MEASURES = {"code": lambda r: r["code"], "chapter": lambda r: r["code"][0], "chapter x sex": lambda r: (r["code"][0], r["sex"]),
            "chapter x ward": lambda r: (r["code"][0], r["ward"]), "chapter x age": lambda r: (r["code"][0], int(r["age"]) // 10),
            "chapter x outcome": lambda r: (r["code"][0], r["outcome"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("semblance")
    parser.add_argument("--rows", type=int, default=60000)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--epsilon", type=float, default=1)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    program = os.path.realpath(given.semblance)
    here = os.path.dirname(os.path.realpath(__file__))
    commit = subprocess.run(["git", "-C", here, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    line = {"command": f"bench/hospital/codes.py SEMBLANCE --rows {given.rows} --seed {given.seed} --epsilon {given.epsilon:g}",
            "commit": commit, "rows": given.rows, "seed": given.seed, "epsilon": given.epsilon, "distance": {}}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("real.csv", "w", newline="") as file:
            csv.writer(file).writerows([["sex", "age", "ward", "code", "insurer", "outcome"], *(row(rng) for _ in range(given.rows))])
        real = list(csv.DictReader(open("real.csv")))
        for name, options in (("without", None), ("with", {"hierarchy": {"prefix": [1, 3]}})):
            json.dump(schema(options), open(f"{name}.json", "w"))
            subprocess.run([program, "synth", "real.csv", "--schema", f"{name}.json", "--epsilon", str(given.epsilon), "-o", f"{name}.csv",
                            "--quiet"], check=True)
            made = list(csv.DictReader(open(f"{name}.csv")))
            line["distance"][name] = {what: round(distance(shares(real, key), shares(made, key)), 4) for what, key in MEASURES.items()}
    print(json.dumps(line))


if __name__ == "__main__":
    main()
