# SPDX-License-Identifier: Apache-2.0
"""What every engine is held to, by an adapter of its own: bits of one process, and nothing charged for what is refused.

Fits that are compared come first and in one order: the library has the fixed key, and each draws where the last one ended.
"""
import os
import signal
import tempfile
import traceback
from pathlib import Path

import pyarrow

import people
import same_bits
import test_distributed
import visits
from semblance import InputError, Ledger, Synthesizer, distributed

ROWS = test_distributed.ROWS
SHARES = 5
SECRET = "SECRET-Mr-Smith"
KNOWN = dict(epsilon=2, schema=people.SCHEMA)
PERSONS = dict(epsilon=2, schema=visits.SCHEMA)


def whole(folder, name):
    """In a process of its own, in the order of the engine's."""
    Synthesizer(method="pairs", **KNOWN, **same_bits.files(folder, f"{name}-people")).fit(test_distributed.table())
    for method in ("pairs", "histories"):
        files = same_bits.files(folder, f"{name}-{method}")
        Synthesizer(method=method, expect_rows=ROWS, **PERSONS, **files).fit(test_distributed.seen())


def uneven(table):
    """Nearly all rows in one partition, none in another, in the order of the table."""
    return [table.slice(0, 20), table.slice(0, 0), table.slice(20, 30), table.slice(50)]


def die_once(flag):
    """Kill this process, unless one was killed already."""
    if not os.path.exists(flag):
        open(flag, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)


class Cases:
    """A test of an engine is one of these with unittest.TestCase: engine, its module; how frames are made and read."""

    @classmethod
    def start(cls):
        """The cluster."""

    @classmethod
    def frame(cls, pieces):
        """Of these partitions."""

    @classmethod
    def fragile(cls, pieces, flag):
        """The same; whoever reads or sums the third partition first is killed (die_once)."""

    @classmethod
    def lacking(cls, name):
        """Frames without this column, or with a partition without it."""

    @classmethod
    def failing(cls, words):
        """A frame that fails with these words when it is computed."""

    def drawn(self, fitted, n, parts, seed):
        """The rows of a synthetic frame, as dicts."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        cls.start()
        frame = cls.fragile(uneven(test_distributed.table()), str(cls.folder / "died"))
        cls.fitted = cls.engine.fit(frame, method="pairs", rows=ROWS, **KNOWN, **same_bits.files(cls.folder, "engine-people"))
        for method in ("pairs", "histories"):
            files = same_bits.files(cls.folder, f"engine-{method}")
            cls.engine.fit(cls.frame(uneven(test_distributed.seen())), method=method, shares=SHARES, rows=ROWS, **PERSONS, **files)

    def test_releases_are_those_of_one_process(self):
        """An empty partition, skew, a task that is killed and retried; persons with rows in several partitions."""
        same_bits.alone(whole, self.folder, "one")
        for name in ("people", "pairs", "histories"):
            found = same_bits.releases(self.folder, f"engine-{name}")
            self.assertGreater(len(found), 0)
            self.assertEqual(found, same_bits.releases(self.folder, f"one-{name}"), name)
        self.assertEqual(self.fitted.n_, ROWS)
        self.assertTrue((self.folder / "died").exists())

    def test_missing_column_is_refused_by_its_name_and_nothing_is_charged(self):
        ledger = self.folder / "missing.ledger"
        for frame in self.lacking("town"):
            with self.assertRaisesRegex(Exception, "town"):
                self.engine.fit(frame, rows=ROWS, ledger=ledger, **KNOWN)
            self.assertTrue(not ledger.exists() or Ledger(ledger).releases == 0)

    def test_what_a_library_says_in_a_task_quotes_no_record(self):
        ledger = self.folder / "said.ledger"
        try:
            self.engine.fit(self.failing(SECRET), rows=ROWS, ledger=ledger, **KNOWN)
            self.fail("it was fitted")
        except InputError:
            self.assertNotIn(SECRET, traceback.format_exc())
        self.assertTrue(not ledger.exists() or Ledger(ledger).releases == 0)

    def test_rows_are_counted_and_drawn_by_workers(self):
        files = same_bits.files(self.folder, "counted")
        fitted = self.engine.fit(self.frame(uneven(test_distributed.table())), method="marginals", **KNOWN, **files)
        self.assertEqual(fitted.n_, ROWS)
        shares = distributed.Shares.of(fitted, 1001, parts=4, seed=9)
        wanted = pyarrow.concat_tables([shares.table(number) for number in range(4)]).to_pylist()
        found = self.drawn(fitted, 1001, parts=4, seed=9)
        order = lambda row: tuple(map(str, row.values()))
        self.assertEqual(sorted(found, key=order), sorted(wanted, key=order))
