#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/track.py: ratios to the references of a line, and the page of stored lines."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path.insert(0, os.path.join(ROOT, "bench"))
import track  # noqa: E402


def line(commit, machine, seconds, duckdb):
    figures = {name: seconds for name in track.FIGURES if duckdb is not None or "parquet" not in name}
    return {"commit": commit, "day": "2026-11-19", "machine": machine, "load": 1.0, "figures": figures,
            "references": {"memcpy": 0.5, "gemm": 2.0, "duckdb": duckdb, "table": 4.0}}


class Track(unittest.TestCase):
    def page(self, lines):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lines.jsonl")
            with open(path, "w", encoding="utf-8") as file:
                file.write("".join(json.dumps(one) + "\n" for one in lines))
            return subprocess.run([sys.executable, os.path.join(ROOT, "bench", "track.py"), "--page", path], stdout=subprocess.PIPE, text=True,
                                  check=True).stdout

    def test_each_figure_has_a_reference_that_is_explained(self):
        self.assertEqual(len(track.FIGURES), 10)
        for _, reference, _ in track.FIGURES.values():
            self.assertIn(reference, track.REFERENCES)

    def test_ratios_are_to_the_reference_of_the_figure(self):
        ratios = track.ratios_of(line("a", "m", 1.0, 0.25))
        self.assertEqual((ratios["read csv"], ratios["fit pairs"], ratios["draw csv"], ratios["memory"]), (4.0, 0.5, 2.0, 0.25))

    def test_a_reference_that_is_not_there_leaves_its_ratios_empty(self):
        ratios = track.ratios_of(line("a", "m", 1.0, None))
        self.assertIsNone(ratios["read csv"])
        self.assertEqual(ratios["fit pairs"], 0.5)

    def test_a_machine_has_its_own_tables_and_the_change_of_its_commits(self):
        said = self.page([line("old", "one", 1.0, 0.25), line("new", "one", 0.5, 0.25), line("new", "two", 3.0, None)])
        one, two = said.split("## one")[1].split("## two")
        self.assertIn("| old | 2026-11-19 | 1.0 | 4.00 |", one)
        self.assertIn("| last / first | | | 0.50 |", one)
        self.assertNotIn("last / first", two)
        self.assertIn("| new | 2026-11-19 | 1.0 | - |", two)


if __name__ == "__main__":
    unittest.main()
