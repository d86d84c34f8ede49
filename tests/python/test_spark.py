"""Fits of frames of Spark on a cluster of two executors (local-cluster): needs pyspark, pyarrow, pandas and a Java.

Fits that are compared come first and in one order: the library has the fixed key, and each draws where the last one ended.
"""
import os
import signal
import sys
import tempfile
import unittest
from pathlib import Path

import pyarrow
import pyarrow.parquet

import same_bits
import people
import semblance.spark
import test_distributed
import visits
from semblance import InputError, Ledger, Synthesizer, distributed

ROWS = test_distributed.ROWS
KNOWN = dict(epsilon=2, schema=people.SCHEMA)
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # a short life
PERSONS = dict(epsilon=2, schema=visits.SCHEMA, rows=ROWS)


def whole(folder, name):
    """In a process of its own, in the order of Spark's."""
    persons = {key: value for key, value in PERSONS.items() if key != "rows"}
    Synthesizer(method="pairs", **KNOWN, **same_bits.files(folder, f"{name}-people")).fit(test_distributed.table())
    for method in ("pairs", "histories"):
        files = same_bits.files(folder, f"{name}-{method}")
        Synthesizer(method=method, expect_rows=ROWS, **persons, **files).fit(test_distributed.seen())


def session():
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("semblance")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "3",
        "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"],
        "spark.sql.execution.arrow.maxRecordsPerBatch": "64",
        "spark.driver.extraJavaOptions": JAVA,
        "spark.executor.extraJavaOptions": JAVA,
    }.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


def uneven(spark, table):
    """Nearly all rows in one partition, none in another, in the order of the table."""
    context, rows = spark.sparkContext, table.to_pylist()
    slices = [rows[:20], [], rows[20:50], rows[50:]]
    spread = context.parallelize(range(4), 4).flatMap(lambda number: slices[number])
    return spark.createDataFrame(spread, schema=spark.createDataFrame(table.slice(0, 1)).schema)


def killed_once(batches):
    """The Python process of the first attempt at partition 2 is killed."""
    from pyspark import TaskContext

    task = TaskContext.get()
    if task.partitionId() == 2 and task.attemptNumber() == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    yield from batches


class Spark(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        cls.spark = session()
        cls.addClassCleanup(cls.spark.stop)
        cls.people = uneven(cls.spark, test_distributed.table())
        cls.visits = uneven(cls.spark, test_distributed.seen())
        fragile = cls.people.mapInArrow(killed_once, cls.people.schema)
        cls.fitted = semblance.spark.fit(fragile, method="pairs", **KNOWN, **same_bits.files(cls.folder, "spark-people"))
        for method in ("pairs", "histories"):
            files = same_bits.files(cls.folder, f"spark-{method}")
            semblance.spark.fit(cls.visits, method=method, shares=5, **PERSONS, **files)

    def test_releases_are_those_of_one_process(self):
        """An empty partition, skew, a task that is killed and retried; persons with rows in several partitions."""
        same_bits.alone(whole, self.folder, "one")
        for name in ("people", "pairs", "histories"):
            found = same_bits.releases(self.folder, f"spark-{name}")
            self.assertGreater(len(found), 0)
            self.assertEqual(found, same_bits.releases(self.folder, f"one-{name}"), name)
        self.assertEqual(self.fitted.n_, ROWS)

    def test_missing_column_is_refused_before_anything_runs(self):
        ledger = self.folder / "missing.ledger"
        with self.assertRaisesRegex(InputError, "town"):
            semblance.spark.fit(self.people.drop("town"), rows=ROWS, ledger=ledger, **KNOWN)
        self.assertFalse(ledger.exists())

    def test_driver_gets_sealed_sums_and_nothing_else(self):
        work = distributed.Work(*self.plan(), tuple(people.NAMES))
        parts = [*semblance.spark.Frame(self.people).sums(work)]
        self.assertEqual(sorted(number for part in parts for number in part.numbers), [0, 1, 2, 3])
        other = distributed.Work(work.plan, self.plan()[1], work.columns)
        with self.assertRaises(InputError):
            other.merge([other.part(9, test_distributed.table()), parts[0]])

    def plan(self):
        schema = Synthesizer(**KNOWN)._schema()._handle
        return semblance._core.parts_plan(schema, ROWS, [("epsilon", "1")])

    def test_rows_are_drawn_by_executors(self):
        drawn = semblance.spark.sample(self.fitted, self.spark, 1001, parts=4, seed=9)
        shares = distributed.Shares.of(self.fitted, 1001, parts=4, seed=9)
        wanted = pyarrow.concat_tables([shares.table(number) for number in range(4)])
        self.assertEqual(drawn.columns, wanted.column_names)
        path = str(self.folder / "drawn")
        drawn.write.parquet(path)
        found = pyarrow.parquet.read_table(path).to_pylist()
        order = lambda row: tuple(map(str, row.values()))
        self.assertEqual(sorted(found, key=order), sorted(wanted.to_pylist(), key=order))


if __name__ == "__main__":
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    unittest.main()
