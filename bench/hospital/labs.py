#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long inspection of a laboratory's table takes, or a synthetic one: 300,000 results of 11,000 persons, made up.

    labs.py PROGRAM RESULTS.jsonl [--fit] [--rows 300000] [--persons 11000] [--seed 1]

Appends one line: processor seconds, what inspection took for the person, and the formats of the time. The table has Latin-1,
semicolons, decimal commas, two formats of the time and sentinels. With --fit: processor seconds of `synth` at epsilon 1 by a schema
that this script writes, of a table with one format of the time, so that older programs can be measured, too."""
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


def field(name, kind, **rules):
    return {"name": name, "type": kind, "constraints": {"required": True, **rules}}


def plain_schema():
    of_person = lambda made: {**made, "semblance": {"per": "unit"}}
    return {"fields": [{"name": "PatNr", "type": "string"}, of_person(field("Sex", "string", enum=["m", "w"])),
                       of_person(field("Geb", "date", minimum="1925-01-01", maximum="2018-12-31")),
                       field("Zeit", "datetime", minimum="2018-01-01T00:00:00", maximum="2023-12-31T23:59:59"),
                       field("Test", "string", enum=[*TESTS]), field("Wert", "number", minimum=0, maximum=999),
                       field("Ort", "string", enum=["Köln", "Ulm", "k. A."])],
            "semblance": {"unit": "PatNr", "order": "Zeit", "max_rows_per_unit": 60}}


def iso(text):
    day, *time = text.split(" ")
    day = "-".join(reversed(day.split("."))) if "." in day else day
    return "T".join([day, *(part + ":00" for part in time)])


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 2)


def inspect(given, folder):
    path = os.path.join(folder, "labs.csv")
    with open(path, "w", encoding="latin-1") as file:
        file.write("PatNr;Sex;Geb;Zeit;Test;Wert;Einheit;Ort\n")
        file.writelines(rows(random.Random(given.seed), given.rows, given.persons))
    took = seconds([given.program, "schema", "inspect", path, "-o", path + ".json"])
    with open(path + ".json", encoding="utf-8") as file:
        schema = json.load(file)
    fields = {entry["name"]: entry for entry in schema["fields"]}
    return {"what": "schema inspect of a laboratory", "cpu_s": took, "person": schema["semblance"]["origin"].get("person"),
            "format": fields["Zeit"].get("format"), "tests": fields["Test"]["constraints"]["enum"]}


def fit(given, folder):
    path = lambda name: os.path.join(folder, name)
    with open(path("labs.csv"), "w", encoding="utf-8") as file:
        file.write("PatNr,Sex,Geb,Zeit,Test,Wert,Ort\n")
        for line in rows(random.Random(given.seed), given.rows, given.persons):
            number, sex, born, when, test, value, _, place = line.rstrip("\n").split(";")
            file.write(",".join([number, sex, iso(born), iso(when), test, value.replace(",", "."), place]) + "\n")
    with open(path("schema.json"), "w", encoding="utf-8") as file:
        json.dump(plain_schema(), file)
    version = subprocess.run([given.program, "--version"], check=True, capture_output=True, text=True).stdout.splitlines()[0]
    took = seconds([given.program, "synth", path("labs.csv"), "--schema", path("schema.json"), "--epsilon", "1", "--seed", "1",
                    "--expect-persons", str(given.persons), "--threads", "1", "--quiet", "-o", path("made.csv")])
    return {"what": "synth of a laboratory", "program": version, "cpu_s": took}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("results")
    parser.add_argument("--rows", type=int, default=300000)
    parser.add_argument("--persons", type=int, default=11000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--commit", help="of the program, if it is not that of the checkout")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        line = (fit if given.fit else inspect)(given, folder)
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    command = "labs.py %s--rows %d --persons %d --seed %d" % ("--fit " if given.fit else "", given.rows, given.persons, given.seed)
    line = {"command": command, "commit": given.commit or commit, "seed": given.seed, "rows": given.rows, "persons": given.persons, **line}
    with open(given.results, "a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")
    print(json.dumps(line, ensure_ascii=False))


main()
