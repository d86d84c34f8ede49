#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""After a fit in the parent a forked child fits, draws, evaluates and plans: with one thread, and without waiting for those that
stayed in the parent. A child that hangs is killed, and that is a failure. Needs no other package; joblib and pandas are tried
where they are installed.
"""
import concurrent.futures
import multiprocessing
import os
import pathlib
import pickle
import select
import signal
import tempfile
import threading
import unittest
import warnings

os.environ["OMP_NUM_THREADS"] = "4"  # more than one on any machine; read when OpenMP is loaded

import semblance
from semblance import Synthesizer

import people

PATIENCE = 300  # seconds until a child is taken to hang
METHODS = ("auto", "pairs", "forest", "marginals")


def make(method, **more):
    return Synthesizer(epsilon=4, schema=people.SCHEMA, method=method, progress=False, **more)  # 50 rows of one class train nothing


def job(method, table, fitted=None, begun=None):
    """Everything that a worker does: with a model of its own, and with that of its parent."""
    warnings.simplefilter("ignore")
    made = make(method).fit(table)
    done = [made.schema_.columns, made.certificate_.holds, made.sample(7).to_dict()["age"].__len__(), bool(made.report())]
    done.append(semblance.evaluate(table, made.sample(50), people.SCHEMA, models="logistic,xgboost,mlp", progress=False).to_dict()["marginals"] != [])
    done.append("guarantee" in make(method).plan(500))
    for drawn in ([] if fitted is None else [fitted.sample(7).to_dict()]) + ([] if begun is None else [begun.to_dict()]):
        done.append(len(drawn["age"]))
    return done


def wanted(*drawn):
    return [people.NAMES, True, 7, True, True, True, *drawn]


def in_fork(work):
    """What work returns in a forked child; a child that hangs is killed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = pickle.dumps(work())
        except BaseException as trouble:
            answer = pickle.dumps(repr(trouble))
        try:
            os.write(writer, answer)
        finally:
            os._exit(0)
    os.close(writer)
    try:
        answer = os.read(reader, 1 << 16) if select.select([reader], [], [], PATIENCE)[0] else None
    finally:
        os.close(reader)
        if answer is None:
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return "the child hangs" if answer is None else pickle.loads(answer)


class Forks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        warnings.simplefilter("ignore")
        cls.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(cls.folder.name) / "people.csv"
        people.write(path, 300)
        cls.fitted = {method: make(method, ledger=pathlib.Path(cls.folder.name) / f"{method}.ledger").fit(path) for method in METHODS}
        cls.table = cls.fitted["pairs"].sample(200, seed=1)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_a_forked_child_works(self):
        for method in METHODS:
            with self.subTest(method):
                fitted = self.fitted[method]
                begun = fitted.sample(9)
                self.assertEqual(in_fork(lambda: job(method, self.table, fitted, begun)), wanted(7, 9))

    def test_a_grandchild_and_another_thread_of_a_child_work(self):
        self.assertEqual(in_fork(lambda: in_fork(lambda: job("pairs", self.table))), wanted())

        def elsewhere():
            found = []
            thread = threading.Thread(target=lambda: found.append(job("pairs", self.table)))
            thread.start()
            thread.join()
            return found[0]

        self.assertEqual(in_fork(elsewhere), wanted())

    def test_a_stream_that_the_parent_opened_is_read_by_the_child(self):
        class Opened:
            stream = self.fitted["pairs"].sample(20000, seed=2).__arrow_c_stream__()

            def __arrow_c_stream__(self, requested_schema=None):
                return self.stream

        self.assertEqual(in_fork(lambda: make("marginals").fit(iter([Opened()])).n_), 20000)

    def test_pools_of_forked_processes_work(self):
        context = multiprocessing.get_context("fork")
        with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
            tasks = [pool.submit(job, method, self.path()) for method in ("auto", "pairs")]
            try:
                found = [task.result(PATIENCE) for task in tasks]
            except concurrent.futures.TimeoutError:
                for process in [*pool._processes.values()]:
                    process.kill()
                raise
        self.assertEqual(found, [wanted()] * 2)
        with context.Pool(2) as pool:  # which ends its processes
            found = pool.starmap_async(job, [("pairs", self.path()), ("marginals", self.path())]).get(PATIENCE)
        self.assertEqual(found, [wanted()] * 2)

    def path(self):
        path = os.path.join(self.folder.name, f"{os.urandom(4).hex()}.csv")
        return people.write(path, 200)

    def test_joblib_works(self):
        try:
            import joblib
        except ImportError:
            self.skipTest("joblib is not installed")
        for backend in ("multiprocessing", "loky"):
            with self.subTest(backend):
                run = joblib.Parallel(n_jobs=2, backend=backend, timeout=PATIENCE)
                self.assertEqual(run(joblib.delayed(job)(method, self.path()) for method in ("auto", "pairs")), [wanted()] * 2)

    def test_a_frame_is_fitted_in_a_forked_child(self):
        try:
            import pandas, pyarrow  # noqa: F401
        except ImportError:
            self.skipTest("pandas and pyarrow are not installed")
        frame = pandas.read_csv(self.path())
        for method in METHODS:
            with self.subTest(method):
                make(method).fit(frame)
                self.assertEqual(in_fork(lambda: job(method, frame)), wanted())


if __name__ == "__main__":
    unittest.main()
