# SPDX-License-Identifier: Apache-2.0
"""Statistics with intervals in Python: frames, forms of questions, refusals. Needs no other package."""
import os
import tempfile
import unittest

import semblance

SCHEMA = {
    "fields": [
        {"name": "ward", "type": "string", "constraints": {"enum": ["a", "b"], "required": True}},
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99, "required": True}},
        {"name": "cost", "type": "integer", "constraints": {"minimum": 0, "maximum": 999, "required": True}},
    ]
}
ROWS = "ward,age,cost\n" + "".join(
    f"{'ab'[i % 4 == 0]},{i * 37 % 100},{100 + 5 * (i * 37 % 100)}\n" for i in range(1000)
)


class Estimating(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = os.path.join(cls.folder.name, "t.csv")
        with open(cls.path, "w", encoding="utf-8") as file:
            file.write(ROWS)
        cls.synthesizer = semblance.Synthesizer(epsilon=5, method="pairs", schema=SCHEMA).fit(cls.path)

    def ledger(self):
        with open(self.path + ".ledger", "rb") as file:
            return file.read()

    def test_groups_and_their_differences(self):
        before = self.ledger()
        told = self.synthesizer.estimate(count=True, mean=["cost", "age"], by="ward", difference="a", draws=10)
        self.assertEqual((len(told), told.draws, told.level), (9, 10, 0.95))
        first = told[0]
        self.assertEqual((first["statistic"], first["group"]), ("count", {"ward": "a"}))
        # 750 of 1000, within 54 at most: half an interval is 29 or more, and the estimate has a deviation of 6.
        self.assertLess(first["low"], 775)
        self.assertGreater(first["high"], 725)
        columns = told.to_dict()
        self.assertEqual(columns["ward"], ["a", "b", "b"] * 3)
        self.assertEqual(columns["minus"], [None, None, "a"] * 3)
        self.assertIn("estimate", repr(told))
        self.assertIn("<td>cost</td>", told._repr_html_())
        self.assertEqual(self.ledger(), before)

    def test_every_statistic_and_conditions(self):
        told = self.synthesizer.estimate(
            share={"ward": ["a", "b"]}, quantile={"cost": [0.25, 0.75]}, correlation=("age", "cost"), where={"age": (20, None)}, draws=5
        )
        self.assertEqual([one["statistic"] for one in told], ["share"] * 2 + ["quantile"] * 2 + ["correlation"])
        self.assertAlmostEqual(told[0]["estimate"] + told[1]["estimate"], 1)
        for one in told:
            self.assertTrue(one["low"] <= one["estimate"] <= one["high"], one)
        self.assertLess(told[2]["estimate"], told[3]["estimate"])
        self.assertGreater(told[4]["estimate"], 0.5)  # their correlation is 1; intervals of five draws may be long
        again = self.synthesizer.estimate(share="ward", where="age >= 20", draws=5)
        self.assertEqual([one["estimate"] for one in again], [one["estimate"] for one in told[:2]])

    def test_groups_without_rows_have_no_value(self):
        unused = [f"never {i}" for i in range(6)]
        schema = {"fields": [dict(SCHEMA["fields"][0], constraints={"enum": ["a", "b", *unused], "required": True}), *SCHEMA["fields"][1:]]}
        synthesizer = semblance.Synthesizer(epsilon=50, method="marginals", schema=schema, ledger=self.path + ".other").fit(self.path)
        told = synthesizer.estimate(count=True, mean="cost", by="ward", draws=5)
        count, mean = ({one["group"]["ward"]: one for one in told if one["statistic"] == name} for name in ("count", "mean"))
        # Noise gives one of them rows in every draw once in several hundred fits; four of six, less than once in 100 million.
        empty = [ward for ward in unused if mean[ward]["estimate"] is None]
        self.assertGreater(len(empty), 2)
        for ward in empty:
            self.assertEqual(count[ward]["low"], 0)
            self.assertGreater(count[ward]["high"], 0)
            self.assertEqual([mean[ward][name] for name in ("low", "high")], [None] * 2)
        self.assertNotIn("nan", repr(told))
        self.assertIn(None, told.to_dict()["estimate"])
        with self.assertRaisesRegex(ValueError, "the drawn tables have too few rows"):
            synthesizer.estimate(mean="cost", by="ward", where="age > 90 and age < 5", draws=2)

    def test_bad_questions_are_refused_in_one_line(self):
        loaded = semblance.Synthesizer._of_model(self.synthesizer._bytes())
        cases = [
            (lambda: self.synthesizer.estimate(), "give a statistic"),
            (lambda: self.synthesizer.estimate(mean="height"), "the table has no column 'height'"),
            (lambda: self.synthesizer.estimate(mean="ward"), "'ward' is a category"),
            (lambda: self.synthesizer.estimate(count=True, by="age"), "'age' is a number"),
            (lambda: self.synthesizer.estimate(correlation=("age",)), "two columns"),
            (lambda: self.synthesizer.estimate(quantile=0.5), "give columns and orders"),
            (lambda: self.synthesizer.estimate(count=True, draws=1), "draws must be"),
            (lambda: loaded.estimate(count=True), "which a model does not hold"),
        ]
        for call, message in cases:
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertIn(message, str(caught.exception))
            self.assertEqual(len(str(caught.exception).splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
