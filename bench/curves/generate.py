# SPDX-License-Identifier: Apache-2.0
"""Two tables that are unlike the real ones of the bench, made from a fixed seed.

`shop`: orders with a category of 300 values, heavy-tailed amounts in wide bounds, dates, counts, missing values, and
a column that two others decide. `survey`: 24 answers on scales of 2 to 7 that a few hidden traits drive, one
question asked only of some. Both have a label of two classes and 200,000 rows to fit and 20,000 to test.
"""
import csv
import gzip
import json
import os

import numpy

TRAIN, TEST = 200000, 20000


def _enum(name, values):
    return {"name": name, "type": "string", "constraints": {"enum": list(map(str, values)), "required": True}}


def _number(name, kind, low, high, **more):
    return {"name": name, "type": kind, "constraints": {"minimum": low, "maximum": high,
                                                        **({} if more.pop("nullable", False) else {"required": True})},
            **more}


def shop(random, rows):
    product = numpy.minimum(random.zipf(1.3, rows) - 1, 299)
    group = product * 7919 % 12
    price = numpy.exp(random.normal(2.5 + 0.25 * group, 0.8))
    number = 1 + random.poisson(0.6 + 0.1 * (group < 3), rows)
    paid = numpy.round(numpy.minimum(price * number, 99999.0), 2)
    day = random.integers(0, 365, rows)
    day = numpy.where(random.random(rows) < 0.3, 330 + day % 35, day)
    age = numpy.clip(numpy.round(random.gamma(9, 4.6, rows) + 8 * (group == 4)), 16, 99).astype(int)
    known = random.random(rows) > 0.12
    region = random.choice(9, rows, p=numpy.array([30, 20, 14, 10, 8, 7, 5, 4, 2]) / 100)
    returned = random.random(rows) < 1 / (1 + numpy.exp(-(-2.2 + 0.5 * (group == 7) + 0.02 * (40 - age) + (paid > 90))))
    days = numpy.datetime64("2023-01-01") + day.astype("timedelta64[D]")
    express = numpy.where((region < 2) & (paid > 50), "yes", numpy.where(random.random(rows) < 0.05, "yes", "no"))
    fields = [_enum("product", range(300)), _enum("group", range(12)),
              _number("paid", "number", 0, 100000, semblance={"transform": "log"}), _number("number", "integer", 1, 200),
              {"name": "day", "type": "date", "constraints": {"minimum": "2023-01-01", "maximum": "2023-12-31",
                                                              "required": True}},
              _number("age", "integer", 0, 120, nullable=True), _enum("region", range(9)), _enum("express", ["no", "yes"]),
              _enum("returned", ["no", "yes"])]
    columns = [product, group, [f"{p:.2f}" for p in paid], number, days.astype(str),
               [str(a) if k else "" for a, k in zip(age, known)], region, express, numpy.where(returned, "yes", "no")]
    return fields, columns, "returned"


def survey(random, rows):
    traits = random.normal(size=(rows, 4))
    traits[:, 1] += 0.6 * traits[:, 0]
    load = numpy.random.default_rng(5)
    fields, columns = [], []
    for q in range(24):
        scale = (2, 3, 5, 7)[q % 4]
        lean = traits @ (load.normal(size=4) * (load.random(4) < 0.5)) + random.normal(size=rows)
        cuts = numpy.sort(load.normal(size=scale - 1))
        answer = numpy.searchsorted(cuts, lean)
        if q == 11:
            answer = numpy.where(columns[7] == columns[7].max(), answer, scale)
        fields.append({**_enum(f"q{q}", range(scale + (q == 11))), "categoriesOrdered": q != 11})
        columns.append(answer)
    vote = random.random(rows) < 1 / (1 + numpy.exp(-(traits[:, 0] - traits[:, 2] + 0.4 * (columns[3] > 3))))
    return fields + [_enum("vote", ["a", "b"])], columns + [numpy.where(vote, "a", "b")], "vote"


TABLES = {"shop": (shop, 1), "survey": (survey, 2)}


def write(folder, name):
    """DATA/NAME/train.csv.gz, test.csv.gz and schema.json, where they are not there yet."""
    place = os.path.join(folder, name)
    if os.path.exists(os.path.join(place, "schema.json")):
        return place
    make, seed = TABLES[name]
    fields, columns, label = make(numpy.random.default_rng(seed), TRAIN + TEST)
    rows = list(zip(*columns))
    os.makedirs(place, exist_ok=True)
    for part, some in (("train", rows[:TRAIN]), ("test", rows[TRAIN:])):
        with gzip.open(os.path.join(place, part + ".csv.gz"), "wt", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(field["name"] for field in fields)
            writer.writerows(some)
    with open(os.path.join(place, "schema.json"), "w", encoding="utf-8") as file:
        json.dump({"fields": fields, "missingValues": [""], "semblance": {"label": label}}, file, indent=1)
    return place
