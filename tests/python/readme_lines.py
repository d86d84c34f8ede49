#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the Python of the README on a table like the demo's: readme_lines.py README. Needs pandas.

readme_lines.py --write README FOLDER only writes the table and its schema, as patients.csv and clinic.json.
"""
import csv
import json
import os
import random
import re
import sys
import tempfile
from pathlib import Path

ROWS = 8000


def cell(field, chance):
    """A value within the constraints of a field."""
    limits = field["constraints"]
    if "enum" in limits:
        return chance.choice(limits["enum"])
    if field["type"] == "date":
        return f"2025-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    return chance.randint(limits["minimum"], limits["maximum"])


def write(page, table_path, schema_path):
    """The table and its schema.   Returns: the fields"""
    described = (Path(page).resolve().parent / "examples/clinic.json").read_text(encoding="utf-8")
    fields = json.loads(described)["fields"]
    chance = random.Random(1)
    Path(schema_path).write_text(described, encoding="utf-8")
    with open(table_path, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(field["name"] for field in fields)
        table.writerows([cell(field, chance) for field in fields] for _ in range(ROWS))
    return fields


def main(path):
    page = Path(path).resolve()
    (lines,) = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.makedirs("examples")
        os.makedirs("build/demo")
        fields = write(page, "build/demo/patients.csv", "examples/clinic.json")
        names = {}
        exec(compile(lines, path, "exec"), names)  # noqa: S102 - our own page
        assert names["synthetic"].shape == (1000, len(fields)), names["synthetic"].shape
        assert names["synthesizer"].n_ == ROWS
        os.chdir("/")
    print("the lines of the README work")


if __name__ == "__main__":
    if sys.argv[1] == "--write":
        write(sys.argv[2], Path(sys.argv[3]) / "patients.csv", Path(sys.argv[3]) / "clinic.json")
    else:
        main(*sys.argv[1:])
