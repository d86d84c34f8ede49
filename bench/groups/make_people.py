#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A made-up population in which small groups differ much from the rest: heights and weights follow a growth curve, school years and
pensions the age, birth years the age exactly.

    make_people.py [ROWS [SEED]] > people.csv
    make_people.py --schema > people.json

Nobody in it exists; everything follows from the seed."""
import json
import random
import sys

# Median height in cm by age in years, boys and girls alike until 12.
GROWTH = [(0, 50), (0.5, 66), (1, 75), (1.5, 81), (2, 86), (3, 95), (4, 102), (5, 109), (6, 115), (8, 127), (10, 138), (12, 149), (14, 161), (16, 169),
          (18, 172)]
BMI = [(0, 13.5), (0.5, 17), (1, 17), (2, 16.3), (5, 15.4), (8, 16), (12, 18.5), (18, 22), (40, 26), (65, 27), (95, 24)]
REGIONS = ["north", "east", "south", "west", "islands"]
STATES = ["single", "married", "divorced", "widowed"]
WORK = ["none", "school", "employed", "self-employed", "retired"]
ENUMS = {"sex": ["f", "m"], "region": REGIONS, "marital": STATES, "work": WORK, "smoker": ["no", "yes"], "ill": ["no", "yes"]}
BOUNDS = {"age": (0, 100, "integer"), "height_cm": (30, 220, "number"), "weight_kg": (1, 200, "number"), "school_years": (0, 20, "integer"),
          "income": (0, 200000, "number"), "systolic": (50, 240, "integer")}
COLUMNS = ["age", "sex", "region", "height_cm", "weight_kg", "marital", "work", "school_years", "income", "systolic", "smoker", "ill"]


def curve(points, x):
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return points[-1][1]


def person(chance):
    years = min(chance.choice([chance.uniform(0, 70), chance.uniform(0, 70), chance.triangular(20, 100, 50)]), 99.9)
    age, sex = int(years), chance.choice("fm")
    tall = curve(GROWTH, years) * (1 + chance.gauss(0, 0.04))
    tall += (6 if sex == "m" else -6) * min(max((years - 12) / 6, 0), 1)
    weight = curve(BMI, years) * (tall / 100) ** 2 * max(1 + chance.gauss(0, 0.12 if years < 18 else 0.16), 0.6)
    school = min(max(age - 6, 0), chance.choices([9, 10, 12, 13, 16, 18], [10, 30, 20, 15, 18, 7])[0])
    work = ("none" if age < 6 else "school" if age < 6 + school + 0.5 and age < 25 else "retired" if age >= chance.gauss(65, 2)
            else chance.choices(["employed", "self-employed", "none"], [75, 12, 13])[0])
    marital = ("single" if age < 18 or chance.random() > (age - 18) / 25 else
               chance.choices(["married", "divorced", "widowed"], [70, 20, max(age - 50, 1)])[0])
    income = 0 if work in ("none", "school") else chance.lognormvariate(10 + 0.06 * (school - 10) - (0.4 if work == "retired" else 0), 0.5)
    systolic = chance.gauss(70 + 25 * min(years / 12, 1) + 15 * min(years / 18, 1) + 0.35 * max(years - 18, 0), 12)
    smoker = "yes" if age >= 15 and chance.random() < 0.24 else "no"
    ill = "yes" if chance.random() < 0.04 + 0.003 * age + (0.08 if smoker == "yes" else 0) + (0.06 if age < 2 else 0) else "no"
    return [age, sex, chance.choice(REGIONS), f"{min(max(tall, 30), 220):.1f}", f"{min(max(weight, 1), 200):.1f}", marital, work, school,
            round(min(income, 200000)), min(max(round(systolic), 50), 240), smoker, ill]


def schema():
    fields = []
    for name in COLUMNS:
        if name in ENUMS:
            fields.append({"name": name, "type": "string", "constraints": {"enum": ENUMS[name], "required": True}})
        else:
            low, high, kind = BOUNDS[name]
            fields.append({"name": name, "type": kind, "constraints": {"minimum": low, "maximum": high, "required": True}})
            if kind == "number":
                fields[-1]["semblance"] = {"decimals": 0 if name == "income" else 1}
    return {"fields": fields, "semblance": {"label": "ill"}}


def main():
    if sys.argv[1:] == ["--schema"]:
        print(json.dumps(schema(), indent=2))
        return
    chance = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    print(",".join(COLUMNS))
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 60000):
        print(",".join(map(str, person(chance))))


if __name__ == "__main__":
    main()
