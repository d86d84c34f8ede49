# SPDX-License-Identifier: Apache-2.0
"""Intervals from replicates in Python: the numbers of the C library, every form of result, refusals. Needs no other package."""
import csv
import io
import os
import random
import subprocess
import tempfile
import unittest

import semblance


class Fitted:
    """What statsmodels returns, as far as it is used: arrays, with names in the model."""

    class model:
        exog_names = ["const", "age"]

    def __init__(self, params, bse):
        self.params, self.bse = params, bse


class Series:
    """A pandas Series, as far as it is used."""

    def __init__(self, items):
        self._items = dict(items)

    index = property(lambda self: [*self._items])

    def items(self):
        return self._items.items()

    def keys(self):
        return self._items.keys()

    def __iter__(self):
        return iter(self._items.values())

    def __getitem__(self, name):
        return self._items[name]


def draws(count, seed):
    random.seed(seed)
    return [random.gauss(3, 1) for _ in range(count)], [random.uniform(0.1, 0.3) for _ in range(count)]


class Combining(unittest.TestCase):
    def test_numbers_are_those_of_the_program_to_the_bit(self):
        q, u = draws(20, 1)
        text = "name,estimate,variance\n" + "".join(f"x,{a!r},{b!r}\n" for a, b in zip(q, u))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            command = [os.environ["SEMBLANCE"], "combine", path, "--csv", "--level", "0.9", "--row-ratio", "2"]
            answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        (row,) = csv.DictReader(io.StringIO(answer))
        one = semblance.combine(q, u, level=0.9, row_ratio=2)
        told = [float(row[name]) for name in ("estimate", "low", "high", "standard_error", "degrees_of_freedom", "privacy_share")]
        self.assertEqual(told, [*one[:6]])
        self.assertEqual(one.replicates, 20)

    def test_an_estimate_by_hand(self):
        one = semblance.combine([1, 2, 3, 4], [0.1, 0.2, 0.3, 0.4])
        self.assertAlmostEqual(one.estimate, 2.5)
        self.assertAlmostEqual(one.standard_error**2, 11 / 6)
        self.assertAlmostEqual(one.df, 3 * 0.88**2)
        self.assertAlmostEqual(one.high - one.estimate, one.estimate - one.low)
        self.assertIn("standard_error", str(one))
        self.assertIn("2.5", str(one))

    def test_every_form_of_a_result_gives_the_same(self):
        a, v = draws(5, 2)
        b, w = draws(5, 3)
        forms = {
            "mappings": lambda i: ({"const": a[i], "age": b[i]}, {"const": v[i], "age": w[i]}),
            "series": lambda i: (Series({"const": a[i], "age": b[i]}), Series({"const": v[i], "age": w[i]})),
            "pairs": lambda i: {"const": (a[i], v[i]), "age": (b[i], w[i])},
            "arrays": lambda i: Fitted([a[i], b[i]], [v[i] ** 0.5, w[i] ** 0.5]),
            "named": lambda i: Fitted(Series({"const": a[i], "age": b[i]}), Series({"const": v[i] ** 0.5, "age": w[i] ** 0.5})),
        }
        expected = semblance.combine(b, w)
        for name, form in forms.items():
            combined = semblance.analyse(range(5), form)
            self.assertEqual([*combined], ["const", "age"], name)
            for left, right in zip(combined["age"], expected):
                self.assertAlmostEqual(left, right, 12, name)
        self.assertEqual(semblance.analyse(range(5), lambda i: (b[i], w[i])), expected)
        self.assertEqual(len(repr(combined).splitlines()), 3)
        self.assertIn("<td>const</td>", combined._repr_html_())
        self.assertEqual(combined.to_dict()["name"], ["const", "age"])

    def test_results_that_cannot_be_combined_are_refused_in_one_line(self):
        pair = lambda i: (i, 1)
        cases = [
            (lambda: semblance.combine([1], [1]), "1 replicate: an interval needs at least 2"),
            (lambda: semblance.combine([1, 2], [1]), "2 estimates and 1 variances"),
            (lambda: semblance.combine([], []), "0 replicates"),
            (lambda: semblance.combine([1, float("nan")], [1, 1]), "estimate 2 is not a finite number"),
            (lambda: semblance.combine([1, 2], [1, -1]), "variance 2"),
            (lambda: semblance.combine([1, "x"], [1, 1]), "must be numbers"),
            (lambda: semblance.combine([{"a": 1}, {"b": 1}], [{"a": 1}, {"a": 1}]), "replicate 2 has other statistics"),
            (lambda: semblance.combine([{"a": 1}, {"a": 1}], [1, 1]), "replicate 1 has other statistics"),
            (lambda: semblance.combine([1, 2], [1, 1], level=1), "level"),
            (lambda: semblance.combine([1, 2], [1, 1], row_ratio=0), "row_ratio"),
            (lambda: semblance.analyse([1], pair), "1 replicate"),
            (lambda: semblance.analyse([1, 2], lambda i: i), "the analysis must return"),
            (lambda: semblance.analyse("/nonexistent", pair), "has no replicates"),
        ]
        for call, message in cases:
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertIn(message, str(caught.exception))
            self.assertEqual(len(str(caught.exception).splitlines()), 1)

    def test_frames_and_folders_are_replicates(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        frames = [pandas.DataFrame({"x": draws(30, seed)[0]}) for seed in range(4)]
        mean = lambda frame: (frame["x"].mean(), frame["x"].var() / len(frame))
        expected = semblance.analyse(frames, mean)
        together = pandas.concat([frame.assign(replicate=i) for i, frame in enumerate(frames)])
        self.assertEqual(semblance.analyse(together, mean), expected)
        with tempfile.TemporaryDirectory() as folder:
            for i, frame in enumerate(frames):
                frame.to_csv(os.path.join(folder, f"{i + 1:02}.csv"), index=False)
            frames[0].to_csv(os.path.join(folder, "other.csv"), index=False)
            for left, right in zip(semblance.analyse(folder, mean), expected):
                self.assertAlmostEqual(left, right, 12)
        named = semblance.analyse(frames, lambda frame: (frame.mean(), frame.var() / len(frame)))
        self.assertEqual(named["x"], expected)
        self.assertEqual(named.to_pandas().loc["x", "estimate"], expected.estimate)
        with self.assertRaises(semblance.InputError):
            semblance.analyse(frames[0], mean)


if __name__ == "__main__":
    unittest.main()
