"""Fits of datasets of Ray with two worker processes: needs ray, pyarrow."""
import os
import unittest

import pyarrow

import engine_cases
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

    def drawn(self, fitted, n, parts, seed):
        import ray

        drawn = semblance.ray.sample(fitted, n, parts=parts, seed=seed)
        return pyarrow.concat_tables(ray.get(drawn.to_arrow_refs())).to_pylist()


if __name__ == "__main__":
    unittest.main()
