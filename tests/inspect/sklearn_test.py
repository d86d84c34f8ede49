#!/usr/bin/env python3
"""Tables of scikit-learn, as frames and as the CSV files that pandas writes: sklearn_test.py PROGRAM.

Inspection takes every column for what it is, no cell becomes missing, and the frame gives the same schema as the file."""
import datetime
import json
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import pandas
import sklearn.datasets

import semblance

PROGRAM = sys.argv.pop(1)


def tables():
    load = {"iris": sklearn.datasets.load_iris, "breast_cancer": sklearn.datasets.load_breast_cancer, "wine": sklearn.datasets.load_wine,
            "digits": sklearn.datasets.load_digits, "diabetes": sklearn.datasets.load_diabetes}
    for name, loader in load.items():
        yield name, loader(as_frame=True).frame


def quietly(call, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*arguments)


class Tables(unittest.TestCase):
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

    def test_files_and_frames(self):
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
                    from_frame = json.loads(quietly(semblance.Schema.inspect, frame).to_json())
                    self.check(from_frame, frame)

    def test_times_and_mixed_dates_of_a_frame(self):
        times = [datetime.time(6 + i % 12, i % 60, i * 7 % 60) for i in range(300)]
        days = ["2024-%02d-%02d" % (1 + i % 12, 13 + i % 9) if i % 3 else "%02d.%02d.2024" % (13 + i % 9, 1 + i % 12) for i in range(300)]
        frame = pandas.DataFrame({"at": times, "day": days, "rate": [1e-6 * (i % 50 + 1) for i in range(300)]})
        schema = quietly(semblance.Schema.inspect, frame)
        fields = {field["name"]: field for field in json.loads(schema.to_json())["fields"]}
        self.assertEqual([fields[name]["type"] for name in frame.columns], ["time", "date", "number"])
        self.assertEqual(fields["day"]["format"], ["default", "%d.%m.%Y"])
        self.assertEqual(schema.check(frame).count("all cells good"), 3)
        made = quietly(semblance.Synthesizer(epsilon=20, method="marginals", schema=schema).fit, frame).sample(50).to_pandas()
        for text in made["at"]:
            datetime.time.fromisoformat(text)


if __name__ == "__main__":
    unittest.main()
