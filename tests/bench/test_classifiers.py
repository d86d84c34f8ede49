# SPDX-License-Identifier: Apache-2.0
"""The classifiers' tables and metrics."""
import unittest

import support

support.need("numpy", "pandas", "scipy", "sklearn", "xgboost")
import numpy

import classifiers
import tables


def made(rows, classes=2, seed=0, informative=True):
    random = numpy.random.default_rng(seed)
    label = random.integers(0, classes, rows)
    x = label * 1.0 + random.normal(0, 0.2, rows) if informative else random.normal(0, 1, rows)
    columns = [tables.Column("x", "number", "number", [""], True, minimum=-9, maximum=9),
               tables.Column("c", "category", "string", [""], True, count=3),
               tables.Column("y", "category", "string", [], False, count=classes)]
    return tables.Table(tables.Schema(columns, 2, "classification"),
                        [x, random.integers(0, 4, rows), label], 0)


SETTINGS = {"max_train": 300, "max_test": 200, "sampling_seed": 0}


class Classifiers(unittest.TestCase):
    def test_thinning_takes_only_the_majority_class_and_the_limit_holds(self):
        table = made(4000)
        y = classifiers.labels(table)
        kept = classifiers.labels(classifiers.select(table, 10**6, numpy.random.default_rng(0), 0.4, 0))
        self.assertEqual((kept == 1).sum(), (y == 1).sum())
        self.assertAlmostEqual((kept == 0).sum() / (y == 0).sum(), 0.4, delta=0.05)
        self.assertEqual(classifiers.select(table, 100, numpy.random.default_rng(0)).rows, 100)

    def test_missing_numbers_take_the_training_median_and_missing_categories_a_code(self):
        table = made(5)
        table.values[0] = numpy.array([1.0, numpy.nan, 3.0, 8.0, numpy.nan])
        table.values[1] = numpy.array([0, 3, 1, 2, 0])
        fill = classifiers.medians(table)
        self.assertEqual(classifiers.as_codes(table, fill)[:, 0].tolist(), [1, 3, 3, 8, 3])
        one_hot = classifiers.as_one_hot(table, fill, classifiers.standardisation(table, fill)).toarray()
        self.assertEqual(one_hot.shape, (5, 5))
        self.assertEqual(one_hot[1, 1:].tolist(), [0, 0, 0, 1])
        self.assertAlmostEqual(one_hot[:, 0].std(), 1.0)

    def test_hard_roc_is_balanced_accuracy(self):
        y = numpy.array([0, 0, 0, 1])
        scores = numpy.eye(2)[[0, 0, 1, 1]]
        got = classifiers.hard_metrics(y, scores, 2)
        self.assertAlmostEqual(got["roc"], (1.0 + 2 / 3) / 2)
        self.assertAlmostEqual(got["prc"], 0.5)  # precision 1/2 at recall 1

    def test_informative_table_scores_high_and_noise_at_chance(self):
        test = made(400, seed=1)
        good = classifiers.measure_scores(made(400), test, SETTINGS, 0, 1)
        noise = classifiers.measure_scores(made(400, informative=False), test, SETTINGS, 0, 1)
        self.assertGreater(good["auc"], 0.98)
        self.assertLess(noise["auc"], 0.85)
        self.assertEqual((good["train_rows"], good["test_rows"]), (300, 200))

    def test_twelve_classifiers_are_averaged(self):
        got = classifiers.measure_hard(made(400), made(400, seed=1), SETTINGS, 0, 1.0, 1)
        self.assertEqual(len(got["models"]), 12)
        self.assertAlmostEqual(got["roc"], numpy.mean([m["roc"] for m in got["models"].values()]))

    def test_one_class_in_the_synthetic_table_gives_chance_and_says_so(self):
        one = made(100)
        one.values[2][:] = 0
        got = classifiers.measure_hard(one, made(400, seed=1), SETTINGS, 0, 1.0, 1)
        self.assertEqual(got["roc"], 0.5)
        self.assertTrue(all("one class" in m["note"] for m in got["models"].values()))

    def test_class_absent_from_the_synthetic_table_is_no_failure(self):
        table = made(400, classes=3)
        table = table.take(numpy.flatnonzero(table.values[2] != 1))
        test = made(400, classes=3, seed=1)
        for got in (classifiers.measure_hard(table, test, SETTINGS, 0, 1.0, 1)["f1"],
                    classifiers.measure_scores(table, test, SETTINGS, 0, 1)["auc"]):
            self.assertTrue(0.3 < got < 1.0)


if __name__ == "__main__":
    support.main()
