# SPDX-License-Identifier: Apache-2.0
"""Sessions and frames of Spark for tests."""
import os
import signal

JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # a short life


def session(master, **more):
    """On two executors of one core, where the master has them. Options with '__' for '.'."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("semblance")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "3",
        "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"],
        "spark.sql.execution.arrow.maxRecordsPerBatch": "64",
        "spark.driver.extraJavaOptions": JAVA,
        "spark.executor.extraJavaOptions": JAVA,
        **{name.replace("__", "."): value for name, value in more.items()},
    }.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


def frame(spark, pieces):
    """Tables of pyarrow as partitions, rows in their order."""
    slices = [piece.to_pylist() for piece in pieces]
    spread = spark.sparkContext.parallelize(range(len(slices)), len(slices)).flatMap(lambda number: slices[number])
    return spark.createDataFrame(spread, schema=spark.createDataFrame(pieces[0].slice(0, 1)).schema)


def dies_in_its_first_attempt(flag):
    """A map of batches: the Python process that reads the third partition first is killed."""

    def read(batches):
        from pyspark import TaskContext

        task = TaskContext.get()
        if task.partitionId() == 2 and task.attemptNumber() == 0:
            open(flag, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        yield from batches

    return read
