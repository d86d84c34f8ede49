# SPDX-License-Identifier: Apache-2.0
"""Fits in parts by processes of this machine, and what every engine relies on. Needs pyarrow."""
import os
import pickle
import random
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path

import pyarrow
import pyarrow.csv
import pyarrow.parquet

import people
import same_bits
import visits
from semblance import BudgetError, InputError, Ledger, OptionError, SemblanceWarning, Synthesizer, distributed
from semblance import _core

ROWS = 700


def table():
    """The made-up people as Arrow."""
    with tempfile.TemporaryDirectory() as folder:
        return pyarrow.csv.read_csv(people.write(Path(folder) / "people.csv", ROWS))


def seen():
    """The visits of persons as Arrow."""
    return pyarrow.table(visits.columns(ROWS))


# ---- fits in processes of their own (same_bits.py) ----


def whole(folder, name):
    Synthesizer(epsilon=2, schema=people.SCHEMA, method="pairs", **same_bits.files(folder, name)).fit(table())


def persons_whole(folder, name):
    method = name.split("-")[1]
    Synthesizer(epsilon=2, schema=visits.SCHEMA, method=method, expect_rows=ROWS, **same_bits.files(folder, name)).fit(seen())


class Suicidal:
    """A table whose first reader is killed while it reads: what a flag in the folder says."""

    def __init__(self, rows, folder):
        self.rows, self.flag = rows, os.path.join(folder, "killed")

    def __arrow_c_stream__(self, requested_schema=None):
        if not os.path.exists(self.flag):
            open(self.flag, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return self.rows.__arrow_c_stream__(requested_schema)


def cut(rows, folder):
    """An empty partition, one that is killed, and one with nearly all rows."""
    return [rows.slice(0, 20), rows.slice(20, 0), Suicidal(rows.slice(20, 30), folder), rows.slice(50)]


def in_parts(folder, name):
    partitions = cut(table(), folder)
    distributed.fit(partitions, epsilon=2, schema=people.SCHEMA, method="pairs", rows=ROWS, processes=2, **same_bits.files(folder, name))


def persons_in_parts(folder, name):
    method, rows = name.split("-")[1], seen()
    partitions = [rows.slice(0, 100), rows.slice(100, 0), rows.slice(100)]
    distributed.fit(partitions, epsilon=2, schema=visits.SCHEMA, method=method, rows=ROWS, processes=2, **same_bits.files(folder, name))


class Copies(distributed.Local):
    """An engine whose tasks all run twice, and are handed in in another order."""

    def sums(self, work):
        parts = [work.part(number, one, attempt) for attempt in (1, 0) for number, one in enumerate(self.partitions)]
        return reversed(parts)


def twice(folder, name):
    rows = table()
    engine = Copies([rows.slice(0, 333), rows.slice(333)], 1)
    distributed.fit(engine, epsilon=2, schema=people.SCHEMA, method="pairs", **same_bits.files(folder, name))


class Fails(distributed.Local):
    """An engine whose second round fails, once."""

    rounds = 0

    def sums(self, work):
        self.rounds += 1
        if self.rounds == 2:
            raise RuntimeError("the cluster is gone")
        return super().sums(work)


def stopped(folder, name):
    rows = table()
    engine = Fails([rows.slice(0, 333), rows.slice(333)], 1)
    files = same_bits.files(folder, name)
    synthesizer = Synthesizer(epsilon=2, schema=people.SCHEMA, method="pairs", **files)
    try:
        distributed.run(engine, synthesizer)
        raise AssertionError("it did not fail")
    except RuntimeError:
        pass
    assert Ledger(files["ledger"]).releases == 1
    distributed.run(distributed.Local([rows], 1), synthesizer, resume=True)


SMALL = dict(epsilon=2, method="merf", features=32, hidden=[8], latent=2, steps=2, batch=8)
IMAGES = 40


def pictures(folder, name, first, count):
    """Made-up images of digits in IDX, 4 by 4, and their labels."""
    draw = random.Random(7)
    pixels = bytes(draw.randrange(256) for _ in range(16 * IMAGES))[16 * first : 16 * (first + count)]
    labels = bytes(number % 10 for number in range(first, first + count))
    (folder / f"{name}-images").write_bytes(struct.pack(">4I", 0x803, count, 4, 4) + pixels)
    (folder / f"{name}-labels").write_bytes(struct.pack(">2I", 0x801, count) + labels)
    return distributed.Pictures(str(folder / f"{name}-images"), str(folder / f"{name}-labels"))


def images_in_parts(folder, name):
    cuts = [(0, IMAGES)] if name == "one" else [(0, 3), (3, 0), (3, IMAGES - 3)]
    sets = [pictures(Path(folder), f"{name}{first}-{count}", first, count) for first, count in cuts]
    distributed.fit(sets, rows=IMAGES, processes=2, **SMALL, **same_bits.files(folder, name))


def images_whole(folder, name):
    draw = random.Random(7)
    pixels = memoryview(bytes(draw.randrange(256) for _ in range(16 * IMAGES))).cast("B", (IMAGES, 4, 4))
    Synthesizer(**SMALL, **same_bits.files(folder, name)).fit(pixels, [number % 10 for number in range(IMAGES)])


class SameBits(unittest.TestCase):
    def test_any_division_gives_the_releases_of_one_process(self):
        with tempfile.TemporaryDirectory() as folder:
            wanted = same_bits.alone(whole, folder, "whole")
            self.assertGreater(len(wanted), 1)
            with self.subTest("an empty partition, skew, and a process that is killed"):
                self.assertEqual(same_bits.alone(in_parts, folder, "parts"), wanted)
                self.assertTrue(os.path.exists(os.path.join(folder, "killed")))
            with self.subTest("every partition summed twice"):
                self.assertEqual(same_bits.alone(twice, folder, "twice"), wanted)
            with self.subTest("a run that failed between two releases and goes on"):
                self.assertEqual(same_bits.alone(stopped, folder, "stopped"), wanted)

    def test_of_images_in_several_files(self):
        with tempfile.TemporaryDirectory() as folder:
            wanted = same_bits.alone(images_whole, folder, "whole")
            for name in ("one", "several"):
                self.assertEqual(same_bits.alone(images_in_parts, folder, name), wanted, name)

    def test_of_persons_with_rows_in_several_partitions(self):
        with tempfile.TemporaryDirectory() as folder:
            for method in ("pairs", "histories"):
                wanted = same_bits.alone(persons_whole, folder, f"whole-{method}")
                self.assertEqual(same_bits.alone(persons_in_parts, folder, f"parts-{method}"), wanted, method)


class Fits(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.ledger = self.folder / "people.ledger"
        self.known = dict(epsilon=1, schema=people.SCHEMA, method="marginals", ledger=self.ledger, processes=1)
        warnings.simplefilter("error", SemblanceWarning)
        self.addCleanup(warnings.resetwarnings)

    def refused(self, error, words, data, **changed):
        """One line that holds these words, and nothing charged."""
        with self.assertRaisesRegex(error, words) as caught:
            distributed.fit(data, **{**self.known, **changed})
        self.assertNotIn("\n", str(caught.exception))
        self.assertTrue(not self.ledger.exists() or Ledger(self.ledger).releases == 0)

    def test_rows_are_counted_where_their_number_is_public(self):
        rows = table()
        fitted = distributed.fit([rows.slice(0, 300), rows.slice(300)], **self.known)
        self.assertEqual(fitted.n_, ROWS)
        self.assertEqual(Ledger(self.ledger).releases, 1)
        self.assertIs(fitted.certificate_.run_only, False)

    def test_private_number_of_rows_must_be_said(self):
        self.refused(OptionError, "rows=", [table()], neighbours="add-remove")
        self.refused(OptionError, "rows=", [seen()], schema=visits.SCHEMA)
        fitted = distributed.fit([seen()], **{**self.known, "schema": visits.SCHEMA, "rows": 1000})
        self.assertEqual(len(fitted.sample(5).to_dict()["ward"]), 5)

    def test_files_of_text_and_parquet(self):
        rows = table()
        pyarrow.csv.write_csv(rows.slice(0, 200), self.folder / "a.csv")
        pyarrow.parquet.write_table(rows.slice(200), self.folder / "b.parquet", row_group_size=100)
        local = distributed.Local([self.folder / "a.csv", self.folder / "b.parquet"], 4)
        self.assertEqual(len(local.partitions), 3)  # the Parquet file in two
        self.refused(OptionError, "rows=", local)
        self.refused(InputError, "no such file", [self.folder / "c.csv"])
        self.refused(InputError, "no such file", [self.folder / "*.parq"])
        fitted = distributed.fit(local, **{**self.known, "rows": ROWS})
        self.assertEqual(fitted.n_, ROWS)

    def test_what_is_no_fit_in_parts(self):
        self.refused(InputError, "no partition", [], rows=ROWS)
        self.refused(OptionError, "schema", [table()], schema=None)
        self.refused(OptionError, "ledger", [table()], ledger=None)
        self.refused(OptionError, "rows", [table()], rows=0)
        self.refused(OptionError, "processes", [table()], processes=0)

    def test_partition_of_other_columns_is_refused_by_the_column(self):
        rows = table()
        for processes in (1, 2):
            self.refused(InputError, "town", [rows.slice(0, 300), rows.slice(300).drop_columns(["town"])], rows=ROWS, processes=processes)

    def test_partitions_may_differ_in_types_and_in_columns_that_nobody_reads(self):
        rows = table()
        texts = pyarrow.table({name: rows[name].cast(pyarrow.string()) for name in rows.column_names})
        more = texts.append_column("note", pyarrow.array([[1, 2]] * ROWS))
        self.assertEqual(distributed.fit([rows.slice(0, 300), more.slice(300)], **{**self.known, "rows": ROWS}).n_, ROWS)

    def test_run_that_fails_is_kept_in_memory_and_goes_on(self):
        rows = table()
        synthesizer = Synthesizer(epsilon=1, schema=people.SCHEMA, method="pairs", ledger=self.ledger)
        with self.assertRaises(OptionError):
            distributed.run(distributed.Local([rows], 1), synthesizer, resume=True)
        with self.assertRaisesRegex(RuntimeError, "gone"):
            distributed.run(Fails([rows], 1), synthesizer)
        distributed.run(distributed.Local([rows.slice(0, 9), rows.slice(9)], 1), synthesizer, resume=True)
        self.assertEqual((synthesizer.n_, Ledger(self.ledger).releases), (ROWS, 3))

    def test_budget_is_the_ledgers(self):
        Ledger.create(self.ledger, epsilon=0.5)
        self.refused(BudgetError, "", [table()])

    def test_engine_that_sums_half_a_partition_twice_or_none_is_refused(self):
        rows = table()

        class Overlaps(distributed.Local):
            def sums(self, work):
                one, two = (work.part(number, rows) for number in (0, 1))
                return [one, work.merge([two, work.part(0, rows)])]

        class Forgets(distributed.Local):
            def sums(self, work):
                return [work.part(self.summed, rows)]

        self.refused(InputError, "two merged parts", Overlaps([rows], 1))
        for Forgets.summed in (0, 1):
            self.refused(InputError, "was not summed", Forgets([rows, rows], 1), rows=ROWS)

    def test_part_of_another_plan_or_key_is_refused(self):
        rows = table()
        pairs = [("epsilon", "1"), ("method", "marginals")]
        schema = Synthesizer(1, schema=people.SCHEMA)._schema()._handle
        works = [distributed.Work(*_core.parts_plan(schema, ROWS, pairs), tuple(people.NAMES)) for _ in range(2)]
        other_key = distributed.Work(works[0].plan, works[1].key, works[0].columns)
        part = works[0].part(0, rows)
        for other in (works[1], other_key):
            with self.assertRaises(InputError):
                works[0].merge([part, other.part(1, rows)])

        class Foreign(distributed.Local):
            def sums(self, work):
                return [work.part(0, rows), works[0].part(1, rows)]

        self.refused(InputError, "plan", Foreign([rows, rows], 1), rows=ROWS)

    def test_work_travels_and_shows_no_key(self):
        schema = Synthesizer(1, schema=people.SCHEMA)._schema()._handle
        work = distributed.Work(*_core.parts_plan(schema, ROWS, [("epsilon", "1")]), tuple(people.NAMES))
        self.assertEqual(pickle.loads(pickle.dumps(work)), work)
        self.assertNotIn("key", repr(work))

    def test_part_shows_nothing_of_its_rows(self):
        """Its size is that of an empty one, and no byte of it repeats."""
        schema = Synthesizer(1, schema=people.SCHEMA)._schema()._handle
        work = distributed.Work(*_core.parts_plan(schema, ROWS, [("epsilon", "1")]), tuple(people.NAMES))
        rows = table()
        full, again, none = (work.part(0, some).sums for some in (rows, rows, rows.slice(0, 0)))
        self.assertEqual(len({len(full), len(again), len(none)}), 1)
        self.assertNotEqual(full, again)


class Tables(unittest.TestCase):
    def test_cells_never_make_a_partition_fail(self):
        import pandas

        schema = {"fields": [{"name": "a", "type": "string", "constraints": {"enum": ["1", "7", "q"]}}, {"name": "who"}],
                  "semblance": {"unit": "who", "max_rows_per_unit": 2}}
        handle = Synthesizer(1, schema=schema)._schema()._handle
        work = distributed.Work(*_core.parts_plan(handle, 10, [("epsilon", "1")]), ("a", "who"), "who")
        odd = pandas.Series([1, "x", None, b"\xff", 2**80, "\ud800", [1, 2]], dtype=object)
        frames = [pandas.DataFrame({"a": column, "who": column}) for column in (odd, pandas.Series([7]), pandas.Series(pandas.Categorical(["q"])))]
        tables = [work.table(frame) for frame in frames]
        self.assertEqual(work.part_of_pieces(0, [piece for table in tables for piece in work.divide(table)]).numbers, (0,))
        with self.assertRaisesRegex(InputError, "'who'"):
            work.part_of_pieces(0, [tables[0], tables[1].drop_columns(["who"])])


class Draws(unittest.TestCase):
    def test_shares_are_the_same_wherever_they_are_drawn(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            fitted = Synthesizer(epsilon=1, schema=people.SCHEMA, method="marginals", ledger=folder / "l").fit(table())
            paths = distributed.sample(fitted, folder / "a", 1001, parts=4, processes=2, seed=3)
            self.assertEqual([pyarrow.parquet.read_metadata(path).num_rows for path in paths], [251, 250, 250, 250])
            again = distributed.sample(fitted, folder / "b", 1001, parts=4, processes=1, seed=3)
            tables = [[pyarrow.parquet.read_table(path) for path in found] for found in (paths, again)]
            self.assertEqual(*tables)
            self.assertNotEqual(tables[0][1], tables[0][2])
            texts = distributed.sample(fitted, folder / "c", 10, parts=2, seed=3, form="csv", processes=1)
            self.assertEqual([len(Path(path).read_text().splitlines()) for path in texts], [6, 6])
            with self.assertRaises(FileExistsError):
                distributed.sample(fitted, folder / "a", 1001, parts=4, processes=1, seed=3)
            for wrong in (dict(parts=0), dict(parts=11), dict(parts=1, form="xls")):
                with self.assertRaises(OptionError):
                    distributed.sample(fitted, folder / "d", 10, **wrong)


    def test_ids_do_not_repeat_between_shares(self):
        with tempfile.TemporaryDirectory() as folder:
            for method in ("marginals", "histories"):
                fitted = Synthesizer(epsilon=1, schema=visits.SCHEMA, method=method, ledger=Path(folder) / "l").fit(seen())
                shares = distributed.Shares.of(fitted, 100, parts=3, seed=1)
                owners = [{*shares.table(number)["person"].to_pylist()} for number in range(3)]
                self.assertEqual(len(set.union(*owners)), sum(map(len, owners)), method)
            with self.assertRaisesRegex(OptionError, "person"):
                distributed.sample(fitted, Path(folder) / "texts", 100, parts=3, form="csv")
            pattern = {**people.SCHEMA, "fields": [*people.SCHEMA["fields"], {"name": "nr", "semblance": {"role": "id", "id": "N-##"}}]}
            fitted = Synthesizer(epsilon=1, schema=pattern, method="marginals", ledger=Path(folder) / "m").fit(table())
            with self.assertRaisesRegex(OptionError, "nr"):
                distributed.Shares.of(fitted, 100, parts=3, seed=1)


class Missing(unittest.TestCase):
    def test_engine_that_is_not_installed_says_what_to_install(self):
        for engine, package in (("spark", "pyspark"), ("dask", "dask"), ("ray", "ray")):
            code = (f"import sys; sys.modules['{package}'] = None; import semblance.{engine} as e\n"
                    f"try: e.Frame(None)\nexcept ModuleNotFoundError as error: print(error)")
            said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
            self.assertEqual(said, f"semblance.{engine} needs {package}: pip install {package}\n")


if __name__ == "__main__":
    unittest.main()
