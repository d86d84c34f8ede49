# SPDX-License-Identifier: Apache-2.0
"""Fits of frames of Dask on a cluster of two worker processes: needs dask, distributed, pandas, pyarrow."""
import unittest

import pandas
import pyarrow

import engine_cases
import mixed
import semblance.dask
import test_distributed


def load(piece, flag=None):
    if flag is not None and len(piece) == 30:
        engine_cases.die_once(flag)
    return piece.to_pandas(types_mapper=pandas.ArrowDtype)


class Dask(engine_cases.Cases, unittest.TestCase):
    engine = semblance.dask

    @classmethod
    def start(cls):
        from distributed import Client, LocalCluster

        cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
        cls.addClassCleanup(cluster.close)
        client = Client(cluster)
        cls.addClassCleanup(client.close)

    @classmethod
    def frame(cls, pieces):
        return cls.fragile(pieces, None)

    @classmethod
    def fragile(cls, pieces, flag):
        import dask.dataframe

        return dask.dataframe.from_map(load, pieces, flag=flag, meta=load(pieces[0].slice(0, 0)))

    @classmethod
    def lacking(cls, name):
        import dask.dataframe

        pieces = engine_cases.uneven(test_distributed.table())
        less = [piece.drop_columns([name]) for piece in pieces]
        for given in (less, [*pieces[:3], less[3]]):
            yield dask.dataframe.from_map(load, given, meta=load(given[0].slice(0, 0)), enforce_metadata=False)

    @classmethod
    def failing(cls, words):
        import dask.dataframe

        def fail(piece):
            raise ValueError(words)

        pieces = engine_cases.uneven(test_distributed.table())
        return dask.dataframe.from_map(fail, pieces, meta=load(pieces[0].slice(0, 0)))

    def test_partitions_of_other_types_are_read_by_their_own(self):
        """One text in another partition changed how all others were read, or stopped the fit."""
        import dask.dataframe

        frames = mixed.frames()
        meta = frames[0].iloc[:0]
        with dask.config.set({"dataframe.convert-string": False}):  # else Dask makes texts of objects (docs/SCALE.md)
            data = dask.dataframe.from_map(lambda number: frames[number], range(len(frames)), meta=meta)
        mixed.expect_sums(self, semblance.dask.Frame(data, 2), frames)

    def drawn(self, fitted, n, parts, seed):
        frame = semblance.dask.sample(fitted, n, parts=parts, seed=seed)
        return pyarrow.Table.from_pandas(frame.compute(), preserve_index=False).to_pylist()


if __name__ == "__main__":
    unittest.main()
