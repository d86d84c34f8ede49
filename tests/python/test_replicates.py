# SPDX-License-Identifier: Apache-2.0
"""Replicates in Python: a sequence of samples, each from its own draw, and the tables that the program writes."""
import os
import statistics
import subprocess
import tempfile
import unittest

import people
import semblance
import test_linked
from semblance import OptionError, SemblanceError, Synthesizer

ROWS = 600


class Replicates(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.table = people.write(self.path("people.csv"), ROWS)

    def path(self, name):
        return os.path.join(self.folder, name)

    def fit(self, method="pairs", **options):
        options.setdefault("epsilon", 3)
        return Synthesizer(schema=people.SCHEMA, method=method, threads=1, **options).fit(self.table)

    def test_is_a_sequence_of_samples(self):
        fitted = self.fit()
        before = fitted.certificate_.to_dict()
        drawn = fitted.sample(replicates=3, seed=5)
        self.assertIsInstance(drawn, semblance.Replicates)
        self.assertEqual(len(drawn), 3)
        self.assertIn("for confidence intervals", repr(drawn))
        self.assertFalse(hasattr(drawn, "columns"))
        last = drawn[-1].to_csv()
        texts = [one.to_csv() for one in drawn]
        self.assertTrue(all(isinstance(one, semblance.Sample) and len(one) == ROWS for one in drawn))
        self.assertEqual(len({*texts}), 3)
        self.assertEqual(last, texts[2])
        self.assertEqual([one.to_csv() for one in drawn[1:]], texts[1:])
        self.assertEqual(drawn[0].columns, people.NAMES)
        self.assertEqual(drawn[0].to_dict(), drawn[0].to_dict())
        self.assertEqual(drawn[1].certificate.to_dict(), before)
        with self.assertRaises(IndexError):
            drawn[3]
        self.assertEqual([one.to_csv() for one in fitted.sample(replicates=3, seed=5)], texts)
        self.assertNotEqual(fitted.sample(replicates=3, seed=6)[0].to_csv(), texts[0])
        self.assertEqual(len(fitted.sample(50, replicates=2)[1]), 50)
        fitted.fit(self.table)  # the sequence does not depend on the handle any more
        self.assertEqual(drawn[2].to_csv(), last)
        self.assertEqual(drawn[1].certificate.to_dict(), before)

    def test_are_the_tables_of_the_program(self):
        release = self.path("r.release")
        fitted = self.fit(method="marginals", release=release)
        command = [os.environ["SEMBLANCE"], "sample", release, "--replicates", "2", "--seed", "4", "--threads", "1", "-o", self.path("out")]
        subprocess.run(command, check=True)
        for i, one in enumerate(fitted.sample(replicates=2, seed=4)):
            with open(self.path(f"out/0{i + 1}.csv"), encoding="utf-8", newline="") as file:
                self.assertEqual(one.to_csv(), file.read())
        fitted.save(self.path("m.model"))
        loaded = Synthesizer.load(self.path("m.model"))
        with self.assertRaisesRegex(OptionError, "pass release="):
            loaded.sample(replicates=2)
        again = loaded.sample(replicates=2, seed=4, release=release)
        self.assertEqual(again[0].to_csv(), fitted.sample(replicates=2, seed=4)[0].to_csv())
        other = self.path("other.release")
        self.fit(method="marginals", release=other)
        with self.assertRaises(SemblanceError):  # not of the model's run
            loaded.sample(replicates=2, release=other)

    def test_has_the_error_of_sampling_and_of_noise(self):
        """The mean of a column varies between replicates at least as between tables of ROWS rows."""
        fitted = self.fit(epsilon=10)
        ages = [statistics.fmean(one["age"]) for one in fitted.sample(replicates=60, seed=1)]
        error = statistics.stdev(fitted.sample(seed=1)["age"]) / ROWS**0.5
        # The deviation of 60 means has one of its own, a tenth: it is 1.4 errors here, and below 0.6 less than once in 100 million runs.
        self.assertGreater(statistics.stdev(ages), 0.6 * error)
        self.assertLess(statistics.stdev(ages), 4 * error)

    def test_linked_tables_have_keys_that_hold(self):
        package = test_linked.write(self.folder, 300)
        fitted = Synthesizer(epsilon=5, threads=1).fit(package)
        drawn = fitted.sample(replicates=2, persons=80, seed=2)
        for one in drawn:
            self.assertIsInstance(one, semblance.LinkedSample)
            tables = one.to_dict()
            self.assertEqual(len({*tables["people"]["id"]}), 80)
            self.assertLessEqual({*tables["visits"]["person"]}, {*tables["people"]["id"]})
            self.assertLessEqual({*tables["drugs"]["visit"]}, {*tables["visits"]["visit"]})
        self.assertNotEqual(drawn[0].to_dict(), drawn[1].to_dict())

    def test_bad_requests_are_refused_by_name(self):
        fitted = self.fit(method="marginals")
        for wrong, words in (({"replicates": 1}, "from 2 to 1000"), ({"replicates": 1001}, "from 2 to 1000"),
                             ({"replicates": 2.5}, "whole number"), ({"release": "x"}, "without replicates"),
                             ({"replicates": 2, "where": {"town": "Ayr"}}, "whole tables"),
                             ({"replicates": 2, "persons": 3}, "histories")):  # fmt: skip
            with self.assertRaisesRegex(OptionError, words):
                drawn = fitted.sample(**wrong)
                drawn[0].to_dict()
        merf = Synthesizer(3, schema=people.SCHEMA, method="merf", threads=1, steps=5, features=32, hidden=[8], batch=20).fit(self.table)
        with self.assertRaisesRegex(OptionError, "merf has no replicates"):
            merf.sample(replicates=2)


if __name__ == "__main__":
    unittest.main()
