# SPDX-License-Identifier: Apache-2.0
"""A made-up table and its schema, without any package."""
import csv
import random

SCHEMA = {
    "fields": [
        {"name": "age", "type": "integer", "constraints": {"minimum": 18, "maximum": 90, "required": True}},
        {"name": "height", "type": "number", "constraints": {"minimum": 1.2, "maximum": 2.2}},
        {"name": "town", "type": "string", "constraints": {"enum": ["Ayr", "Bath", "Cork", "Deal"]}},
        {"name": "member", "type": "boolean", "constraints": {"required": True}},
        {"name": "joined", "type": "date", "constraints": {"minimum": "2020-01-01", "maximum": "2025-12-31"}},
        {"name": "wage", "type": "string", "constraints": {"enum": ["low", "high"], "required": True}},
    ],
    "missingValues": [""],
    "semblance": {"label": "wage", "task": "classification"},
}
NAMES = [field["name"] for field in SCHEMA["fields"]]


def rows(count, seed=1):
    """Lists of cells as a CSV file has them."""
    draw = random.Random(seed)
    for _ in range(count):
        age = draw.randint(18, 75)
        town = draw.choice(["Ayr", "Bath", "Bath", "Cork", ""])
        yield [age, "" if draw.random() < 0.1 else f"{draw.gauss(1.7, 0.1):.2f}", town, draw.choice(["true", "false"]),
               f"{draw.randint(2020, 2025)}-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}",
               "high" if age + draw.randint(-20, 20) > 50 else "low"]


def write(path, count, seed=1):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(NAMES)
        writer.writerows(rows(count, seed))
    return str(path)
