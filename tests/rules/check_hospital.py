#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rules of make_hospital.py, written out once more by hand in Python: nothing of the program is used.

    check_hospital.py TABLE.csv [REAL.csv [K]]

Prints the share of rows that hold each rule, one a line, and whether any id of REAL.csv is in TABLE.csv; exit status 1
when any share is below 1, an id is not of its pattern, is there twice (with K: more than K times, or apart from its other
rows, or with another name, or no id is there twice) or is a real one.
"""
import csv
import datetime
import re
import sys


def day(text):
    return datetime.date.fromisoformat(text)


CHECKS = {
    "admission <= discharge": lambda r: day(r["admission"]) <= day(r["discharge"]),
    "los = discharge - admission": lambda r: int(r["los"]) == (day(r["discharge"]) - day(r["admission"])).days,
    "birth_year = year(admission) - age": lambda r: int(r["birth_year"]) == day(r["admission"]).year - int(r["age"]),
    "systolic > diastolic": lambda r: int(r["systolic"]) > int(r["diastolic"]),
    "icu_hours <= 24 * los": lambda r: int(r["icu_hours"]) <= 24 * int(r["los"]),
    "if ward = maternity then sex = female": lambda r: r["ward"] != "maternity" or r["sex"] == "female",
    "if ward = pediatrics then age < 18": lambda r: r["ward"] != "pediatrics" or int(r["age"]) < 18,
    "forbid ward = maternity and age < 14": lambda r: not (r["ward"] == "maternity" and int(r["age"]) < 14),
    "if icu = no then icu_hours = 0": lambda r: r["icu"] != "no" or int(r["icu_hours"]) == 0,
    "if icu = yes then icu_hours > 0": lambda r: r["icu"] != "yes" or int(r["icu_hours"]) > 0,
    "ward_cost + icu_cost = total_cost": lambda r: int(r["ward_cost"]) + int(r["icu_cost"]) == int(r["total_cost"]),
    "paid_public + paid_private + paid_self = 100":
        lambda r: int(r["paid_public"]) + int(r["paid_private"]) + int(r["paid_self"]) == 100,
}


def persons_are_good(rows, most):
    """Rows of a patient follow each other, at most so many, under one name; some have several."""
    seen, last, times, several = set(), None, 0, False
    for row in rows:
        if last is None or row["patient"] != last["patient"]:
            if row["patient"] in seen:
                return False
            seen.add(row["patient"])
            times = 0
        elif row["name"] != last["name"]:
            return False
        times += 1
        several = several or times > 1
        if times > most:
            return False
        last = row
    return several == (most > 1)


def main():
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rows = list(csv.DictReader(open(sys.argv[1], newline="")))
    good = len(rows) > 0
    for rule, holds in CHECKS.items():
        share = sum(map(holds, rows)) / len(rows)
        good = good and share == 1
        print(f"{share:8.4f}  {rule}")
    if "patient" in rows[0]:
        ids = {row["patient"] for row in rows}
        shaped = all(re.fullmatch(r"P-[0-9]{6}", name) for name in ids)
        print(f"ids: {len(ids)} of {len(rows)} rows, {'all' if shaped else 'NOT all'} of the pattern")
        good = good and shaped and persons_are_good(rows, most) and all(row["site"] == "north" for row in rows)
        if len(sys.argv) > 2:
            real = list(csv.DictReader(open(sys.argv[2], newline="")))
            shared = len(ids & {row["patient"] for row in real}) + len({r["name"] for r in rows} & {r["name"] for r in real})
            print(f"ids and names that are real ones: {shared}")
            good = good and shared == 0
            good = good and list(rows[0]) == list(real[0])
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
