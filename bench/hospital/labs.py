#!/usr/bin/env python3
"""How long inspection of a laboratory's table takes: 300,000 results of 11,000 persons, made up.

    labs.py PROGRAM RESULTS.jsonl [--rows 300000] [--persons 11000] [--seed 1]

Appends one line: processor seconds, what inspection took for the person, and the formats of the time. The table has Latin-1,
semicolons, decimal commas, two formats of the time and sentinels."""
import argparse
import json
import os
import random
import resource
import subprocess
import tempfile

TESTS = {"K": (4.1, .4, "mmol/l"), "Na": (139, 3, "mmol/l"), "CRP": (20, 30, "mg/l"), "Hb": (13, 2, "g/dl"), "Krea": (1, .4, "mg/dl")}


def rows(rng, count, persons):
    about = [(10000 + 7 * p, rng.choice("mw"), "%02d.%02d.%d" % (rng.randint(1, 28), rng.randint(1, 12), rng.randint(1925, 2018))) for p in range(persons)]
    for _ in range(count):
        number, sex, born = rng.choice(about)
        test = rng.choice([*TESTS])
        middle, spread, unit = TESTS[test]
        value = "999" if rng.random() < .01 else ("%.2f" % max(0, rng.gauss(middle, spread))).replace(".", ",")
        at = (rng.randint(1, 28), rng.randint(1, 12), rng.randint(2018, 2023), rng.randint(0, 23), rng.randint(0, 59))
        when = "%02d.%02d.%d %02d:%02d" % at if rng.random() < .8 else "%04d-%02d-%02d %02d:%02d" % (*at[2::-1], *at[3:])
        yield "%d;%s;%s;%s;%s;%s;%s;%s\n" % (number, sex, born, when, test, value, unit, rng.choice(["Köln", "Ulm", "k. A."]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("results")
    parser.add_argument("--rows", type=int, default=300000)
    parser.add_argument("--persons", type=int, default=11000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "labs.csv")
        with open(path, "w", encoding="latin-1") as file:
            file.write("PatNr;Sex;Geb;Zeit;Test;Wert;Einheit;Ort\n")
            file.writelines(rows(random.Random(given.seed), given.rows, given.persons))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([given.program, "schema", "inspect", path, "-o", path + ".json"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(path + ".json", encoding="utf-8") as file:
            schema = json.load(file)
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    fields = {field["name"]: field for field in schema["fields"]}
    line = {"what": "schema inspect of a laboratory", "command": "labs.py --rows %d --persons %d --seed %d" % (given.rows, given.persons, given.seed),
            "commit": commit, "seed": given.seed, "rows": given.rows, "persons": given.persons,
            "cpu_s": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2),
            "person": schema["semblance"]["origin"].get("person"), "format": fields["Zeit"].get("format"),
            "tests": fields["Test"]["constraints"]["enum"]}
    with open(given.results, "a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")
    print(json.dumps(line, ensure_ascii=False))


main()
