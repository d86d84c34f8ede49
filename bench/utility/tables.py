# SPDX-License-Identifier: Apache-2.0
"""Tables and their public schema, read independently of the program under test.

A number column becomes float64 with NaN for missing; dates count days, datetimes seconds. A category
column becomes codes in the schema's order, with one more code, the last, for missing. A cell outside
the declared domain becomes what the program makes of it (clamped; else the midpoint of the bounds,
the category declared as `other`, or the first one) and is counted in `out_of_domain`.
"""
import csv
import dataclasses
import gzip
import json

import numpy

try:
    import pandas
except ImportError:  # slower, and enough for bench/curves
    pandas = None

TRUE_VALUES = ["true", "True", "TRUE", "1"]
FALSE_VALUES = ["false", "False", "FALSE", "0"]


class TableError(Exception):
    """A schema or a table that cannot be measured."""


@dataclasses.dataclass
class Column:
    name: str
    kind: str  # "number" or "category"
    type: str
    missing_values: list
    missing_allowed: bool
    minimum: float = 0.0
    maximum: float = 0.0
    spellings: dict = dataclasses.field(default_factory=dict)  # text of a category: its code
    count: int = 0  # categories, without missing
    other: int = 0  # the code of an unknown category

    @property
    def codes(self):
        """How many codes a category column has, missing included."""
        return self.count + (1 if self.missing_allowed else 0)


@dataclasses.dataclass
class Schema:
    columns: list
    label: int  # index into columns, or None
    task: str

    @property
    def classes(self):
        """How many classes the label has, or 0 where there is nothing to classify."""
        if self.task != "classification" or self.label is None:
            return 0
        column = self.columns[self.label]
        return column.count if column.kind == "category" else 0


@dataclasses.dataclass
class Table:
    schema: Schema
    values: list  # one array per column
    out_of_domain: int

    @property
    def rows(self):
        return len(self.values[0]) if self.values else 0

    def take(self, rows):
        return Table(self.schema, [v[rows] for v in self.values], self.out_of_domain)


def read_schema(path):
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    options = document.get("semblance", {})
    columns = [_column(field, document.get("missingValues", [""])) for field in document["fields"]
               if field.get("semblance", {}).get("role") != "ignore"]
    names = [column.name for column in columns]
    label = names.index(options["label"]) if options.get("label") in names else None
    task = options.get("task", "none" if label is None else "classification")
    return Schema(columns, label, task)


def _column(field, missing_values):
    constraints = field.get("constraints", {})
    missing = [_plain(value) for value in field.get("missingValues", missing_values)]
    column = Column(field["name"], "category", field["type"], missing,
                    bool(missing) and not constraints.get("required", False))
    categories = constraints.get("enum", field.get("categories"))
    if field["type"] == "boolean":
        column.count = 2
        column.spellings = dict.fromkeys(map(_plain, field.get("falseValues", FALSE_VALUES)), 0)
        column.spellings.update(dict.fromkeys(map(_plain, field.get("trueValues", TRUE_VALUES)), 1))
    elif categories is not None:
        column.count = len(categories)
        column.spellings = {_plain(value): code for code, value in enumerate(categories)}
        column.other = column.spellings.get(field.get("semblance", {}).get("other"), 0)
    elif "minimum" in constraints and "maximum" in constraints:
        column.kind = "number"
        column.minimum = _number(column.type, str(constraints["minimum"]))
        column.maximum = _number(column.type, str(constraints["maximum"]))
    else:
        raise TableError(f"column '{column.name}' has neither bounds nor categories")
    return column


def _plain(value):
    if isinstance(value, dict):
        value = value["value"]
    return value if isinstance(value, str) else json.dumps(value)


def _number(kind, text):
    """One cell as a number; NaN where it is none."""
    try:
        if kind in ("date", "datetime"):
            moment = numpy.datetime64(text.rstrip("Z"), "s")
            seconds = float(moment.astype(numpy.int64))
            return numpy.floor(seconds / 86400) if kind == "date" else seconds
        return float(text)
    except ValueError:
        return float("nan")


def read_table(path, schema):
    names = [column.name for column in schema.columns]
    header, columns = (_read_pandas if pandas else _read_plain)(path, names)
    absent = [name for name in names if name not in header]
    if absent:
        raise TableError(f"{path} has no column '{absent[0]}'")
    values, outside = [], 0
    for column in schema.columns:
        array, count = _encode(column, *columns[column.name])
        values.append(array)
        outside += count
    return Table(schema, values, outside)


def _read_pandas(path, names):
    """The header, and of each wanted column its distinct texts and where each cell is among them."""
    header = list(pandas.read_csv(path, nrows=0).columns)
    wanted = [name for name in names if name in header]
    frame = pandas.read_csv(path, usecols=wanted, dtype="category", na_filter=False)
    return header, {name: ([str(text) for text in frame[name].cat.categories], frame[name].cat.codes.to_numpy())
                    for name in wanted}


def _read_plain(path, names):
    """The same with the standard library."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        header = next(reader)
        rows = list(reader)
    columns = {}
    for name in names:
        if name in header:
            place, seen = header.index(name), {}
            cells = numpy.array([seen.setdefault(row[place], len(seen)) for row in rows], dtype=numpy.int64)
            columns[name] = list(seen), cells
    return header, columns


def _encode(column, texts, cells):
    """Each distinct text is parsed once."""
    parse = _parse_number if column.kind == "number" else _parse_category
    values, inside = parse(column, texts)
    outside = int(numpy.count_nonzero(~inside[cells])) if len(cells) else 0
    return values[cells], outside


def _parse_number(column, texts):
    values = numpy.empty(len(texts))
    inside = numpy.ones(len(texts), dtype=bool)
    for i, text in enumerate(texts):
        if text in column.missing_values and column.missing_allowed:
            values[i] = numpy.nan
            continue
        value = _number(column.type, text)
        inside[i] = column.minimum <= value <= column.maximum
        if numpy.isnan(value):
            value = (column.minimum + column.maximum) / 2
        values[i] = min(max(value, column.minimum), column.maximum)
    return values, inside


def _parse_category(column, texts):
    codes = numpy.empty(len(texts), dtype=numpy.int64)
    inside = numpy.ones(len(texts), dtype=bool)
    for i, text in enumerate(texts):
        if text in column.missing_values and column.missing_allowed:
            codes[i] = column.count
            continue
        inside[i] = text in column.spellings
        codes[i] = column.spellings.get(text, column.other)
    return codes, inside
