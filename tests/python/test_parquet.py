# SPDX-License-Identifier: Apache-2.0
"""Parquet without libduckdb.so: the package duckdb, or pyarrow, reads and writes it. Needs pyarrow; compares with DuckDB's library.

Each fit is a process of its own over the library with the fixed key, so that the noise is the same.
"""
import datetime
import decimal
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import pyarrow
import pyarrow.parquet

import semblance
from semblance import Synthesizer, _parquet

from same_bits import read

ROWS = 900
LIBRARY = Path(__file__).parents[2] / "build/engines/libduckdb.so"
FIELDS = [
    {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
    {"name": "ward", "type": "string", "constraints": {"enum": ["north", "south", "île"]}},
    {"name": "cost", "type": "number", "constraints": {"minimum": 0, "maximum": 500}},
    {"name": "share", "type": "number", "constraints": {"minimum": 0, "maximum": 1}},
    {"name": "day", "type": "date", "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31"}},
    {"name": "seen", "type": "datetime", "constraints": {"minimum": "2024-01-01T00:00:00", "maximum": "2024-12-31T23:59:59"}},
    {"name": "zoned", "type": "datetime", "constraints": {"minimum": "2024-01-01T00:00:00", "maximum": "2024-12-31T23:59:59"}},
    {"name": "ok", "type": "boolean"},
]
SCHEMA = {"fields": FIELDS}


def table(odd=False):
    """Every kind of column; odd: with cells that do not fit the schema."""
    start = datetime.datetime(2024, 1, 1)
    wards = ["north", "south", "île", None]
    columns = {
        "age": pyarrow.array([i * 7 % 90 for i in range(ROWS)], pyarrow.int16()),
        "ward": pyarrow.array([wards[i * i % 4] for i in range(ROWS)]).dictionary_encode(),
        "cost": pyarrow.array([decimal.Decimal(i * 31 % 50000) / 100 for i in range(ROWS)], pyarrow.decimal128(9, 2)),
        "share": pyarrow.array([i % 100 / 128 for i in range(ROWS)], pyarrow.float32()),
        "day": pyarrow.array([(start + datetime.timedelta(days=i % 300)).date() for i in range(ROWS)]),
        "seen": pyarrow.array([start + datetime.timedelta(minutes=i * 97) for i in range(ROWS)], pyarrow.timestamp("us")),
        "zoned": pyarrow.array([start + datetime.timedelta(minutes=i * 97) for i in range(ROWS)], pyarrow.timestamp("us", "Europe/Berlin")),
        "ok": pyarrow.array([[True, False, None][i % 3] for i in range(ROWS)]),
        "listed": pyarrow.array([[i] for i in range(ROWS)]),  # in no schema
    }
    if odd:
        columns["age"] = pyarrow.array([30000 if i == 7 else i * 7 % 90 for i in range(ROWS)], pyarrow.int16())
        columns["share"] = pyarrow.array([float("nan") if i == 9 else 1e30 if i == 10 else i % 100 / 128 for i in range(ROWS)], pyarrow.float32())
    return pyarrow.table(columns)


def make(folder):
    """The table as a file, in partitions, and in two files."""
    rows = table()
    pyarrow.parquet.write_table(rows, folder / "one.parquet", row_group_size=200)
    pyarrow.parquet.write_table(table(odd=True), folder / "odd.parquet")
    (folder / "two").mkdir()
    pyarrow.parquet.write_table(rows.slice(0, 500), folder / "two/a.parquet")
    pyarrow.parquet.write_table(rows.slice(500), folder / "two/b.parquet", compression="zstd", use_dictionary=False)
    (folder / "two/_metadata").write_text("not a table")
    keys = rows.column("ward").cast(pyarrow.string())
    for value, name in (("north", "north"), ("south", "south"), ("île", "%C3%AEle"), (None, "__HIVE_DEFAULT_PARTITION__")):
        place = folder / f"hive/ward={name}"
        place.mkdir(parents=True)
        mask = pyarrow.compute.is_null(keys) if value is None else pyarrow.compute.equal(keys, value)
        pyarrow.parquet.write_table(rows.drop_columns(["ward"]).filter(mask), place / "part.parquet")


def fit(folder, way, name):
    """One fit by a reader: library, package or pyarrow."""
    if way == "package":
        _parquet._core.engine_works = _only_inside
    if way == "pyarrow":
        _parquet._core.engine_works = lambda path: False
    options = {"duckdb": LIBRARY} if way == "library" else {}
    files = {"release": folder / f"{way}.release", "certificate": folder / f"{way}.json", "overwrite": True}
    made = Synthesizer(epsilon=2, schema=SCHEMA, method="pairs" if name == "one.parquet" else "marginals", **files, **options)
    made.fit(str(folder / name))
    made.sample(200, seed=3).to_parquet(folder / f"{way}.parquet", overwrite=True, duckdb=options.get("duckdb"))


def _only_inside(path, works=_parquet._core.engine_works):
    return path is not None and works(path)


def has_duckdb():
    return _parquet._inside_duckdb() is not None


class Parquet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.scratch.name)
        make(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def run_fit(self, way, name):
        for old in self.folder.glob(f"{way}.*"):
            old.unlink()
        call = [sys.executable, "-W", "ignore", __file__, "--fit", str(self.folder), way, name]
        done = subprocess.run(call, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"{way} {name}: {done.stderr}")
        return [read(file.read_bytes()) for file in sorted(self.folder.glob(f"{way}.release*"))]

    def ways(self):
        return ["pyarrow", *(["package"] if has_duckdb() else [])]

    def test_the_sums_are_those_of_duckdbs_library(self):
        if not LIBRARY.exists():
            self.skipTest("no library of DuckDB (make engines)")
        for name in ("one.parquet", "odd.parquet", "two", "hive"):
            expected = self.run_fit("library", name)
            self.assertGreater(len(expected), 0)
            for way in self.ways():
                self.assertEqual(expected, self.run_fit(way, name), f"{way} reads another table from {name}")
                mine, theirs = (pyarrow.parquet.read_table(self.folder / f"{one}.parquet") for one in (way, "library"))
                self.assertEqual(mine.schema.remove_metadata(), theirs.schema.remove_metadata())
                self.assertEqual(mine.to_pylist(), theirs.to_pylist())

    def test_the_ledger_is_beside_the_files(self):
        self.run_fit("pyarrow", "two/*.parquet")
        self.run_fit("pyarrow", "one.parquet")
        self.assertTrue((self.folder / "two.ledger").exists() and (self.folder / "one.parquet.ledger").exists())


class Words(unittest.TestCase):
    """What pyarrow cannot read is one line of ours, before anything is charged."""

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.folder = Path(self.scratch.name)
        works = _parquet._core.engine_works
        _parquet.engine.cache_clear()
        _parquet._core.engine_works = lambda path: False
        self.addCleanup(setattr, _parquet._core, "engine_works", works)
        self.addCleanup(_parquet.engine.cache_clear)

    def refused(self, kind, words, name, **options):
        with self.assertRaisesRegex(kind, words):
            Synthesizer(epsilon=1, schema=SCHEMA, method="marginals", **options).fit(self.folder / name)
        self.assertEqual([], [*self.folder.glob("*.ledger")])

    def test_bad_files_and_options(self):
        (self.folder / "text.parquet").write_text("age,ward\n1,SECRET\n")
        (self.folder / "empty").mkdir()
        (self.folder / "mixed").mkdir()
        pyarrow.parquet.write_table(table(), self.folder / "mixed/a.parquet")
        other = table().set_column(0, "age", pyarrow.array(["SECRET"] * ROWS))
        pyarrow.parquet.write_table(other, self.folder / "mixed/b.parquet")
        pyarrow.parquet.write_table(table(), self.folder / "good.parquet")
        self.refused(semblance.InputError, r"text\.parquet is not a Parquet file", "text.parquet")
        self.refused(semblance.FileError, "holds no Parquet files", "empty")
        self.refused(semblance.FileError, "cannot open .*none.parquet: No such file", "none.parquet")
        self.refused(semblance.InputError, "mixed: its files do not have the same columns$", "mixed")
        self.refused(semblance.OptionError, "delimiter does not apply to Parquet files", "good.parquet", delimiter=";")
        lists = {"fields": [{"name": "listed", "type": "integer", "constraints": {"minimum": 0, "maximum": 9}}]}
        with self.assertRaisesRegex(semblance.InputError, "listed"):
            Synthesizer(epsilon=1, schema=lists).fit(self.folder / "good.parquet")

    def test_other_calls_read_and_write(self):
        pyarrow.parquet.write_table(table().drop_columns(["listed"]), self.folder / "good.parquet")
        good = str(self.folder / "good.parquet")
        self.assertEqual(len(semblance.Schema.inspect(good).to_dict()["fields"]), len(FIELDS))
        made = Synthesizer(epsilon=2, schema=SCHEMA, method="marginals").fit(good)
        made.sample(50).to_parquet(self.folder / "out.parquet")
        before = (self.folder / "out.parquet").read_bytes()
        with self.assertRaisesRegex(semblance.FileError, "out.parquet exists already.*overwrite=True"):
            made.sample(60).to_parquet(self.folder / "out.parquet")
        self.assertEqual(before, (self.folder / "out.parquet").read_bytes())
        made.sample(60).to_parquet(self.folder / "out.parquet", overwrite=True)
        self.assertEqual(60, pyarrow.parquet.read_table(self.folder / "out.parquet").num_rows)
        with self.assertRaisesRegex(semblance.FileError, "cannot write .*none/out.parquet"):
            made.sample(5).to_parquet(self.folder / "none/out.parquet")
        self.assertEqual([], [name for name in os.listdir(self.folder) if "part-" in name])
        self.assertIn("NOT PRIVATE", str(semblance.evaluate(good, made.sample(500), SCHEMA, models="none", progress=False)))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--fit"]:
        fit(Path(sys.argv[2]), *sys.argv[3:])
    else:
        unittest.main()
