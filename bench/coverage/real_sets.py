# SPDX-License-Identifier: Apache-2.0
"""Real tables for coverage: FOLDER/NAME/{train,test}.csv.gz and schema.json, or FOLDER/cdnow/CDNOW_master.txt."""
import csv
import gzip
import json
import os
from typing import NamedTuple

import numpy


class Loaded(NamedTuple):
    columns: dict  # name -> numbers or texts
    kinds: dict  # name -> is it a number?, of the columns that questions are about
    schema: dict
    unit: str | None

    @property
    def types(self):
        """How the columns of a written table are read."""
        types = {name: float if number else str for name, number in self.kinds.items()}
        return types | ({self.unit: str} if self.unit else {})

    def rows_of(self, columns):
        return len(next(iter(columns.values())))


def read(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        names = next(rows)
        return dict(zip(names, zip(*rows)))


def cdnow(folder):
    with open(os.path.join(folder, "CDNOW_master.txt"), encoding="ascii") as file:
        ids, _, quantity, amount = zip(*map(str.split, file))
    number = lambda name, high, **more: {"name": name, "type": "number", "constraints": {"minimum": 0, "maximum": high, "required": True},
                                         "semblance": {"transform": "log", **more}}
    schema = {"fields": [{"name": "id", "semblance": {"role": "id"}}, number("quantity", 99, decimals=0), number("amount", 1300, decimals=2)],
              "semblance": {"unit": "id", "max_rows_per_unit": 20}}
    numbers = {"quantity": numpy.clip(numpy.array(quantity, float), 0, 99), "amount": numpy.clip(numpy.array(amount, float), 0, 1300)}
    return Loaded({"id": numpy.array(ids), **numbers}, {name: True for name in numbers}, schema, "id")


def load(folder, name):
    """Both parts of a set together. Columns with missing cells or another type than a number or a text are left out of questions."""
    folder = os.path.join(folder, name)
    if name == "cdnow":
        return cdnow(folder)
    with open(os.path.join(folder, "schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    parts = [read(os.path.join(folder, part)) for part in ("train.csv.gz", "test.csv.gz")]
    columns, kinds = {}, {}
    for field in schema["fields"]:
        texts = numpy.array(parts[0][field["name"]] + parts[1][field["name"]])
        number = field["type"] in ("integer", "number")
        columns[field["name"]] = texts
        if field["type"] in ("integer", "number", "string") and not (texts == "").any():
            kinds[field["name"]] = number
            if number and field["type"] == "integer":
                columns[field["name"]] = texts.astype(float).astype(int)
            elif number:
                columns[field["name"]] = texts.astype(float)
    return Loaded(columns, kinds, schema, schema.get("semblance", {}).get("unit"))


def halves(loaded, rng):
    """Two random halves, of persons where there are some."""
    key = loaded.columns[loaded.unit] if loaded.unit else numpy.arange(loaded.rows_of(loaded.columns))
    _, place = numpy.unique(key, return_inverse=True)
    first = rng.permutation(place.max() + 1) < (place.max() + 1) // 2
    inside = first[place]
    return [{name: values[side] for name, values in loaded.columns.items()} for side in (inside, ~inside)]
