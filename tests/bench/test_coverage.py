#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The coverage bench: its variances are right for rows and for persons, its truth is the population's, and a stopped run continues."""
import contextlib
import io
import json
import os
import stat
import sys
import tempfile
import unittest

from support import SOURCE, need

need("numpy")
sys.path.insert(0, os.path.join(SOURCE, "bench", "coverage"))
import numpy
import populations
import run
import statistics_of

# A program that hands the real table back: its replicates are bootstrap samples, drawn by a generator with a fixed seed.
FAKE = """#!/usr/bin/python3
import csv, json, os, random, sys
words = sys.argv[1:]
given = lambda name: words[words.index(name) + 1]
if words[0] == "--version":
    print("semblance 0.0")
elif words[0] == "combine":
    groups = {{}}
    for row in csv.DictReader(open(words[1])):
        groups.setdefault(row["name"], []).append((float(row["estimate"]), float(row["variance"])))
    print(json.dumps([{{"name": name, "estimate": rows[0][0], "low": rows[0][0] - 1, "high": rows[0][0] + 1,
                       "standard_error": 0.5}} for name, rows in groups.items()]))
elif words[0] == "synth":
    open("{log}", "a").write("synth\\n")
    head, *rows = open(words[1]).read().splitlines()
    random.seed(1)
    os.makedirs(given("-o"))
    open(given("-m"), "w").write(words[1])
    for i in range(int(given("--replicates"))):
        drawn = [random.choice(rows) for _ in range(int(given("-n")))]
        open(os.path.join(given("-o"), "%02d.csv" % (i + 1)), "w").write("\\n".join([head, *drawn]) + "\\n")
elif words[0] == "sample":
    open(given("-o"), "w").write(open(open(words[1]).read()).read())
"""


class Statistics(unittest.TestCase):
    def test_variances_are_the_usual_ones(self):
        rng = numpy.random.default_rng(1)
        value, group = rng.normal(3, 2, 400), rng.integers(0, 2, 400) == 1
        q, u = statistics_of.difference(value, group, ~group, None)
        self.assertAlmostEqual(q, value[group].mean() - value[~group].mean())
        self.assertAlmostEqual(u, value[group].var() / group.sum() + value[~group].var() / (~group).sum())
        # A logistic regression on one binary column is its table's log odds.
        outcome = (rng.random(400) < numpy.where(group, 0.7, 0.4)).astype(int)
        beta, variances = statistics_of.logistic(numpy.stack([numpy.ones(400), group], 1), outcome, None)
        odds = lambda inside: numpy.log(outcome[inside].mean() / (1 - outcome[inside].mean()))
        self.assertAlmostEqual(beta[1], odds(group) - odds(~group), 6)
        cells = [(outcome[inside] == y).sum() for inside in (group, ~group) for y in (0, 1)]
        self.assertAlmostEqual(variances[1], sum(1 / cell for cell in cells), 6)

    def covered(self, persons, forget):
        """The shares of real tables whose usual intervals hold the truth; forget: whose rows they are."""
        truth = {name: q for name, (q, _) in statistics_of.of_population(
            populations.draw(8, 400_000, persons, numpy.random.default_rng(5))).items()}
        hits = {name: 0 for name in truth}
        for seed in range(300):
            table = populations.draw(8, 800, persons, numpy.random.default_rng([6, seed]))
            if forget:
                del table["id"]
            for name, (q, u) in statistics_of.of_population(table).items():
                hits[name] += abs(q - truth[name]) <= run.Z * u**0.5
        return {name: count / 300 for name, count in hits.items()}

    def test_the_real_table_covers_the_truth(self):
        for persons in (False, True):
            for name, share in self.covered(persons, False).items():
                self.assertGreater(share, 0.9, (persons, name))

    def test_a_variance_that_forgets_persons_is_noticed(self):
        self.assertLess(self.covered(True, True)["mean of age"], 0.9)

    def test_random_questions_are_means_shares_and_differences(self):
        rng = numpy.random.default_rng(3)
        table = {"x": rng.integers(0, 50, 900).astype(float), "c": rng.choice(["a", "b", "rare"], 900, p=[0.6, 0.39, 0.01])}
        asked = statistics_of.random_questions(table, {"x": True, "c": False}, 60, rng)
        self.assertEqual(len(asked), 60)
        self.assertEqual({one[0] for one in asked}, {"all", "group", "difference"})
        self.assertNotIn("rare", [value for one in asked for value in (one[2], *one[4])])
        q, _ = statistics_of.answer(("difference", "x", None, "c", ["a", "b"]), table, None)
        self.assertAlmostEqual(q, table["x"][table["c"] == "a"].mean() - table["x"][table["c"] == "b"].mean())
        q, _ = statistics_of.answer(("group", "c", "a", "x", [20.0]), table, None)
        self.assertAlmostEqual(q, (table["c"][table["x"] > 20] == "a").mean())

    def test_columns_fit_their_schema(self):
        for count in (5, 15, 40):
            table = populations.draw(count, 300, True, numpy.random.default_rng(1))
            fields = {field["name"]: field for field in populations.schema(count, True)["fields"]}
            self.assertEqual(set(fields), set(table))
            self.assertEqual(len(table) - 1, count)
            for name, values in table.items():
                limits = fields[name].get("constraints", {})
                most = len(limits["enum"]) - 1 if "enum" in limits else limits.get("maximum", 10**9)
                self.assertTrue((values >= 0).all() and (values <= most).all(), name)
            self.assertLessEqual(numpy.bincount(table["id"]).max(), populations.MOST_ROWS)


class Judging(unittest.TestCase):
    def test_an_interval_holds_the_truth_or_does_not(self):
        row = {"estimate": 1.0, "low": 0.0, "high": 2.0, "standard_error": 0.4}
        judged = run.judge({"x": (2.1, 0.0)}, {"x": (2.0, 0.01)}, {"x": (1.0, 0.01)}, {"x": row})["x"]
        self.assertEqual([judged[way][0] for way in run.WAYS], [True, False, False])
        self.assertEqual(judged["replicates"][1], 1.0)
        # The other half's own variance widens all of them.
        judged = run.judge({"x": (2.1, 1.0)}, {"x": (2.0, 0.01)}, {"x": (1.0, 0.01)}, {"x": row})["x"]
        self.assertEqual([judged[way][0] for way in run.WAYS], [True, True, True])


class Running(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = lambda *names: os.path.join(folder.name, *names)
        with open(self.path("fake"), "w", encoding="utf-8") as file:
            file.write(FAKE.format(log=self.path("log")))
        os.chmod(self.path("fake"), stat.S_IRWXU)

    def bench(self, *words):
        common = ["--program", self.path("fake"), "--work", self.path("work"), "--results", self.path("results.jsonl"), "--columns", "5",
                  "--rows", "200", "--eps", "1", "--persons", "no", "--tables", "4", "--replicates", "3"]
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(run.main([*common, *words]), 0)
        with open(self.path("results.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def fits(self):
        with open(self.path("log"), encoding="utf-8") as file:
            return len(file.readlines())

    def test_parts_are_merged_and_a_stopped_run_continues(self):
        self.assertEqual(self.bench("--part", "0/2"), [])
        self.assertEqual(self.fits(), 2)
        (name,) = os.listdir(self.path("work", "lines"))
        with open(self.path("work", "lines", name), "r+", encoding="utf-8") as file:
            file.truncate(os.fstat(file.fileno()).st_size - 1)  # the last line was not written to its end
        (line,) = self.bench("--jobs", "2")
        self.assertEqual(self.fits(), 5)
        self.assertEqual(line["tables"], 4)
        self.assertEqual(set(line["statistics"]["share of y"]), {*run.WAYS, "naive_width", "replicates_width"})
        # The plain table is the real one: they cover alike.
        for one in line["statistics"].values():
            self.assertEqual((one["naive"], one["naive_width"]), (one["real"], 1.0))
        self.assertEqual(set(line["type_one"]), {*run.WAYS})
        (again,) = self.bench("--merge")
        self.assertEqual(again["statistics"], line["statistics"])
        self.assertEqual(self.fits(), 5)


if __name__ == "__main__":
    unittest.main()
