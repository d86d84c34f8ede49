# SPDX-License-Identifier: Apache-2.0
"""Partitions whose columns differ in type, for tests of engines: their sums are those of the rows, each by itself."""
from decimal import Decimal

import pandas

from exact_sums import Sums, opened
from semblance._work import Work

FIELDS = [{"name": "n", "type": "string", "constraints": {"enum": ["1", "2", "3"]}},
          {"name": "when", "type": "datetime", "constraints": {"minimum": "2024-01-01T00:00:00", "maximum": "2025-01-01T00:00:00"}}]
PERSONS = {"fields": [*FIELDS, {"name": "who"}], "semblance": {"unit": "who", "max_rows_per_unit": 2}}


def frames():
    """Clean columns, and in others of the same table a text among moments, a Decimal among ints."""
    times = pandas.date_range("2024-01-01", periods=40, freq="D")
    clean = pandas.DataFrame({"n": [1 + i % 3 for i in range(40)], "when": times, "who": times})
    odd = clean.astype(object)
    odd.loc[3] = [Decimal("3.0"), "SECRET-Mr-Smith", "SECRET-Mr-Smith"]
    return [clean, odd, pandas.DataFrame({"n": ["2", None], "when": [times[0], times[1]], "who": [times[0], times[1]]})]


def expect_sums(test, engine, parts):
    """With and without persons."""
    for schema, shares in (({"fields": FIELDS}, 1), (PERSONS, engine.shares)):
        sums = Sums(schema)
        unit = schema.get("semblance", {}).get("unit")
        work = Work(sums.plan, sums.key, tuple(field["name"] for field in schema["fields"]), unit, shares)
        found = opened(work.merge(engine.sums(work)).sums, sums.plan, sums.key)
        test.assertEqual(found.tolist(), sums.of(parts).tolist())
