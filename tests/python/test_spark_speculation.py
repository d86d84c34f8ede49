# SPDX-License-Identifier: Apache-2.0
"""A task of Spark that is run twice at once, the first copy being slow: a speculative copy runs on another host only, so
that the cluster is a standalone one with two workers, 127.0.0.1 and 127.0.0.2. Needs pyspark, pyarrow, pandas and a Java."""
import os
import socket
import subprocess
import tempfile
import time
import unittest

import people
import semblance.spark
import spark_kit
import test_distributed
from semblance import Ledger

PATIENCE = 300  # seconds, for what must come


def slow(flag):
    """A map of batches: the first attempt at the first partition ends only when another one has."""

    def read(batches):
        from pyspark import TaskContext

        task = TaskContext.get()
        if task.partitionId() == 0 and task.attemptNumber() > 0:
            yield from batches
            open(flag, "w").close()
            return
        for _ in range(10 * PATIENCE * (task.partitionId() == 0)):
            if os.path.exists(flag):
                break
            time.sleep(0.1)
        yield from batches

    return read


class Speculation(unittest.TestCase):
    def start(self, role, *arguments, host):
        import pyspark

        home = os.path.dirname(pyspark.__file__)
        command = [os.path.join(home, "bin", "spark-class"), f"org.apache.spark.deploy.{role}", "--host", host, "--webui-port", "0", *arguments]
        environment = {**os.environ, "SPARK_DAEMON_JAVA_OPTS": spark_kit.JAVA, "SPARK_WORKER_DIR": self.folder, "SPARK_LOCAL_IP": host}
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)

    def test_a_partition_that_is_summed_twice_counts_once(self):
        scratch = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.start("master.Master", "--port", str(port), host="127.0.0.1")
        address = f"spark://127.0.0.1:{port}"
        for host in ("127.0.0.1", "127.0.0.2"):
            self.start("worker.Worker", "--cores", "1", "--memory", "1g", address, host=host)
        spark = spark_kit.session(address, spark__speculation="true", spark__speculation__interval="100ms",
                                  spark__speculation__multiplier="1.01", spark__speculation__quantile="0.1",
                                  spark__speculation__minTaskRuntime="0ms", spark__executor__memory="512m")
        self.addCleanup(spark.stop)
        flag, ledger = os.path.join(self.folder, "copied"), os.path.join(self.folder, "ledger")
        rows = test_distributed.table()
        frame = spark_kit.frame(spark, [rows.slice(0, 20), rows.slice(20, 400), rows.slice(420)])
        fitted = semblance.spark.fit(frame.mapInArrow(slow(flag), frame.schema), epsilon=2, schema=people.SCHEMA, method="marginals",
                                     ledger=ledger, rows=test_distributed.ROWS)
        self.assertTrue(os.path.exists(flag), "no copy was made")
        self.assertEqual(fitted.n_, test_distributed.ROWS)
        self.assertEqual(Ledger(ledger).releases, 1)


if __name__ == "__main__":
    unittest.main()
