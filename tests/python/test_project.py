# SPDX-License-Identifier: Apache-2.0
"""Real rows in the space of a projected model: what the program writes, from a file and from memory, and compared with a sample."""

import csv
import os
import subprocess
import tempfile
import unittest
import warnings
from pathlib import Path

import people
import semblance

PROGRAM = os.environ["SEMBLANCE"]


class Project(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.table = people.write(cls.folder / "people.csv", 300)
        cls.fitted = semblance.Synthesizer(3, schema=people.SCHEMA, method="ron-gauss", space="projected", dimensions=3)
        cls.fitted.fit(cls.table)

    def project(self, fitted, data):
        with self.assertWarns(semblance.NotPrivateWarning):
            return fitted.project(data)

    def test_rows_are_those_of_the_program(self):
        projected = self.project(self.fitted, self.table)
        model, made, own = (self.folder / name for name in ("model", "program.csv", "python.csv"))
        self.fitted.save(model)
        subprocess.run([PROGRAM, "project", model, self.table, "-o", made], check=True, capture_output=True)
        projected.to_csv(own)
        self.assertEqual(own.read_bytes(), made.read_bytes())
        with open(made, newline="") as file:
            rows = [*csv.DictReader(file)]
        columns = projected.to_dict()
        self.assertEqual([*columns], ["p1", "p2", "p3", "wage"])
        self.assertEqual([*columns], self.fitted.sample(5).columns)
        self.assertEqual(columns["wage"], [row["wage"] for row in rows])
        for name in ("p1", "p2", "p3"):
            for value, row in zip(columns[name], rows, strict=True):
                self.assertAlmostEqual(value, float(row[name]), places=5)
        with self.assertRaises(semblance.SemblanceError):
            projected.to_csv(own)  # it is there

    def test_evaluate_takes_both(self):
        projected = self.project(self.fitted, self.table)
        found = semblance.evaluate(projected, self.fitted.sample(200, seed=1), self.fitted.schema_, models="none", progress=False)
        self.assertEqual([column["name"] for column in found.to_dict()["columns"]], ["p1", "p2", "p3", "wage"])

    def test_matrix_is_orthonormal_and_named(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # it is public
            matrix = self.fitted.projection_
        self.assertEqual(matrix.pop("coordinate"), ["p1", "p2", "p3"])
        self.assertEqual([*matrix][:3], ["age", "height", "joined"])
        rows = [*zip(*matrix.values())]
        for i, a in enumerate(rows):
            for j, b in enumerate(rows):
                self.assertAlmostEqual(sum(x * y for x, y in zip(a, b)), float(i == j), places=12)

    def test_other_models_and_tables_are_refused(self):
        plain = semblance.Synthesizer(3, schema=people.SCHEMA, method="ron-gauss").fit(self.table)
        with self.assertRaisesRegex(semblance.OptionError, "original columns"):
            self.project(plain, self.table).to_dict()
        with self.assertRaisesRegex(semblance.OptionError, "original columns"):
            _ = plain.projection_
        other = self.folder / "other.csv"
        other.write_text(Path(self.table).read_text().replace("wage", "pay", 1))
        with self.assertRaisesRegex(semblance.SemblanceError, "other.csv.*wage"):
            self.project(self.fitted, other).to_dict()
        with self.assertRaises(semblance.NotFittedError):
            self.project(semblance.Synthesizer(1), self.table)


if __name__ == "__main__":
    unittest.main()
