# SPDX-License-Identifier: Apache-2.0
"""Fits of frames of Spark on a cluster of two executors (local-cluster): needs pyspark, pyarrow, pandas and a Java."""
import unittest

import pyarrow.parquet

import engine_cases
import people
import semblance.spark
import spark_kit
import test_distributed
from semblance import InputError, Synthesizer, distributed


class Spark(engine_cases.Cases, unittest.TestCase):
    engine = semblance.spark

    @classmethod
    def start(cls):
        cls.spark = spark_kit.session("local-cluster[2,1,1024]")
        cls.addClassCleanup(cls.spark.stop)

    @classmethod
    def frame(cls, pieces):
        return spark_kit.frame(cls.spark, pieces)

    @classmethod
    def fragile(cls, pieces, flag):
        frame = cls.frame(pieces)
        return frame.mapInArrow(spark_kit.dies_in_its_first_attempt(flag), frame.schema)

    @classmethod
    def lacking(cls, name):
        return [cls.frame([test_distributed.table()]).drop(name)]  # a frame of Spark has one schema

    @classmethod
    def failing(cls, words):
        def fail(batches):
            raise ValueError(words)
            yield

        frame = cls.frame(engine_cases.uneven(test_distributed.table()))
        return frame.mapInArrow(fail, frame.schema)

    def drawn(self, fitted, n, parts, seed):
        path = str(self.folder / "drawn")
        semblance.spark.sample(fitted, self.spark, n, parts=parts, seed=seed).write.parquet(path)
        return pyarrow.parquet.read_table(path).to_pylist()

    def test_driver_gets_sealed_sums_and_nothing_else(self):
        schema = Synthesizer(1, schema=people.SCHEMA)._schema()._handle
        plans = [semblance._core.parts_plan(schema, test_distributed.ROWS, [("epsilon", "1")]) for _ in range(2)]
        work = distributed.Work(*plans[0], tuple(people.NAMES))
        parts = [*semblance.spark.Frame(self.frame(engine_cases.uneven(test_distributed.table()))).sums(work)]
        self.assertEqual(sorted(number for part in parts for number in part.numbers), [0, 1, 2, 3])
        other = distributed.Work(work.plan, plans[1][1], work.columns)
        with self.assertRaises(InputError):
            other.merge([other.part(9, test_distributed.table()), parts[0]])


if __name__ == "__main__":
    unittest.main()
