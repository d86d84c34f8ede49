#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is every cell of a table within the domain that its schema declares? By hand: nothing of the program is used.

    check_domain.py SCHEMA.json TABLE.csv

Says how many cells there are and how many are not; exit code 1 where one is not."""
import csv
import datetime
import json
import re
import sys


def number(text, field):
    """As the field writes it: thousands, decimal mark, currency or percent signs around."""
    if field.get("bareNumber") is False:
        text = re.sub(r"^[^0-9+.,-]+|[^0-9.,]+$", "", text)
    group = field.get("groupChar")
    if group:
        if not re.fullmatch(r"[+-]?\d{1,3}(" + re.escape(group) + r"\d{3})*([.,]\d+)?|[+-]?\d+([.,]\d+)?", text):
            raise ValueError
        text = text.replace(group, "")
    return float(text.replace(",", ".") if field.get("decimalChar") == "," else text)


def moment(text, field):
    if field.get("format"):
        written = field["format"][0] if isinstance(field["format"], list) else field["format"]
        return datetime.datetime.strptime(text, written)
    return datetime.datetime.fromisoformat(text)


def holds(text, field, missing):
    rules = field["constraints"]
    if text in missing:
        return not rules.get("required", False)
    if "enum" in rules:
        return text in [str(value) for value in rules["enum"]]
    if field["type"] in ("date", "datetime"):
        bounds = [datetime.datetime.fromisoformat(rules[name]) for name in ("minimum", "maximum")]
        return bounds[0] <= moment(text, field) <= bounds[1] + datetime.timedelta(days=field["type"] == "date")
    value = number(text, field)
    digits = field.get("semblance", {}).get("decimals")
    grid = field["type"] != "integer" or value == int(value)
    grid = grid and (digits is None or len(re.split("[.,]", text.strip(" €%"))[-1]) == digits or digits == 0)
    return grid and rules["minimum"] <= value <= rules["maximum"]


def main():
    schema = json.load(open(sys.argv[1]))
    dialect = schema.get("dialect", {})
    lines = open(sys.argv[2], encoding=schema.get("encoding", "utf-8"), newline="")
    rows = csv.reader(lines, delimiter=dialect.get("delimiter", ","), quotechar=dialect.get("quoteChar", '"'))
    fields = {field["name"]: field for field in schema["fields"] if field.get("semblance", {}).get("role") != "ignore"}
    names = next(rows)
    if names != list(fields):
        sys.exit(f"the columns are {names}, not {list(fields)}")
    cells, bad = 0, {}
    for row in rows:
        if len(row) != len(names):
            sys.exit(f"a row has {len(row)} cells")
        for name, text in zip(names, row):
            cells += 1
            field = fields[name]
            try:
                good = holds(text, field, field.get("missingValues", schema.get("missingValues", [""])))
            except (ValueError, KeyError):
                good = False
            if not good:
                bad[name] = bad.get(name, 0) + 1
    print(f"{cells} cells, {sum(bad.values())} of them out of their domain {bad or ''}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
