#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of scikit-learn as the CSV files that pandas writes: sklearn_test.py PROGRAM.

Inspection takes every column for what it is, and no cell becomes missing. frames_test.py does the same with frames."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import sklearn.datasets

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else None


def tables():
    load = {"iris": sklearn.datasets.load_iris, "breast_cancer": sklearn.datasets.load_breast_cancer, "wine": sklearn.datasets.load_wine,
            "digits": sklearn.datasets.load_digits, "diabetes": sklearn.datasets.load_diabetes}
    for name, loader in load.items():
        yield name, loader(as_frame=True).frame


class Checks(unittest.TestCase):
    def check(self, schema, frame):
        fields = {field["name"]: field for field in schema["fields"]}
        self.assertEqual([*fields], [*frame.columns])
        for name in frame.columns:
            column, limits = frame[name], fields[name].get("constraints", {})
            # Two values are categories. Whole numbers that pandas writes with a point may be either.
            whole = bool((column == column.round()).all())
            wanted = ["string"] if column.nunique() <= 2 else ["integer"] if column.dtype.kind == "i" else ["number"]
            self.assertIn(fields[name].get("type"), wanted + ["integer"] * whole, name)
            self.assertTrue(limits.get("required"), name)
            if "minimum" in limits:
                self.assertLessEqual(limits["minimum"], column.min(), name)
                self.assertGreaterEqual(limits["maximum"], column.max(), name)
        kinds = [one["kind"] for one in schema.get("semblance", {}).get("proposals", [])]
        self.assertNotIn("unit", kinds)
        self.assertNotIn("person", schema["semblance"]["origin"])


class Files(Checks):
    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, frame in tables():
                with self.subTest(table=name):
                    path = os.path.join(folder, name + ".csv")
                    frame.to_csv(path, index=False)
                    done = subprocess.run([PROGRAM, "schema", "inspect", path, "-o", path + ".json"], capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertNotIn("missing", done.stderr)
                    with open(path + ".json", encoding="utf-8") as file:
                        schema = json.load(file)
                    self.check(schema, frame)
                    checked = subprocess.run([PROGRAM, "schema", "check", path + ".json", path], capture_output=True, text=True)
                    self.assertEqual(checked.returncode, 0, checked.stderr)
                    self.assertEqual(checked.stdout.count(": all cells good"), len(frame.columns), checked.stdout)


if __name__ == "__main__":
    unittest.main()
