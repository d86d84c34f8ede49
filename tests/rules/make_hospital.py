#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A made-up hospital: stays with ids, dates that follow each other, derived columns and rules.

    make_hospital.py ROWS SEED TABLE.csv SCHEMA.json [--plain] [--unit K]

Every row keeps every rule of RULES. --plain writes the schema without constraints, spikes and roles, as one would
have written it before there were any. --unit makes a table of stays, in which a patient has one to 30, 2.5 on average, in
any order, and a schema that says so: at most K rows of a patient count (0: the same table, in which each row is protected).
"""
import argparse
import csv
import datetime
import json
import random

WARDS = ["surgery", "maternity", "cardiology", "pediatrics", "oncology"]
RULES = [
    "admission <= discharge",
    "los = discharge - admission",
    "birth_year = year(admission) - age",
    "systolic > diastolic",
    "icu_hours <= 24 * los",
    "if ward = maternity then sex = female",
    "if ward = pediatrics then age < 18",
    "forbid ward = maternity and age < 14",
    "if icu = no then icu_hours = 0",
    "if icu = yes then icu_hours > 0",
    "ward_cost + icu_cost = total_cost",
    "paid_public + paid_private + paid_self = 100",
]
FIRST = datetime.date(2024, 1, 1)


def age_of(ward, rng):
    if ward == "pediatrics":
        return rng.randrange(0, 18)
    if ward == "maternity":
        return min(48, max(15, round(rng.gauss(30, 6))))
    return min(99, max(18, round(rng.gauss(62, 15))))


def stays(rows, rng):
    """Whose stay each is: numbers of patients, mixed up."""
    owners, patient = [], 0
    while len(owners) < rows:
        count = 1
        while count < 30 and rng.random() < 0.6:
            count += 1
        owners += [patient] * count
        patient += 1
    owners = owners[:rows]
    rng.shuffle(owners)
    return owners


def one_row(number, rng):
    ward = rng.choices(WARDS, [5, 3, 4, 2, 3])[0]
    age = age_of(ward, rng)
    los = min(60, int(rng.expovariate(1 / {"surgery": 5, "maternity": 3, "cardiology": 7, "pediatrics": 3, "oncology": 10}[ward])))
    admission = FIRST + datetime.timedelta(days=rng.randrange(0, 600))
    intensive = los > 0 and rng.random() < (0.15 if ward in ("surgery", "cardiology") else 0.03)
    hours = min(24 * los, 1 + int(rng.expovariate(1 / 40))) if intensive else 0
    diastolic = min(120, max(40, round(rng.gauss(70 + 0.15 * age, 9))))
    systolic = min(220, max(diastolic + 1, round(diastolic + rng.gauss(45, 10))))
    ward_cost = 300 + 450 * los + rng.randrange(0, 200)
    icu_cost = 90 * hours
    public = rng.choices([100, 80, 60, 0], [6, 3, 1, 2])[0]
    private = rng.choice([0, 10, 20, 40]) if 0 < public < 100 else (0 if public == 100 else rng.choice([100, 80, 0]))
    private = min(private, 100 - public)
    return {"patient": f"R-{number:07d}", "name": f"Realname {number}", "site": "north", "ward": ward, "age": age,
            "birth_year": admission.year - age, "sex": "female" if ward == "maternity" else rng.choice(["female", "male"]),
            "admission": admission.isoformat(), "discharge": (admission + datetime.timedelta(days=los)).isoformat(), "los": los,
            "systolic": systolic, "diastolic": diastolic, "icu": "yes" if intensive else "no", "icu_hours": hours,
            "ward_cost": ward_cost, "icu_cost": icu_cost, "total_cost": ward_cost + icu_cost, "paid_public": public,
            "paid_private": private, "paid_self": 100 - public - private}


def number(name, low, high, **options):
    return {"name": name, "type": "integer", "constraints": {"minimum": low, "maximum": high, "required": True},
            **({"semblance": options} if options else {})}


def category(name, values):
    return {"name": name, "type": "string", "constraints": {"enum": values, "required": True}}


def date(name):
    return {"name": name, "type": "date", "constraints": {"minimum": "2024-01-01", "maximum": "2025-12-31", "required": True}}


def schema(plain, most=0):
    def spiked(name, low, high, **options):
        return number(name, low, high, **(options if not plain else {k: v for k, v in options.items() if k != "spikes"}))

    made = [{"name": "patient", "semblance": {"role": "id", "id": "P-######"}},
            {"name": "name", "semblance": {"role": "fake", "fake": "name"}},
            {"name": "site", "semblance": {"role": "constant", "constant": "north"}}]
    ignored = [{"name": field["name"], "semblance": {"role": "ignore"}} for field in made]
    fields = (ignored if plain else made) + [
        category("ward", WARDS), number("age", 0, 99), number("birth_year", 1900, 2025), category("sex", ["female", "male"]),
        date("admission"), date("discharge"), number("los", 0, 60), number("systolic", 60, 220), number("diastolic", 40, 120),
        category("icu", ["no", "yes"]), spiked("icu_hours", 0, 1440, spikes=[0]), number("ward_cost", 0, 40000),
        spiked("icu_cost", 0, 140000, transform="log", spikes=[0]), number("total_cost", 0, 180000),
        number("paid_public", 0, 100), number("paid_private", 0, 100), number("paid_self", 0, 100)]
    unit = {"unit": "patient", "max_rows_per_unit": most} if most else {}
    return {"fields": fields, "semblance": {"label": "icu", "task": "classification", **unit, **({} if plain else {"constraints": RULES})}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rows", type=int)
    parser.add_argument("seed", type=int)
    parser.add_argument("table")
    parser.add_argument("schema")
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--unit", type=int)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    owners = range(given.rows) if given.unit is None else stays(given.rows, random.Random(given.seed + 1000))
    with open(given.table, "w", newline="") as out:
        writer = None
        for i in range(given.rows):
            row = one_row(owners[i], rng)
            writer = writer or csv.DictWriter(out, list(row), lineterminator="\n")
            if i == 0:
                writer.writeheader()
            writer.writerow(row)
    with open(given.schema, "w") as out:
        json.dump(schema(given.plain, given.unit or 0), out, indent=1)


if __name__ == "__main__":
    main()
