# SPDX-License-Identifier: Apache-2.0
"""The comparison with peers: the cells that they get, limits, resuming, the page."""
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

import support

support.need("numpy", "pandas", "scipy", "sklearn", "xgboost")
import numpy

import tables

sys.path.insert(0, os.path.join(support.SOURCE, "bench", "peers"))
import cells

run = support.load("peers_run", "bench", "peers", "run.py")
page = support.load("peers_page", "bench", "peers", "page.py")


def number(kind, low, high, missing=False):
    return tables.Column("x", "number", kind, [""], missing, minimum=low, maximum=high)


def write_characters(folder, rows):
    random = numpy.random.default_rng(0)
    for part in ("train", "val", "test"):
        with open(os.path.join(folder, f"artificial-characters_{part}.csv"), "w", encoding="utf-8") as file:
            file.write("V1,V2,V3,V4,V5,V6,V7,Class\n")
            for i in range(rows):
                file.write(",".join(str(v) for v in random.integers(0, 10, 7)) + f",{i % 10 + 1}\n")


class TestCells(unittest.TestCase):
    def test_a_number_has_32_equal_cells(self):
        self.assertEqual(cells.edges_of(number("number", 0, 64), False).tolist(), [2.0 * i for i in range(33)])

    def test_few_integers_have_one_cell_each(self):
        coder = cells.Cells(number("integer", 0, 10), False)
        self.assertEqual(coder.count, 11)
        self.assertEqual(coder.encode(numpy.arange(11.0)).tolist(), list(range(11)))

    def test_a_log_column_has_its_zero_nearly_alone(self):
        edges = cells.edges_of(number("integer", 0, 99999), True)
        self.assertEqual(edges[0], 0)
        self.assertLessEqual(edges[1], 3)  # (1e5 + 1)^(1/16) - 1 = 1.05, the next integer
        self.assertTrue(set(numpy.ceil(1e5 * numpy.arange(17) / 16)) <= set(edges.tolist()))

    def test_a_drawn_cell_lies_within_itself(self):
        random = numpy.random.default_rng(0)
        for kind in ("integer", "number"):
            for log in (False, True):
                coder = cells.Cells(number(kind, -10, 1000, missing=True), log)
                codes = numpy.arange(coder.count)
                text = coder.decode(codes, random)
                self.assertEqual(text[-1], "")
                values = numpy.array([float(t) if t else float("nan") for t in text])
                self.assertEqual(coder.encode(values).tolist(), codes.tolist())


class TestRun(unittest.TestCase):
    def call(self, folder, *words):
        with contextlib.redirect_stderr(io.StringIO()) as talk:
            code = run.main(["--characters", folder, "--sets", "characters", "--results", os.path.join(folder, "lines"),
                             "--work", os.path.join(folder, "work"), *words])
        return code, talk.getvalue()

    def test_what_is_in_the_results_is_not_run_again(self):
        with tempfile.TemporaryDirectory() as folder:
            write_characters(folder, 200)
            self.assertEqual(self.call(folder, "--methods", "real,real-cells")[0], 0)
            with open(os.path.join(folder, "lines"), encoding="utf-8") as file:
                lines = [json.loads(text) for text in file]
            self.assertEqual([line["method"] for line in lines], ["real", "real-cells"])
            self.assertEqual(self.call(folder, "--methods", "real,real-cells"), (0, ""))
            self.assertTrue(all(line["notice"].startswith("NOT PRIVATE") for line in lines))
            self.assertGreater(lines[0]["tvd_2way_equal100"], lines[0]["tvd_2way"])

    def test_a_peer_that_is_not_there_is_an_error_and_no_line(self):
        with tempfile.TemporaryDirectory() as folder:
            write_characters(folder, 20)
            code, talk = self.call(folder, "--methods", "tab-pe", "--dpsda", folder)
            self.assertEqual(code, 1)
            self.assertIn("failed", talk)
            self.assertFalse(os.path.exists(os.path.join(folder, "lines")))

    def test_a_method_is_stopped_at_its_limit_of_processor_seconds(self):
        with tempfile.TemporaryDirectory() as folder:
            args = run.arguments(["--sets", "", "--limit", "1"])
            facts = run.execute(args, [sys.executable, "-c", "while True: pass"], folder)
            self.assertFalse(facts["ended"])

    def test_peak_memory_is_that_of_the_method_and_not_of_the_bench(self):
        held = numpy.ones(40 << 20)  # 320 MB
        with tempfile.TemporaryDirectory() as folder:
            facts = run.execute(run.arguments(["--sets", ""]), [sys.executable, "-c", "pass"], folder)
        self.assertLess(facts["peak_mb"] * 2, held.nbytes / 2**20)


class TestPage(unittest.TestCase):
    def test_means_over_seeds_and_what_did_not_end(self):
        score = {"auc": .5, "accuracy": .25}
        base = {"set": "adult", "eps": "1", "ended": True, "rows": 10, "tvd_3way": .2, "tvd_2way_equal100": .3,
                "tvd_3way_equal100": .4, "lr": score, "xgb": score, "rf": score, "cpu_seconds": 2, "peak_mb": 7}
        lines = [{**base, "method": "auto", "seed": "0", "tvd_2way": .1}, {**base, "method": "auto", "seed": "1", "tvd_2way": .3},
                 {"set": "adult", "eps": "1", "method": "swift", "seed": "0", "ended": False, "cpu_seconds": 9.2,
                  "peak_mb": 5}]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lines")
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(line) + "\n" for line in lines)
            text = page.table(page.read(path), "adult").splitlines()
        self.assertEqual(text[2], "| 1 | **ours**, `auto` | 10 | .2000 / .2000 | .300 / .400 | .500 / .250 | .500 / .250 "
                                  "| .500 / .250 | 2.0 | 7 | 2 |")
        self.assertIn("did not end in 9 s", text[3])
        self.assertIn("> 9", text[3])


if __name__ == "__main__":
    support.main()
