# SPDX-License-Identifier: Apache-2.0
"""Public cells for methods that want discrete columns: every such peer gets the same, from the schema alone.

A category is itself, missing is one more code. A number has 32 equal cells over its bounds; where the schema declares
`transform: log` the union of 16 equal cells of log(1 + x - minimum) and 16 equal ones, which is the rule of `pairs` at
this size: with equal cells alone a column of mostly zeros has its zeros smeared over a whole cell. An integer column
has no cell without an integer in it. A drawn cell becomes a uniform value within it.
"""
import json

import numpy

CELLS = 32


def log_columns(schema_path):
    with open(schema_path, encoding="utf-8") as file:
        fields = json.load(file)["fields"]
    return {field["name"] for field in fields if field.get("semblance", {}).get("transform") == "log"}


def whole(column):
    return column.type in ("integer", "date")


def edges_of(column, log):
    """Ascending edges, both ends included: cell i is [edges[i], edges[i + 1])."""
    end = column.maximum + (1 if whole(column) else 0)
    span = end - column.minimum
    if log:
        steps = numpy.arange(CELLS // 2 + 1) / (CELLS // 2)
        edges = numpy.union1d(numpy.expm1(steps * numpy.log1p(span)), span * steps)
    else:
        edges = span * numpy.arange(CELLS + 1) / CELLS
    edges = numpy.clip(column.minimum + edges, column.minimum, end)
    return numpy.unique(numpy.ceil(edges - 1e-9)) if whole(column) else numpy.unique(edges)


class Cells:
    def __init__(self, column, log):
        self.column = column
        self.edges = None if column.kind == "category" else edges_of(column, log)

    @property
    def count(self):
        if self.edges is None:
            return self.column.codes
        return len(self.edges) - 1 + (1 if self.column.missing_allowed else 0)

    def encode(self, values):
        if self.edges is None:
            return values.astype(numpy.int64)
        last = len(self.edges) - 2
        codes = numpy.clip(numpy.searchsorted(self.edges, values, side="right") - 1, 0, last)
        return numpy.where(numpy.isnan(values), last + 1, codes)

    def decode(self, codes, random):
        """Cells as text, which is what the bench reads."""
        column = self.column
        if self.edges is None:
            return category_texts(column, codes)
        absent = codes > len(self.edges) - 2
        cell = numpy.where(absent, 0, codes)
        low, high = self.edges[cell], self.edges[cell + 1]
        values = numpy.minimum(low + random.random(len(codes)) * (high - low), numpy.nextafter(high, low))
        if whole(column):
            values = numpy.floor(values)
        return [column.missing_values[0] if gone else number_text(column, value) for gone, value in zip(absent, values)]


def category_texts(column, codes):
    texts = {code: text for text, code in reversed(column.spellings.items())}
    if column.missing_allowed:
        texts[column.count] = column.missing_values[0]
    return [texts[int(code)] for code in codes]


def number_text(column, value):
    if column.type == "date":
        return str(numpy.datetime64(int(value), "D"))
    if column.type == "datetime":
        return str(numpy.datetime64(int(value), "s")) + "Z"
    return str(int(value)) if column.type == "integer" else repr(float(value))


def of_schema(schema, schema_path):
    logs = log_columns(schema_path)
    return [Cells(column, column.name in logs) for column in schema.columns]
