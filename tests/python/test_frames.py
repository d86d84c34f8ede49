#!/usr/bin/env python3
"""Frames of other libraries go in and out: pandas, polars, pyarrow, duckdb, in all types, with nulls, slices and chunks.

Needs them all; tools/wheel.sh --test fetches them. What each gives is compared by the only thing that leaves without
noise, which is NOT PRIVATE: what the schema check counts, and what an evaluation says of it and one other table.
"""
import datetime
import unittest
import warnings

import duckdb
import numpy
import pandas
import polars
import pyarrow

import semblance
from semblance import Schema, Synthesizer

import people

N = 1000


def arrow_table(count=N, seed=1):
    """The rows of people.rows as Arrow, in their own types."""
    columns = list(zip(*people.rows(count, seed)))
    none = lambda convert: lambda text: None if text == "" else convert(text)
    date = datetime.date.fromisoformat
    return pyarrow.table({
        "age": pyarrow.array(columns[0], pyarrow.int64()),
        "height": pyarrow.array([*map(none(float), columns[1])], pyarrow.float64()),
        "town": pyarrow.array([*map(none(str), columns[2])], pyarrow.string()),
        "member": pyarrow.array([text == "true" for text in columns[3]], pyarrow.bool_()),
        "joined": pyarrow.array([*map(date, columns[4])], pyarrow.date32()),
        "wage": pyarrow.array(columns[5], pyarrow.string()),
    })


def without_paths(document):
    """An evaluation but for what its tables are called."""
    if isinstance(document, dict):
        return {name: without_paths(value) for name, value in document.items() if name != "path"}
    return [*map(without_paths, document)] if isinstance(document, list) else document


class Frames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.table = arrow_table()
        cls.schema = Schema(people.SCHEMA)
        cls.other = Synthesizer(epsilon=5, schema=cls.schema, method="marginals").fit(cls.table).sample(300, seed=1)
        cls.wanted = cls.exact(cls.table)
        cls.said = cls.schema.check(cls.table)

    @classmethod
    def exact(cls, data):
        """Distances from one other table, with all their digits: of columns, pairs, triples and fours of them."""
        found = semblance.evaluate(data, cls.other, cls.schema, models="none").to_dict()
        return without_paths(found)

    def same(self, data, *, once=None):
        """once: makes the data again, where it can be read once."""
        self.assertEqual(self.schema.check(data), self.said)
        self.assertEqual(self.exact(once() if once else data), self.wanted)
        fitted = Synthesizer(epsilon=5, schema=self.schema, method="marginals").fit(once() if once else data)
        self.assertEqual(fitted.n_, N)

    def test_pandas(self):
        self.same(self.table.to_pandas())
        self.same(self.table.to_pandas(types_mapper=pandas.ArrowDtype))
        self.same(self.table.to_pandas(categories=["town", "wage"]))

    def test_polars(self):
        frame = polars.DataFrame(self.table)
        self.same(frame)
        self.same(frame.with_columns(polars.col("town").cast(polars.Categorical), polars.col("wage").cast(polars.Enum(["high", "low"]))))
        with self.assertRaisesRegex(TypeError, "collect"):
            Synthesizer(schema=people.SCHEMA).fit(frame.lazy())

    def test_duckdb(self):
        table = self.table  # noqa: F841 - duckdb finds it by name
        self.same(duckdb.sql('SELECT * FROM "table"'))

    def test_pyarrow_types(self):
        for changes in (
            {"age": pyarrow.int8()}, {"age": pyarrow.uint64()}, {"age": pyarrow.int32(), "town": pyarrow.large_string()},
            {"town": pyarrow.string_view()}, {"joined": pyarrow.date64()}, {"joined": pyarrow.timestamp("ms")},
            {"town": pyarrow.dictionary(pyarrow.int8(), pyarrow.string())},
            {"wage": pyarrow.dictionary(pyarrow.uint32(), pyarrow.large_string())},
            {"age": pyarrow.decimal128(20, 0)}, {"age": pyarrow.float64()},
        ):
            schema = self.table.schema
            for name, kind in changes.items():
                schema = schema.set(schema.get_field_index(name), pyarrow.field(name, kind))
            with self.subTest(changes=changes):
                self.same(self.table.cast(schema))

    def test_slices_chunks_and_batches(self):
        doubled = pyarrow.concat_tables([arrow_table(37, 9), self.table, arrow_table(11, 8)])
        self.same(doubled.slice(37, N))
        self.same(doubled.combine_chunks().slice(37, N))
        self.same(self.table.to_batches(max_chunksize=77))
        reader = lambda: pyarrow.RecordBatchReader.from_batches(self.table.schema, self.table.to_batches(max_chunksize=99))
        self.same(reader(), once=reader)
        batches = lambda: (batch for batch in self.table.to_batches(max_chunksize=10))
        self.same(batches(), once=batches)
        self.same([self.table.slice(0, 400).to_pandas(), self.table.slice(400).to_pandas()])
        self.same(self.table.select(["wage", "joined", "age", "member", "town", "height"]))
        self.same(self.table.append_column("more", pyarrow.array([[1]] * N)))

    def test_what_has_no_meaning_is_refused_by_column_and_type(self):
        wrong = self.table.drop(["age"]).append_column("age", pyarrow.array([[1]] * N))
        with self.assertRaisesRegex(semblance.InputError, "age"):
            Synthesizer(schema=people.SCHEMA).fit(wrong)
        with self.assertRaisesRegex(semblance.InputError, "town"):
            Synthesizer(schema=people.SCHEMA).fit(self.table.drop(["town"]))

    def test_samples_come_out_in_every_library(self):
        fitted = Synthesizer(epsilon=2, schema=people.SCHEMA, method="marginals").fit(self.table)
        sample = fitted.sample(300, seed=4)
        rows = sample.to_dict()
        self.assertEqual(pyarrow.table(sample).to_pydict(), rows)
        self.assertEqual(sample.to_polars().to_dict(as_series=False), rows)
        frame = sample.to_pandas()
        self.assertEqual(frame["age"].tolist(), rows["age"])
        self.assertEqual(int(frame["height"].isna().sum()), rows["height"].count(None))
        self.assertEqual(duckdb.sql("SELECT count(*), sum(age) FROM sample").fetchall()[0], (300, sum(rows["age"])))

    def test_scikit_learn_clones_it(self):
        from sklearn.base import clone

        made = clone(Synthesizer(epsilon=3, method="merf", steps=9, schema=people.SCHEMA))
        self.assertEqual((made.epsilon, made.get_params()["steps"]), (3, 9))

    def test_images_of_numpy(self):
        pixels = numpy.random.default_rng(0).integers(0, 256, (50, 8, 8, 3), dtype=numpy.uint8)
        small = dict(features=32, hidden=[8], latent=2, steps=3, batch=8, threads=1)
        fitted = Synthesizer(epsilon=3, **small).fit(pixels[::1], numpy.arange(50) % 4, classes=4)
        drawn = fitted.sample(6)
        self.assertEqual(numpy.asarray(drawn).shape, (6, 8, 8, 3))
        self.assertEqual(numpy.asarray(drawn.labels).dtype, numpy.uint32)

    def test_sdgym_adapter(self):
        from semblance import sdgym

        frame = self.table.to_pandas()
        frame.insert(0, "key", range(N))
        metadata = {"columns": {"key": {"sdtype": "id"}, **{name: {"sdtype": "categorical"} for name in people.NAMES}}}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trained = sdgym.get_trained_synthesizer(frame, metadata, epsilon=10)
        drawn = sdgym.sample_from_synthesizer(trained, 20)
        self.assertEqual((drawn.shape[0], drawn.columns[0]), (20, "key"))


if __name__ == "__main__":
    unittest.main()
