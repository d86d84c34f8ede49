# SPDX-License-Identifier: Apache-2.0
"""Fits of datasets of Ray with two worker processes: needs ray, pyarrow."""
import os
import unittest

import pyarrow

import engine_cases
import mixed
import semblance.ray
import test_distributed




class Ray(engine_cases.Cases, unittest.TestCase):
    engine = semblance.ray

    @classmethod
    def start(cls):
        import ray

        environment = {"env_vars": {"PYTHONPATH": os.environ["PYTHONPATH"]}}
        ray.init(num_cpus=2, include_dashboard=False, logging_level="error", log_to_driver=False, runtime_env=environment)
        ray.data.DataContext.get_current().enable_progress_bars = False
        cls.addClassCleanup(ray.shutdown)

    @classmethod
    def frame(cls, pieces):
        import ray

        return ray.data.from_arrow(pieces)

    @classmethod
    def fragile(cls, pieces, flag):
        """The worker that sums the third block is killed while it does."""
        dies = semblance.ray._sum

        def once(work, number, block):
            if number == 2:
                engine_cases.die_once(flag)
            return dies(work, number, block)

        semblance.ray._sum = once
        cls.addClassCleanup(setattr, semblance.ray, "_sum", dies)
        return cls.frame(pieces)

    @classmethod
    def lacking(cls, name):
        pieces = engine_cases.uneven(test_distributed.table())
        less = [piece.drop_columns([name]) for piece in pieces]
        return [cls.frame(less), cls.frame([*pieces[:3], less[3]])]

    @classmethod
    def failing(cls, words):
        def fail(batch):
            raise ValueError(words)

        return cls.frame(engine_cases.uneven(test_distributed.table())).map_batches(fail)

    def test_blocks_of_other_types_are_read_by_their_own(self):
        """One text in another block changed how all others were read, or stopped the fit."""
        import ray

        frames = mixed.frames()
        blocks = ray.data.range(len(frames), override_num_blocks=len(frames)).map_batches(
            lambda batch: frames[int(batch["id"][0])], batch_format="pandas", batch_size=None)
        mixed.expect_sums(self, semblance.ray.Frame(blocks, 2), frames)

    def drawn(self, fitted, n, parts, seed):
        import ray

        drawn = semblance.ray.sample(fitted, n, parts=parts, seed=seed)
        return pyarrow.concat_tables(ray.get(drawn.to_arrow_refs())).to_pylist()


if __name__ == "__main__":
    unittest.main()
