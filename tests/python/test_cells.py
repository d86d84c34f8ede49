#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No cell changes how another one is read: exact sums of frames with an odd cell in them. Needs pandas and pyarrow.

The sums of a frame are those of its rows, each by itself. So the sums of clean rows in the column's own dtype and those of
the odd row alone must add up to the sums of the column of objects that holds both, to the last bit.
"""
import collections
import datetime
import decimal
import enum
import fractions
import os
import traceback
import unittest
import uuid
import warnings

import numpy
import pandas
import pyarrow

import semblance
from exact_sums import Sums, opened
from semblance import Synthesizer, _core
from semblance._cells import as_table, cell
from semblance._work import Work

SECRET = "SECRET-Mr-Smith"
EVERY = os.environ.get("SEMBLANCE_CELLS") == "all"
UTC, EAST = datetime.timezone.utc, datetime.timezone(datetime.timedelta(hours=5, minutes=30))
Timestamp, Decimal = pandas.Timestamp, decimal.Decimal

# ---- schemas: one column each, all of which hold the same cells ----

NUMBERS = {"minimum": -5, "maximum": 50}
DAYS = {"minimum": "2020-01-01", "maximum": "2029-12-31"}
FIELDS = {
    "texts": {"type": "string", "constraints": {"enum": ["1", "2", "3", "4", "3.0", "2024-01-02", "true", "nan"]}},
    "other": {"type": "string", "constraints": {"enum": ["1", "2", "(other)"], "required": True}, "semblance": {"other": "(other)"}},
    "codes": {"type": "integer", "constraints": {"enum": [1, 2, 3, 4]}},
    "whole": {"type": "integer", "constraints": NUMBERS},
    "number": {"type": "number", "constraints": NUMBERS},
    "needed": {"type": "number", "constraints": {**NUMBERS, "required": True}},
    "comma": {"type": "number", "decimalChar": ",", "constraints": NUMBERS},
    "absent": {"type": "integer", "missingValues": ["", "-999", "3"], "constraints": NUMBERS},
    "truth": {"type": "boolean"},
    "yes": {"type": "boolean", "trueValues": ["yes"], "falseValues": ["no"]},
    "date": {"type": "date", "constraints": DAYS},
    "day": {"type": "date", "format": "%d.%m.%Y", "constraints": {"minimum": "01.01.2020", "maximum": "31.12.2029"}},
    "moment": {"type": "datetime", "constraints": {name: text + "T00:00:00" for name, text in DAYS.items()}},
}
SCHEMA = {"fields": [{"name": name, **field} for name, field in FIELDS.items()], "missingValues": [""]}

# ---- clean columns ----

COUNT = [1, 2, 3, 3, 4, 9, 2]
TIMES = [Timestamp(2024, 1, day, hour, 30, 1) for day, hour in zip(COUNT, (0, 0, 3, 4, 5, 23, 0))]
MIDNIGHTS = [Timestamp(2024, 1, day) for day in COUNT]


class Colour(str, enum.Enum):
    RED = "2"


def series(values, dtype=object):
    return pandas.Series(values, dtype=dtype)


KINDS = {
    "int64": lambda: series(COUNT, "int64"),
    "uint64": lambda: series([*COUNT, 2**63 + 5], "uint64"),
    "int8": lambda: series(COUNT, "int8"),
    "Int64": lambda: series([*COUNT, None], "Int64"),
    "float64": lambda: series([*COUNT, 2.5, 0.1, None, 1e17, -0.0, float("inf")], "float64"),
    "float32": lambda: series([*COUNT, 2.5, 0.1], "float32"),
    "bool": lambda: series([True, False, True], "bool"),
    "boolean": lambda: series([True, False, None], "boolean"),
    "datetime64": lambda: series(TIMES, "datetime64[ns]"),
    "midnights": lambda: series([*MIDNIGHTS, None], "datetime64[ns]"),
    "zoned": lambda: series(TIMES, "datetime64[ns]").dt.tz_localize("Europe/Berlin"),
    "category": lambda: series(COUNT, "category"),
    "levels": lambda: series(pandas.Categorical(["1", "2", None, "x"])),
    "string": lambda: series(["1", "2", None, "true", "3.0"], "string"),
    "decimal128": lambda: series([Decimal("1.50"), Decimal("3.00"), None], pandas.ArrowDtype(pyarrow.decimal128(9, 2))),
    "date32": lambda: series([one.date() for one in TIMES], pandas.ArrowDtype(pyarrow.date32())),
    "seconds": lambda: series(TIMES, pandas.ArrowDtype(pyarrow.timestamp("s"))),
    "micros": lambda: series(TIMES, pandas.ArrowDtype(pyarrow.timestamp("us", "UTC"))),
    "ints": lambda: series([*COUNT, None]),
    "texts": lambda: series(["1", "2", None, "yes", "01.02.2024", "2,5", "2024-01-02T03:04:05", "", " 3 "]),
    "dates": lambda: series([one.date() for one in TIMES]),
    "moments": lambda: series([one.to_pydatetime() for one in TIMES]),
    "truths": lambda: series([True, False, None, True]),
    "decimals": lambda: series([Decimal("1"), Decimal("2.50"), Decimal("3.0")]),
    "numpys": lambda: series([numpy.int16(3), numpy.float32(0.1), numpy.bool_(True), numpy.datetime64("2024-01-02")]),
}
if not hasattr(pandas, "ArrowDtype"):  # before pandas 2
    KINDS = {name: make for name, make in KINDS.items() if name not in ("decimal128", "date32", "seconds", "micros")}

# ---- odd cells ----


class Text(str):
    def __str__(self):
        raise RuntimeError(SECRET)


class Refuses:
    def __str__(self):
        raise RuntimeError(SECRET)

    __repr__ = __hash__ = __eq__ = __bool__ = __str__


class Zone(datetime.tzinfo):
    def utcoffset(self, when):
        raise RuntimeError(SECRET)


ODD = {
    "Decimal": Decimal("3.0"), "Decimal.05": Decimal("3.05"), "Decimal huge": Decimal("1e4000"), "Decimal tiny": Decimal("1e-70"),
    "Decimal NaN": Decimal("NaN"), "Decimal inf": Decimal("-Infinity"), "text": SECRET, "bytes": b"2", "not text": b"\xff" + SECRET.encode(),
    "bytearray": bytearray(b"3"), "time": datetime.time(3, 4), "timedelta": datetime.timedelta(3), "Timedelta": pandas.Timedelta("1h"),
    "date": datetime.date(2024, 1, 2), "datetime": datetime.datetime(2024, 1, 2, 3, 4, 5, 6), "year 1": datetime.datetime(1, 1, 1, tzinfo=EAST),
    "aware": datetime.datetime(2024, 1, 2, 3, tzinfo=EAST), "utc": datetime.datetime(2024, 1, 2, tzinfo=UTC),
    "zone": datetime.datetime(2024, 1, 2, tzinfo=Zone()), "Timestamp": Timestamp("2024-01-02 03:04:05.000000007"),
    "Timestamp tz": Timestamp("2024-01-02 03:04", tz="Asia/Tokyo"), "NaT": pandas.NaT, "NA": pandas.NA, "None": None,
    "nan": float("nan"), "inf": float("inf"), "float": 2.5, "whole float": 3.0, "int": 3, "-999": -999, "huge": 2**70, "endless": 10**4000,
    "bool": True, "numpy bool": numpy.bool_(False), "int8": numpy.int8(3), "uint64": numpy.uint64(2**64 - 1), "float16": numpy.float16(2.5),
    "longdouble": numpy.longdouble(2), "datetime64": numpy.datetime64("2024-01-02T03:04:05.5"), "day64": numpy.datetime64("2024-01"),
    "NaT64": numpy.datetime64("NaT"), "timedelta64": numpy.timedelta64(3, "D"), "UUID": uuid.UUID(int=3), "list": [1, SECRET],
    "dict": {"a": SECRET}, "set": {3}, "tuple": (1, 2), "array": numpy.array([1, 2]), "0-d": numpy.array(3), "Period": pandas.Period("2024-01"),
    "Interval": pandas.Interval(1, 2), "complex": 1j, "Fraction": fractions.Fraction(3), "surrogate": "\ud800", "NUL": "3\0", "mark": "\x01i3",
    "marks": "\x01\x01", "Enum": Colour.RED, "Text": Text("3"), "refuses": Refuses(), "type": int, "comma": "2,5", "empty": "", "blanks": " 3 ",
    "pandas text": "nan", "iso": "2024-01-02", "frame": pandas.DataFrame({"a": [1]}),
}
# What `make test` tries with every kind of column; of the others some, and all with SEMBLANCE_CELLS=all.
USUAL = ("Decimal", "text", "not text", "time", "date", "datetime", "aware", "Timestamp", "NaT", "NA", "None", "nan", "float", "huge", "bool",
         "int", "-999", "list", "refuses", "mark", "surrogate")


def frame(column):
    """Column by column: older versions of pandas would infer a dtype."""
    made = pandas.DataFrame(index=column.index)
    for name in FIELDS:
        made[name] = column
    return made


def alone(value):
    return with_odd(series([]), value)


def with_odd(column, value, at=0):
    """The same cells as objects, and one more."""
    cells = column.tolist()
    made = pandas.Series([None] * (len(cells) + 1), dtype=object)
    for place, one in enumerate([*cells[:at], value, *cells[at:]]):
        made.iat[place] = one
    return made


class Cells(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        warnings.simplefilter("ignore")
        cls.sums = Sums(SCHEMA)
        cls.clean = {name: cls.sums.of(frame(make())) for name, make in KINDS.items()}
        cls.odd = {name: cls.sums.of(frame(alone(value))) for name, value in ODD.items()}

    def same(self, found, wanted, message):
        self.assertEqual([int(one) for one in found], [int(one) for one in wanted], message)

    def test_the_schemas_tell_cells_apart(self):
        """What is compared below is not all the same."""
        self.assertGreater(len({tuple(one) for one in self.odd.values()}), 15)
        self.assertGreater(len({tuple(one) for one in self.clean.values()}), 12)

    def test_an_odd_cell_adds_what_it_adds_alone(self):
        for kind, make in KINDS.items():
            column = make()
            for name, value in ODD.items():
                if not EVERY and name not in USUAL and kind not in ("int64", "texts", "datetime64"):
                    continue
                with self.subTest(column=kind, cell=name):
                    found = self.sums.of(frame(with_odd(column, value, len(column) // 2)))
                    self.same(found, self.clean[kind] + self.odd[name], "a cell changed how others are read")

    def test_frames_of_other_types_in_a_list_are_read_by_their_own(self):
        for kind, make in KINDS.items():
            for name in ODD if EVERY else ("Decimal", "None", "text", "date", "Timestamp", "float", "list"):
                first, odd = frame(make()), frame(alone(ODD[name]))
                wanted = 2 * self.clean[kind] + self.odd[name]
                for way, frames in (("odd between", [first, odd, first]), ("odd first", [odd, first, first])):
                    with self.subTest(column=kind, cell=name, way=way):
                        self.same(self.sums.of(frames), wanted, "list")
                        self.same(self.sums.of(iter(frames)), wanted, "iterator")
                        self.same(self.sums.of_part(iter(frames)), wanted, "part")

    def test_frames_of_every_two_types_in_a_list(self):
        for kind, make in KINDS.items():
            frames = [frame(make()), *(frame(other()) for other in KINDS.values())]
            self.same(self.sums.of(frames), self.clean[kind] + sum(self.clean.values()), kind)

    def test_one_none_in_one_of_two_frames(self):
        """int64 and float64."""
        whole, gap = pandas.DataFrame({"n": [1, 2, 3]}), pandas.DataFrame({"n": [1, None, 3]})
        for kind in ("integer", "string"):
            sums = Sums({"fields": [{"name": "n", "type": kind, "constraints": {"enum": ["1", "2", "3"] if kind == "string" else [1, 2, 3]}}]})
            one = pandas.DataFrame({"n": [2]}), pandas.DataFrame({"n": [None]})
            moved = sums.of([whole, gap]) - sums.of([whole, whole])
            self.same(moved, sums.of(one[1]) - sums.of(one[0]), kind)

    def test_levels_are_cells_too(self):
        for name, value in ODD.items():
            try:
                levels = pandas.Index([1, 2, 3, value], dtype=object)
                column = pandas.Series(pandas.Categorical.from_codes([0, 1, 2, 3, 1, -1], dtype=pandas.CategoricalDtype(levels)))
            except (TypeError, ValueError, RuntimeError):  # no level: not hashable, missing, or one of the others
                continue
            with self.subTest(level=name):
                clean = self.sums.of(frame(series([1, 2, 3, 2, None])))
                self.same(self.sums.of(frame(column)), clean + self.odd[name], "a level changed how others are read")

    def test_persons_of_partitions_of_other_types(self):
        """As engines divide them: the sums of all shares are those of the whole."""
        schema = {"fields": [{"name": "n", "type": "string", "constraints": {"enum": ["1", "2", "3"]}}, {"name": "who"}],
                  "semblance": {"unit": "who", "max_rows_per_unit": 2}}
        days = [*pandas.date_range("2024-01-01", periods=40)]
        partitions = [pandas.DataFrame({"n": [1 + i % 3 for i in range(40)], "who": days}),
                      pandas.DataFrame({"n": [*map(str, [1, 2, 3] * 10)], "who": series([*days[:29], SECRET])}),
                      pandas.DataFrame({"n": series([Decimal("3.0"), 3, 2.0]), "who": [*days[:3]]})]
        sums = Sums(schema)
        work = Work(sums.plan, sums.key, ("n", "who"), "who", 3)
        pieces = [work.divide(as_table(one)) for one in partitions]
        parts = [work.part(share, iter([one[share] for one in pieces])) for share in range(3)]
        found = opened(_core.parts_merge([part.sums for part in parts], sums.plan, sums.key), sums.plan, sums.key)
        self.same(found, sums.of(partitions), "shares")
        # A text in one partition is one person with one row.
        clean = [partitions[0], partitions[1].iloc[:29].astype({"who": "datetime64[ns]"}), partitions[2]]
        moved = sums.of(partitions) - sums.of(clean)
        self.assertLessEqual(int(abs(moved).max()), 1)

    def test_a_partition_of_an_engine_has_a_meaning_for_every_type(self):
        table = pyarrow.table({name: pyarrow.array([[1], None], pyarrow.list_(pyarrow.int64())) for name in FIELDS})
        self.same(self.sums.of_part(as_table(table)), self.sums.of(frame(series([[1], None]))), "lists")
        wide = pyarrow.table({name: pyarrow.array([Decimal(3), Decimal(10**40)], pyarrow.decimal256(50, 2)) for name in FIELDS})
        self.same(self.sums.of_part(as_table(wide)), self.sums.of(frame(series([Decimal(3), Decimal(10**40)]))), "wide decimals")
        lengths = pyarrow.table({name: pyarrow.array([1, 2], pyarrow.duration("s")) for name in FIELDS})
        self.assertEqual(int(self.sums.of_part(as_table(lengths))[0]), 2)

    def test_times_of_day_are_read_as_their_texts(self):
        schema = {"fields": [{"name": "opens", "type": "time", "format": "%H:%M",
                              "constraints": {"minimum": "06:00", "maximum": "22:00", "required": True}},
                             {"name": "kind", "type": "string", "constraints": {"enum": ["a", "b"], "required": True}}]}
        clocks = [datetime.time(5 + i % 18, i * 7 % 60) for i in range(600)]
        kinds = ["ab"[i * i % 3 % 2] for i in range(600)]
        texts = pandas.DataFrame({"opens": [f"{clock:%H:%M}" for clock in clocks], "kind": kinds})
        sums = Sums(schema, rows=600)
        wanted = sums.of(texts)
        self.same(sums.of(pandas.DataFrame({"opens": pandas.Series(clocks, dtype=object), "kind": kinds})), wanted, "objects")
        for kind in (pyarrow.time32("s"), pyarrow.time32("ms"), pyarrow.time64("us"), pyarrow.time64("ns")):
            data = pyarrow.table({"opens": pyarrow.array(clocks, kind), "kind": kinds})
            self.same(sums.of(data), wanted, str(kind))
            self.same(sums.of_part(as_table(data)), wanted, str(kind))
            drawn = Synthesizer(epsilon=2, schema=schema, method="marginals").fit(data).sample(5)
            self.assertEqual(drawn.to_arrow()["opens"].type, kind)  # they come back as they came
        frame = pandas.DataFrame({"opens": pandas.Series(clocks, dtype=pandas.ArrowDtype(pyarrow.time64("us"))), "kind": kinds})
        self.same(sums.of(frame), wanted, "a frame of Arrow types")
        drawn = Synthesizer(epsilon=2, schema=schema, method="marginals").fit(frame).sample(5).to_pandas()
        self.assertEqual(drawn["opens"].dtype, frame["opens"].dtype)

    def test_the_text_of_a_cell(self):
        wanted = {"text": SECRET, "bytes": "2", "time": "\x01c11040.000000000", "timedelta": "3 days, 0:00:00", "UUID": str(uuid.UUID(int=3)), "NA": None,
                  "NaT": None, "NaT64": None, "nan": None, "inf": "inf", "Decimal": "\x01d3.0", "Decimal NaN": None, "Decimal inf": "-Infinity",
                  "int": "\x01i3", "int8": "\x01i3", "bool": "\x01b1", "whole float": "\x01g3.0", "date": "\x01D19724",
                  "aware": "\x01z1704144600.000000000", "Timestamp": "\x01m1704164645.000000007", "Enum": "2", "Text": "3", "refuses": None,
                  "zone": None, "mark": "\x01t\x01i3", "Period": "2024-01", "not text": "\ufffd" + SECRET, "0-d": "\x01i3"}
        for name, text in wanted.items():
            self.assertEqual(cell(ODD[name]), text, name)


class Fits(unittest.TestCase):
    """Whole fits: none stops, and nothing of a cell is said."""

    def test_no_cell_stops_a_fit(self):
        clean = {kind: KINDS[kind]() for kind in ("int64", "texts", "datetime64", "bool")}
        for name, value in ODD.items():
            columns = {f"{kind} {field}": with_odd(column, value) for kind, column in clean.items() for field in FIELDS}
            length = max(map(len, columns.values()))
            data = pandas.DataFrame({label: column.reindex(range(length)) for label, column in columns.items()})
            schema = {"fields": [{"name": f"{kind} {field}", **facts} for kind in clean for field, facts in FIELDS.items()], "missingValues": [""]}
            with self.subTest(cell=name), warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                Synthesizer(epsilon=1, schema=schema, method="marginals", health="tell").fit(data)
                self.assertNotIn(SECRET, "".join(str(one.message) for one in said))

    def test_the_enum_of_the_trial(self):
        """3,000 rows at epsilon .1: with one Decimal among the ints every cell was missing."""
        schema = {"fields": [{"name": "n", "type": "string", "constraints": {"enum": ["1", "2", "3", "4"]}}]}
        values = [1 + i % 3 for i in range(3000)]
        values[17] = Decimal("3.0")
        drawn = Synthesizer(epsilon=0.1, schema=schema, method="marginals", health="off").fit(pandas.DataFrame({"n": series(values)})).sample(3000)
        self.assertGreater(min(collections.Counter(drawn.to_dict()["n"])[level] for level in "123"), 500)

    def test_a_fit_of_levels_that_have_no_text(self):
        data = pandas.DataFrame({"n": pandas.Categorical([1, 2, Text("3")], categories=[1, 2, Text("3")])})
        schema = {"fields": [{"name": "n", "type": "string", "constraints": {"enum": ["1", "2"]}}]}
        fitted = Synthesizer(epsilon=1, schema=schema, method="marginals", health="off").fit(data)
        self.assertEqual(fitted.sample(5).to_pandas()["n"].cat.categories.tolist(), [1, 2])


class Broken:
    """A library whose conversion fails and quotes a cell."""

    def __arrow_c_stream__(self, requested_schema=None):
        raise pyarrow.ArrowInvalid(f"Could not convert '{SECRET}' with type str")


class Words(unittest.TestCase):
    def test_what_a_library_said_is_not_passed_on(self):
        schema = {"fields": [{"name": "n", "type": "boolean"}]}
        for data in (Broken(), [Broken()], iter([Broken()]), [pandas.DataFrame({"n": [True]}), Broken()]):
            try:
                Synthesizer(epsilon=1, schema=schema, method="marginals").fit(data)
                self.fail("it was fitted")
            except semblance.InputError:
                said = traceback.format_exc()
            self.assertNotIn(SECRET, said)
            self.assertIn("pyarrow", said)

    def test_interrupts_and_missing_packages_are(self):
        for kind in (KeyboardInterrupt, MemoryError, ModuleNotFoundError):
            class Stops:
                def __arrow_c_stream__(self, requested_schema=None):
                    raise kind()
            with self.assertRaises(kind):
                Synthesizer(epsilon=1, schema={"fields": [{"name": "n", "type": "boolean"}]}).fit(Stops())

    def test_an_inspection_of_a_frame_takes_what_its_dtypes_say(self):
        frame = pandas.DataFrame({"town": pandas.Categorical(["Ayr"] * 60, categories=["Ayr", "Bath"]), "age": [*range(60)]})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fields = semblance.Schema.inspect(frame).to_dict()["fields"]
        self.assertEqual(fields[0]["constraints"]["enum"], ["Ayr", "Bath"])

    def test_frames_whose_columns_differ_are_refused(self):
        frames = [pandas.DataFrame({"n": [True]}), pandas.DataFrame({"m": [True]})]
        with self.assertRaisesRegex(TypeError, "differ in their columns"):
            Synthesizer(epsilon=1, schema={"fields": [{"name": "n", "type": "boolean"}]}).fit(frames)


if __name__ == "__main__":
    unittest.main()
