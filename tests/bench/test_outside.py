# SPDX-License-Identifier: Apache-2.0
"""Other people's measures: frames of a set, halves of the held-out rows, equal control sets, resuming, the page."""
import contextlib
import io
import json
import os
import sys
import tempfile
import types
import unittest
from unittest import mock

import support

support.need("numpy", "pandas")
import pandas

sys.path.insert(0, os.path.join(support.SOURCE, "bench", "outside"))
import frames
import measures

run = support.load("outside_run", "bench", "outside", "run.py")
page = support.load("outside_page", "bench", "outside", "page.py")

SCHEMA = {"fields": [{"name": "age", "type": "integer", "constraints": {"minimum": 18, "maximum": 90}},
                     {"name": "code", "type": "integer", "constraints": {"enum": [1, 2]}},
                     {"name": "day", "type": "date", "constraints": {"minimum": "2020-01-01", "maximum": "2020-12-31"}},
                     {"name": "id", "semblance": {"role": "id"}}], "missingValues": ["?"], "semblance": {"label": "code"}}


def table(first, count):
    return "age,code,day,id\n" + "".join(f"{'?' if i % 9 == 0 else first + i % 40},{'?' if i % 7 == 0 else i % 2 + 1},2020-01-02,x{i}\n"
                                         for i in range(count))


class TestFrames(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        support.write_set(os.path.join(self.folder.name, "small"), SCHEMA, table(18, 90), table(20, 41))
        self.known = frames.Set(os.path.join(self.folder.name, "small"))

    def test_a_set_is_read_by_its_schema(self):
        frame = self.known.read(self.known.path("train"))
        self.assertEqual([*frame.columns], ["age", "code", "day"])
        self.assertEqual((int(frame["age"].isna().sum()), frame["code"].dropna().iloc[0]), (10, "2"))
        self.assertEqual({name: one["sdtype"] for name, one in self.known.metadata()["columns"].items()},
                         {"age": "numerical", "code": "categorical", "day": "datetime"})
        whole = self.known.without_gaps(frame)
        self.assertEqual((int(whole.isna().sum().sum()), whole["age"].min(), "(missing)" in set(whole["code"])), (0, 18, True))

    def test_control_and_held_out_rows_share_no_row(self):
        test = pandas.DataFrame({"x": range(41)})
        shown, control = run.halves(test, 3)
        self.assertEqual((len(shown), len(control)), (20, 21))
        self.assertEqual(sorted([*shown["x"], *control["x"]]), [*range(41)])

    def test_an_attack_has_as_many_fitted_rows_as_control_rows(self):
        seen = {}

        def look(known, fitted, made, control, attacks):
            seen.update(fitted=len(fitted), control=len(control), gaps=int(fitted.isna().sum().sum()))
            return {"risk": 0.0}

        train, test = (self.known.read(self.known.path(part)) for part in ("train", "test"))
        with mock.patch.dict(measures.PARTS, linkability=look):
            found = measures.attack("linkability", self.known, train, train, test, 5, 0)
        self.assertEqual(seen, {"fitted": 41, "control": 41, "gaps": 0})
        self.assertEqual(found, {"rows_fitted": 41, "rows_control": 41, "risk": 0.0})

    def test_what_was_measured_is_not_measured_again(self):
        results = os.path.join(self.folder.name, "results.jsonl")
        given = ["--data", self.folder.name, "--sets", "small", "--methods", "held-out", "--parts", "reports,linkability",
                 "--results", results, "--venv", sys.prefix]
        answers = types.SimpleNamespace(reports=mock.Mock(return_value={"quality": 0.5}), attack=mock.Mock(return_value={"risk": 0.1}))
        with mock.patch.object(measures, "reports", answers.reports), mock.patch.object(measures, "attack", answers.attack), \
                mock.patch.object(run, "versions", return_value={}), contextlib.redirect_stderr(io.StringIO()):
            for _ in range(2):
                self.assertEqual(run.main(given), 0)
        self.assertEqual((answers.reports.call_count, answers.attack.call_count), (1, 1))
        with open(results, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual([(line["part"], line["rows"]) for line in lines], [("reports", 41), ("linkability", 20)])
        self.assertTrue(all(line["notice"].startswith("NOT PRIVATE") for line in lines))

    def test_unknown_names_are_refused(self):
        for wrong in (["--methods", "magic"], ["--parts", "magic"], ["--sets", "magic"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as said:
                run.arguments(["--data", self.folder.name, "--sets", "small", *wrong])
            self.assertIn("magic", said.getvalue())


class TestPage(unittest.TestCase):
    def test_the_page_shows_means_and_the_risk_of_each_seed(self):
        quality = lambda value: {"quality": value, "diagnostic": 1.0, "quality_properties": {"Column Shapes": value, "Column Pair Trends": value}}
        risk = lambda value: {"attack": value, "control": 0.1, "risk": value, "risk_interval": [0.0, 2 * value]}
        line = {"set": "small", "method": "auto", "eps": 1.0}
        lines = [{**line, "seed": 0, "part": "reports", "result": quality(0.5)}, {**line, "seed": 0, "part": "reports", "result": quality(0.9)},
                 {**line, "seed": 1, "part": "reports", "result": quality(0.8)}, {**line, "seed": 1, "part": "linkability", "result": risk(0.03)},
                 {**line, "seed": 0, "part": "linkability", "result": risk(0.01)}]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lines.jsonl")
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(one) + "\n" for one in lines)
            text = page.section(path)
        self.assertIn("| **ours**, `auto` | 1 | .8500 | .8500 | .8500 | 1.0000 | 2 |", text)  # the latest of seed 0 counts
        self.assertIn("| linkability | **ours**, `auto` | .020 | .100 | .010 (.000 to .020), .030 (.000 to .060) |", text)


if __name__ == "__main__":
    support.main()
