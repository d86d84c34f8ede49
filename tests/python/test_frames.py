#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Frames of other libraries go in and out: pandas, polars, pyarrow, duckdb, in all types, with nulls, slices and chunks.

Needs them all; tools/wheel.sh --test fetches them. What each gives is compared by the only thing that leaves without
noise, which is NOT PRIVATE: what the schema check counts, and what an evaluation says of it and one other table.
"""
import datetime
import decimal
import os
import pickle
import tempfile
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


def all_dtypes(count=400):
    """Frames with columns of every type that comes back."""
    draw = numpy.random.default_rng(0)
    hours = pandas.date_range("2024-01-01", periods=count, freq="h")
    frame = pandas.DataFrame({
        "flag": draw.random(count) < 0.5,
        "nb": pandas.array([None if i % 9 == 0 else i % 2 == 0 for i in range(count)], dtype="boolean"),
        "i": draw.integers(0, 100, count),
        "I": pandas.array([None if i % 7 == 0 else i % 50 for i in range(count)], dtype="Int64"),
        "y": draw.integers(0, 2, count),
        "oc": pandas.Categorical(draw.choice(["lo", "mid"], count), categories=["lo", "mid", "hi"], ordered=True),
        "ic": pandas.Categorical(draw.integers(1, 4, count), categories=[1, 2, 3, 4]),
        "tz": hours.tz_localize("UTC").tz_convert("Europe/Berlin"),
        "ts": hours,
        "d": [datetime.date(2024, 1, 1) + datetime.timedelta(days=i % 300) for i in range(count)],
        "f32": draw.random(count).astype("float32"),
        "s": draw.choice(["a", "b"], count),
        "ss": pandas.array(draw.choice(["a", "b"], count), dtype="string"),
        "i8": draw.integers(0, 50, count).astype("int8"),
    })
    plain = frame.drop(columns=["ic"])
    return {
        "pandas": frame,
        "pandas over arrow": frame.convert_dtypes(dtype_backend="pyarrow"),
        "polars": polars.DataFrame(plain).with_columns(polars.col("oc").cast(polars.Enum(["lo", "mid", "hi"])), polars.col("i").cast(polars.UInt16)),
        "pyarrow": pyarrow.table(plain),
    }


def types_of(frame):
    """Name and type of each column."""
    if isinstance(frame, pyarrow.Table):
        return dict(zip(frame.schema.names, frame.schema.types))
    return dict(zip(frame.columns, frame.dtypes))


def without_paths(document):
    """An evaluation but for what its tables are called."""
    if isinstance(document, dict):
        return {name: without_paths(value) for name, value in document.items() if name != "path"}
    return [*map(without_paths, document)] if isinstance(document, list) else document


PERSONS = {
    "fields": [{"name": "town", "type": "string", "constraints": {"enum": ["Ayr", "Bath"], "required": True}}, {"name": "who"}],
    "semblance": {"unit": "who", "max_rows_per_unit": 3},
}


class Persons(unittest.TestCase):
    """Hostile ids name the same persons from every library and from a file. What tells is the number of rows that
    count: at most three of a person, here with little noise."""

    def counted(self, data):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Synthesizer(epsilon=40, schema=PERSONS, method="marginals", health="off").fit(data).n_

    def forms(self, ids):
        """The same table in every form."""
        table = pyarrow.table({"town": ["Ayr", "Bath"] * (len(ids) // 2), "who": ids})
        yield "pyarrow", table
        yield "pandas", table.to_pandas()
        yield "pandas on Arrow", table.to_pandas(types_mapper=pandas.ArrowDtype)
        yield "polars", polars.DataFrame(table)
        yield "duckdb", duckdb.sql('SELECT * FROM "table"')
        yield "chunks", table.to_batches(max_chunksize=7)
        yield "dictionary", table.set_column(1, "who", table["who"].dictionary_encode())

    def expect(self, ids, persons):
        for name, data in self.forms(ids):
            with self.subTest(form=name, type=str(ids.type)):
                self.assertAlmostEqual(self.counted(data), 3 * persons, delta=25)

    def test_one_id_in_many_rows_is_one_person(self):
        others = ["a", "b", "c"] * 4
        for hostile in (["\0"], ["\0x"], [" \0x\t", "\0x"], ["7", "7.0"], ["x" * 100_000]):
            ids = pyarrow.array((hostile * 300)[:288] + others)
            self.expect(ids, 4)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "persons.csv")
                with open(path, "w", encoding="utf-8", newline="") as file:
                    file.write("town,who\n" + "".join(f'{"Ayr" if i % 2 else "Bath"},"{who}"\n' for i, who in enumerate(ids.to_pylist())))
                self.assertAlmostEqual(self.counted(path), 12, delta=25)
        self.expect(pyarrow.array([0.0, -0.0] * 150), 1)

    def test_ids_that_differ_are_as_many_persons(self):
        numbers = [*range(100)] * 4
        self.expect(pyarrow.array([f"a\0{i}" for i in numbers]), 100)
        self.expect(pyarrow.array([2**53 + i for i in numbers], pyarrow.int64()), 100)
        self.expect(pyarrow.array([2**63 + i for i in numbers], pyarrow.uint64()), 100)
        for unit in ("s", "ms", "us", "ns"):
            for zone in (None, "UTC"):
                self.expect(pyarrow.array([10**9 + i for i in numbers], pyarrow.timestamp(unit, zone)), 100)
        self.expect(pyarrow.array([*map(float, numbers)], pyarrow.float64()), 100)


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
            Synthesizer(epsilon=1, schema=people.SCHEMA).fit(frame.lazy())

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
        more = self.table.append_column("more", pyarrow.array([[1]] * N))
        self.assertIn("more: in the table, not in the schema", self.schema.check(more))
        self.assertEqual(self.exact(more), self.wanted)

    def test_what_has_no_meaning_is_refused_by_column_and_type(self):
        wrong = self.table.drop(["age"]).append_column("age", pyarrow.array([[1]] * N))
        with self.assertRaisesRegex(semblance.InputError, "age"):
            Synthesizer(epsilon=1, schema=people.SCHEMA).fit(wrong)
        with self.assertRaisesRegex(semblance.InputError, "town"):
            Synthesizer(epsilon=1, schema=people.SCHEMA).fit(self.table.drop(["town"]))

    def test_what_is_not_a_table_is_refused_with_what_to_do(self):
        rows = numpy.array([(1, 2.5)], dtype=[("age", "i8"), ("height", "f8")])
        frame = self.table.to_pandas()
        for data, words in ((frame["age"], r"Series is one column: .*to_frame"), (frame.index, "RangeIndex is one column"),
                            (polars.Series("age", [1]), r"Series is one column: .*to_frame"), ([frame["age"]], "one column"),
                            (self.table["age"], r"ChunkedArray is one column: .*pyarrow.table"), (rows, "frame of the record array"),
                            (rows.view(numpy.recarray), "frame of the record array"), (numpy.zeros((3, 2)), "no column names"),
                            (frame.groupby("age"), "not DataFrameGroupBy"), (polars.LazyFrame({"age": [1]}), r"collect\(\) it first")):
            with self.subTest(type(data).__name__), self.assertRaisesRegex(TypeError, words):
                Synthesizer(epsilon=1, schema=people.SCHEMA).fit(data)

    def test_types_of_arrow_are_refused_by_their_names(self):
        for kind, name in ((pyarrow.duration("ns"), r"duration\[ns\]"), (pyarrow.binary(), "binary"),
                           (pyarrow.list_(pyarrow.int64()), "list"), (pyarrow.struct([("x", pyarrow.int64())]), "struct"),
                           (pyarrow.decimal256(50, 2), "decimal256")):
            wrong = self.table.drop(["age"]).append_column("age", pyarrow.nulls(N, kind))
            with self.assertRaisesRegex(semblance.InputError, f"column 'age' has the Arrow type {name}, which"):
                Synthesizer(epsilon=1, schema=people.SCHEMA).fit(wrong)

    def test_a_column_whose_name_has_a_line_break_is_refused_as_such(self):
        frame = pandas.DataFrame({"a\nb": [1.0, 2.0] * 50})
        for make in (lambda: Schema.inspect(frame), lambda: Synthesizer(epsilon=1).fit(frame)):
            with self.assertRaisesRegex(semblance.InputError, "a line break or another control character: rename"):
                make()

    def test_periods_come_back(self):
        months = pandas.period_range("2020-01", periods=24, freq="M")
        frame = pandas.DataFrame({"month": [*months] * 20, "n": pandas.array([None, *[*months][1:]] * 20, dtype="period[M]")})
        ends = (pandas.Period("2020-01", "M"), "2021-12")
        schema = Schema.from_dtypes(frame, bounds={"month": ends, "n": ends})
        self.assertEqual(schema.to_dict()["fields"][0]["constraints"], {"minimum": months[0].ordinal, "maximum": months[-1].ordinal})
        drawn = Synthesizer(epsilon=20, schema=schema, method="marginals").fit(frame).sample(300, seed=1).to_pandas()
        self.assertEqual(types_of(drawn), types_of(frame))
        self.assertTrue(drawn["month"].between(months[0], months[-1]).all())
        self.assertEqual((drawn["month"].isna().sum(), drawn["n"].isna().any()), (0, True))

    def test_decimals_come_back_where_the_dtype_says_so(self):
        kind = pandas.ArrowDtype(pyarrow.decimal128(8, 2))
        prices = [decimal.Decimal(i % 500) / 100 for i in range(400)]
        schema = {"fields": [{"name": "price", "type": "number", "constraints": {"minimum": 0, "maximum": 5}}]}
        for dtype, wanted in ((kind, decimal.Decimal), (object, float)):  # what is in cells of an object column is not looked at
            frame = pandas.DataFrame({"price": pandas.Series(prices, dtype=dtype)})
            drawn = Synthesizer(epsilon=20, schema=schema, method="marginals").fit(frame).sample(50).to_pandas()
            self.assertEqual(drawn["price"].dtype, frame["price"].dtype)
            self.assertEqual({type(one) for one in drawn["price"].dropna()}, {wanted})

    def test_an_infinity_is_a_number_beyond_the_bounds(self):
        schema = Schema({"fields": [{"name": "x", "type": "number", "constraints": {"minimum": 0, "maximum": 10}}]})
        values = [float("inf"), float("-inf"), float("nan"), 3.0] * 50
        bounded = [10.0, 0.0, float("nan"), 3.0] * 50
        exact = lambda values, kind: self.exact_of(schema, kind(values))
        for kind in (lambda v: pandas.DataFrame({"x": v}), lambda v: polars.DataFrame({"x": v}), lambda v: pyarrow.table({"x": v}),
                     lambda v: pandas.DataFrame({"x": pandas.Series(v, dtype="float32")})):
            self.assertEqual(exact(values, kind), exact(bounded, kind))
            self.assertIn("x: 50 missing, 100 out of range", schema.check(kind(values)))

    def exact_of(self, schema, data):
        """NOT PRIVATE: distances to a fixed table, which tell the cells of two tables apart."""
        fixed = pyarrow.table({"x": [float(i % 11) for i in range(220)]})
        return semblance.evaluate(fixed, data, schema, models="none", progress=False).to_dict()["columns"]

    def test_the_dtypes_of_a_frame_come_back(self):
        for name, frame in all_dtypes().items():
            with self.subTest(frame=name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                schema = Schema.inspect(frame)
                drawn = Synthesizer(epsilon=10, schema=schema, method="marginals").fit(frame).sample(200, seed=1)
                out = {"pandas": drawn.to_pandas, "polars": drawn.to_polars, "pyarrow": drawn.to_arrow}[name.split()[0]]()
                self.assertEqual(types_of(out), types_of(frame))

    def test_levels_that_no_row_has_come_back_in_their_order(self):
        frame = pandas.DataFrame({"size": pandas.Categorical(["s", "m"] * 200, categories=["s", "m", "l"], ordered=True)})
        schema = Schema.from_dtypes(frame)
        drawn = Synthesizer(epsilon=10, schema=schema, method="marginals").fit(frame).sample(50).to_pandas()
        self.assertEqual(drawn["size"].dtype, frame["size"].dtype)
        for levels in ([0.5, 1.0, 2.0], [True, False], [3, 1, 2], [pandas.Timestamp("2024-01-01"), pandas.Timestamp("2024-01-02 03:00")]):
            frame = pandas.DataFrame({"level": pandas.Categorical(levels[:2] * 200, categories=levels)})
            drawn = Synthesizer(epsilon=10, schema=Schema.from_dtypes(frame), method="marginals").fit(frame).sample(90).to_pandas()
            with self.subTest(levels=levels):
                self.assertEqual(drawn["level"].dtype, frame["level"].dtype)
                self.assertGreater(len(drawn["level"].dropna().unique()), 1)

    def test_levels_that_the_schema_does_not_declare_do_not_come_back(self):
        frame = pandas.DataFrame({"town": pandas.Categorical(["Ayr", "Bath"] * 200 + ["Secret"])})
        schema = {"fields": [{"name": "town", "type": "string", "constraints": {"enum": ["Bath", "Ayr"]}}]}
        drawn = Synthesizer(epsilon=10, schema=schema, method="marginals").fit(frame).sample(50).to_pandas()
        self.assertEqual(drawn["town"].cat.categories.tolist(), ["Ayr", "Bath"])
        levels = polars.DataFrame({"town": polars.Series(["Ayr", "Bath", "Secret"] * 100, dtype=polars.Enum(["Ayr", "Bath", "Secret"]))})
        for data in (frame, levels, [frame, frame]):
            fitted = Synthesizer(epsilon=10, schema=schema, method="marginals").fit(data)
            self.assertNotIn(b"Secret", pickle.dumps(fitted))

    def test_a_dtype_without_missing_values_becomes_its_nullable_sister(self):
        frame = pandas.DataFrame({"i": numpy.arange(300, dtype="uint8") % 50, "b": numpy.arange(300) % 2 == 0})
        schema = {"fields": [{"name": "i", "type": "integer", "constraints": {"minimum": 0, "maximum": 49}},
                             {"name": "b", "type": "boolean"}], "missingValues": [""]}
        fitted = Synthesizer(epsilon=10, schema=schema, method="marginals").fit(frame)
        self.assertEqual(fitted.sample(50, where={"i": (0, 9)}).to_pandas()["i"].dtype, "uint8")
        gaps = frame.astype({"i": "UInt8", "b": "boolean"})
        gaps.loc[::3] = pandas.NA
        fitted = Synthesizer(epsilon=10, schema=schema, method="marginals").fit(gaps)
        fitted._model.frame = semblance._frames.frame_of(frame)
        self.assertEqual([*map(str, fitted.sample(300).to_pandas().dtypes)], ["UInt8", "boolean"])

    def test_a_pickle_keeps_the_dtypes(self):
        frame = pandas.DataFrame({"i": numpy.arange(300, dtype="int8")})
        schema = Schema.from_dtypes(frame, bounds={"i": (-128, 127)})
        fitted = Synthesizer(epsilon=10, schema=schema, method="marginals").fit(frame)
        self.assertEqual(pickle.loads(pickle.dumps(fitted)).sample(5).to_pandas()["i"].dtype, "int8")

    def test_columns_that_numbers_name_come_back_under_numbers(self):
        frame = pandas.DataFrame({0: numpy.arange(2000) % 90, 1: ["a", "b"] * 1000})
        described = {"fields": [{"name": 0, "type": "integer", "constraints": {"minimum": 0, "maximum": 90, "required": True}},
                                {"name": 1, "type": "string", "constraints": {"enum": ["a", "b"]}}], "semblance": {"label": 1}}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for schema in (described, Schema.inspect(frame), None):
                fitted = Synthesizer(epsilon=10, schema=schema).fit(frame)
                self.assertEqual(fitted.sample(5).to_pandas().columns.tolist(), [0, 1])
        self.assertTrue((fitted.sample(20, where={0: (50, None)}).to_pandas()[0] >= 50).all())

    def test_an_index_is_a_column_where_it_has_a_name(self):
        frame = pandas.DataFrame({"i": numpy.arange(300) % 50}, index=numpy.arange(300)[::-1] % 7)
        schema = Schema.from_dtypes(frame, bounds={"i": (0, 49)})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            Synthesizer(epsilon=10, schema=schema, method="marginals").fit(frame)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.assertEqual(Schema.inspect(frame).columns, ["i"])
            self.assertEqual(Schema.inspect(frame.rename_axis("who")).columns, ["who", "i"])
        with self.assertRaisesRegex(TypeError, "make a frame of it"):
            Synthesizer(epsilon=1, schema=schema).fit(numpy.zeros((3, 2)))

    def test_a_schema_is_made_of_dtypes_without_a_look_at_values(self):
        frames = all_dtypes()
        bounds = {"i": (0, 99), "I": (0, 49), "y": (0, 1), "i8": (0, 50), "f32": (0, 1), "tz": (datetime.datetime(2024, 1, 1), datetime.datetime(2025, 1, 1)),
                  "ts": (datetime.datetime(2024, 1, 1), datetime.datetime(2025, 1, 1)), "d": (datetime.date(2024, 1, 1), datetime.date(2024, 12, 31))}
        texts = {"s": ["a", "b"], "ss": ["a", "b"]}
        made = Schema.from_dtypes(frames["pandas"], bounds=bounds, categories=texts, label="oc")
        self.assertEqual(Schema.from_dtypes(frames["pandas"].iloc[:0], bounds=bounds, categories=texts, label="oc"), made)
        self.assertEqual(made.label, "oc")
        fields = {field["name"]: field for field in made.to_dict()["fields"]}
        self.assertEqual(fields["oc"]["constraints"]["enum"], ["lo", "mid", "hi"])
        self.assertEqual((fields["flag"]["type"], fields["flag"]["constraints"]), ("boolean", {"required": True}))
        self.assertEqual(fields["nb"]["constraints"], {})
        self.assertEqual(fields["ic"], {"name": "ic", "type": "integer", "constraints": {"enum": [1, 2, 3, 4]}})
        drawn = Synthesizer(epsilon=10, schema=made, method="marginals").fit(frames["pandas"]).sample(100)
        self.assertEqual(types_of(drawn.to_pandas()), types_of(frames["pandas"]))
        for name in ("polars", "pyarrow"):
            own = Schema.from_dtypes(frames[name], bounds=bounds, categories={**texts, "oc": ["lo", "mid", "hi"]})
            self.assertEqual(own.columns, [*types_of(frames[name])])
        with self.assertRaisesRegex(semblance.SchemaError, r"the bounds of 'i', 'I'.* and the categories of 'd', 's'.*bounds=\{...\} and categories="):
            Schema.from_dtypes(frames["pandas"])
        with self.assertRaisesRegex(semblance.OptionError, "no column 'nobody'"):
            Schema.from_dtypes(frames["pandas"], bounds={"nobody": (0, 1)})
        with self.assertRaisesRegex(TypeError, "pandas, polars or pyarrow"):
            Schema.from_dtypes([1, 2])

    def test_a_schema_says_what_is_a_persons_and_what_orders_rows(self):
        days = pandas.date_range("2024-01-01", periods=300)
        frame = pandas.DataFrame({"patient": [f"P{i // 5:03d}" for i in range(300)], "sex": ["fm"[i // 5 % 2] for i in range(300)],
                                  "day": days, "cost": [i * 7 % 90 for i in range(300)]})
        bounds = {"day": (datetime.datetime(2024, 1, 1), datetime.datetime(2024, 12, 31)), "cost": (0, 89)}
        known = {"bounds": bounds, "categories": {"sex": ["f", "m"]}}
        made = Schema.from_dtypes(frame, **known, unit="patient", per_unit=["sex"], order="day")
        self.assertEqual((made.unit, made.max_rows_per_unit, made.per_unit, made.order), ("patient", 50, ["sex"], "day"))
        alone = Schema.from_dtypes(frame, **known, unit="patient", per_unit="sex", order="day")
        self.assertEqual(alone.per_unit, ["sex"])
        self.assertRegex(made.check(frame), "60 persons with at most 5 rows")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            inspected = Schema.inspect(frame)
        self.assertRegex("\n".join(inspected.proposals), "(?s)unit: patient: .*per: sex: all rows of a person .*order: day: ")
        taken = inspected.accept(["unit", "per", "order"])
        self.assertEqual((taken.unit, taken.max_rows_per_unit, taken.per_unit, taken.order), ("patient", 50, ["sex"], "day"))
        plain = Schema({"fields": [{"name": "x", "type": "boolean"}]})
        self.assertEqual((plain.unit, plain.max_rows_per_unit, plain.per_unit, plain.order), (None, None, [], None))
        for wrong, words in (({"unit": "nobody"}, "unit: .*'nobody'"), ({"unit": "patient", "per_unit": ["nobody"]}, "per_unit: "),
                             ({"order": "day"}, "need unit")):
            with self.assertRaisesRegex(semblance.OptionError, words):
                Schema.from_dtypes(frame, **known, **wrong)

    def test_a_dict_of_frames_is_a_package(self):
        people = pandas.DataFrame({"no": [f"P{i:04d}" for i in range(400)],
                                   "sex": pandas.Categorical(["fm"[i % 2] for i in range(400)], categories=["f", "m", "x"])})
        visits = pandas.DataFrame({"who": [f"P{i * 7 % 400:04d}" for i in range(900)], "cost": [float(i * 11 % 90) for i in range(900)]})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            drafted = Schema.inspect({"visits": visits, "people": people})
        self.assertEqual(drafted.tables, ["people", "visits"])
        self.assertIn("visits.who refers to people.no: every row holds one of its keys; a person has up to 3 rows", drafted.notes)
        fields = drafted.to_dict()["resources"][0]["schema"]["fields"]
        self.assertEqual((fields[0]["semblance"]["role"], fields[1]["constraints"]["enum"]), ("id", ["f", "m", "x"]))
        self.assertEqual(Synthesizer(epsilon=2, schema=drafted.accept("all")).fit({"visits": visits, "people": people})
                         .sample(persons=9, seed=1).tables, ["people", "visits"])
        with self.assertRaisesRegex(semblance.InputError, "^strangers: no column of it holds the keys of another file"):
            Schema.inspect({"people": people, "visits": visits, "strangers": pandas.DataFrame({"a": [1.5, 2.5] * 90})})

    def test_a_grid_search_fits_and_scores_it(self):
        from sklearn.model_selection import GridSearchCV

        frame = self.table.to_pandas()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = GridSearchCV(Synthesizer(epsilon=5, schema=people.SCHEMA), {"method": ["marginals", "pairs"]}, cv=2).fit(frame)
        self.assertIn(found.best_params_["method"], ("marginals", "pairs"))
        self.assertEqual(len(found.best_estimator_.sample(7)), 7)

    def test_samples_come_out_in_every_library(self):
        fitted = Synthesizer(epsilon=2, schema=people.SCHEMA, method="marginals").fit(self.table)
        sample = fitted.sample(300, seed=4)
        rows = sample.to_dict()
        self.assertEqual(pyarrow.table(sample).to_pydict(), rows)
        self.assertTrue(pandas.DataFrame(sample).equals(pandas.DataFrame(rows)))
        self.assertEqual(pandas.DataFrame(sample.head(4))["age"].tolist(), rows["age"][:4])
        self.assertEqual(polars.DataFrame(sample).schema, sample.to_polars().schema)
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
        small = dict(features=32, hidden=[16], latent=2, steps=3, batch=8, threads=1)
        fitted = Synthesizer(epsilon=3, **small).fit(pixels[::1], numpy.arange(50) % 4, classes=4)
        drawn = fitted.sample(6)
        self.assertEqual(numpy.asarray(drawn).shape, (6, 8, 8, 3))
        self.assertEqual(numpy.asarray(drawn.labels).dtype, numpy.uint32)

    def test_sdgym_adapter(self):
        from semblance import sdgym

        frame = self.table.to_pandas()
        frame.insert(0, "key", range(N))
        columns = {"columns": {"key": {"sdtype": "id"}, **{name: {"sdtype": "categorical"} for name in people.NAMES}}}
        for data, metadata in ((frame, columns), ({"people": frame}, {"tables": {"people": columns}})):  # SDV 1 and 2
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                trained = sdgym.get_trained_synthesizer(data, metadata, epsilon=10)
            drawn = sdgym.sample_from_synthesizer(trained, 20)
            self.assertEqual(type(drawn), type(data))
            drawn = drawn["people"] if isinstance(drawn, dict) else drawn
            self.assertEqual((drawn.shape[0], [*drawn.columns]), (20, [*frame.columns]))
            self.assertEqual(drawn["key"].tolist(), [*range(20)])
            if isinstance(data, dict):  # SDGym asks for len(data) rows
                self.assertEqual(len(sdgym.sample_from_synthesizer(trained, len(data))["people"]), N)

    def test_sdgym_adapter_of_several_tables(self):
        from semblance import sdgym

        key, listed = {"name": "id", "type": "string"}, {"type": "string", "constraints": {"enum": ["a", "b"]}}
        package = {"resources": [
            {"name": "shops", "path": "s.csv", "schema": {"primaryKey": "id", "fields": [key, {"name": "kind", **listed}]}},
            {"name": "sales", "path": "t.csv", "schema": {
                "fields": [{"name": "shop", "type": "string"}, {"name": "what", **listed}], "semblance": {"max_rows_per_unit": 3},
                "foreignKeys": [{"fields": "shop", "reference": {"resource": "shops", "fields": "id"}}]}}]}
        shops = pandas.DataFrame({"id": [f"s{i}" for i in range(200)], "kind": ["a", "b"] * 100})
        sales = pandas.DataFrame({"shop": [f"s{i // 2}" for i in range(400)], "what": ["a", "b"] * 200})
        with self.assertRaisesRegex(semblance.OptionError, "need a package as schema"):
            sdgym.get_trained_synthesizer({"shops": shops, "sales": sales}, {}, epsilon=10)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            trained = sdgym.get_trained_synthesizer({"shops": shops, "sales": sales}, {}, epsilon=10, schema=package)
            drawn = sdgym.sample_from_synthesizer(trained, 0.5)
        self.assertEqual((sorted(drawn), len(drawn["shops"])), (["sales", "shops"], round(trained["synthesizer"].n_ / 2)))
        self.assertTrue(drawn["sales"]["shop"].isin(drawn["shops"]["id"]).all())


if __name__ == "__main__":
    unittest.main()
