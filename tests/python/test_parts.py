#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run in parts, in memory: what a driver and its workers hand each other gives the releases of one process.

Each run is a process of its own, so that the fixed key begins anew.
"""
import array
import copy
import csv
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from semblance import InputError, OptionError, Synthesizer, _core

import people
from same_bits import read

ROWS, SHARES = 300, 5
OPTIONS = [("epsilon", "2"), ("method", "pairs"), ("expect-rows", str(ROWS))]


def schema(persons):
    made = copy.deepcopy(people.SCHEMA)
    if persons:
        made["fields"].append({"name": "who", "type": "string"})
        made["semblance"].update(unit="who", max_rows_per_unit=3)
    return made


def write(path, rows, persons):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(people.NAMES + ["who"] * persons)
        writer.writerows(rows)
    return _core.data_file(str(path))


def table(persons):
    return [row + [f"P{i * 37 % 71}"] * persons for i, row in enumerate(people.rows(ROWS))]


def divide(folder, plan, key, rows, persons):
    """The rows of each part: of persons by their hash, as an engine brings them together."""
    if not persons:
        return [rows[i::SHARES] for i in range(SHARES)]
    parts = [[] for _ in range(SHARES)]
    half = len(rows) // 2  # as two batches would be
    for batch in (rows[:half], rows[half:]):
        numbers = array.array("I", _core.parts_share(write(folder / "batch.csv", batch, True), plan, key, SHARES))
        assert len(numbers) == len(batch)
        for row, number in zip(batch, numbers):
            parts[number].append(row)
    return parts


def in_parts(folder, persons):
    plan, key = _core.parts_plan(_core.schema_parse(json.dumps(schema(persons))), ROWS, OPTIONS)
    release, following = str(folder / "parts"), (plan, key)
    parts = divide(folder, plan, key, table(persons), persons)
    while following is not None:
        plan, key = following
        sums = [_core.parts_sum(write(folder / "part.csv", rows, persons), plan, key, f"{i + 1}/{SHARES}", 1, [])
                for i, rows in enumerate(parts)]
        some = _core.parts_merge(sums[3:], plan, key)
        whole = _core.parts_merge([some, *sums[:3]], plan, key)
        _core.parts_release(whole, plan, key, release, [], None)
        following = _core.parts_next(plan, key, release, [])


def in_one(folder, persons):
    path = folder / "one.csv"
    write(path, table(persons), persons)
    Synthesizer(epsilon=2, schema=schema(persons), method="pairs", expect_rows=ROWS, release=folder / "one",
                certificate=folder / "one.json", ledger=folder / "one.ledger").fit(path)


class Parts(unittest.TestCase):
    def expect_same(self, persons):
        with tempfile.TemporaryDirectory() as name:
            found = []
            for way in ("one", "parts"):
                subprocess.run([sys.executable, "-W", "ignore", __file__, "--run", name, way, str(int(persons))], check=True)
                files = [Path(name) / (way + end) for end in ("", ".2", ".3")]
                found.append([read(file.read_bytes()) for file in files if file.exists()])
            self.assertGreater(len(found[0]), 1)
            self.assertEqual(*found)

    def test_rows_in_memory_give_the_releases_of_one_process(self):
        self.expect_same(False)

    def test_persons_brought_together_by_their_hash_give_the_releases_of_one_process(self):
        self.expect_same(True)

    def test_what_is_refused(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            plan, key = _core.parts_plan(_core.schema_parse(json.dumps(schema(False))), ROWS, OPTIONS)
            other = _core.parts_plan(_core.schema_parse(json.dumps(schema(False))), ROWS, OPTIONS)
            data = write(folder / "a.csv", table(False), False)
            part = _core.parts_sum(data, plan, key, "a", 1, [])
            retried = _core.parts_sum(data, plan, key, "a", 2, [])
            for sums, words in (([part, retried], "sum 2: part 'a' is given twice"), ([part[:-1]], "sum 1 is truncated"), ([], "at least one part"),
                                ([_core.parts_sum(data, *other, "b", 1, [])], "sum 1 is a part of another plan")):
                with self.assertRaisesRegex((InputError, OptionError), words):
                    _core.parts_merge(sums, plan, key)
            with self.assertRaisesRegex(InputError, "made with another key"):
                _core.parts_merge([part], plan, other[1])
            with self.assertRaisesRegex(OptionError, "without a unit"):
                _core.parts_share(data, plan, key, 4)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        (in_one if sys.argv[3] == "one" else in_parts)(Path(sys.argv[2]), sys.argv[4] == "1")
    else:
        unittest.main()
