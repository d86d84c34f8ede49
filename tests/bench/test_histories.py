# SPDX-License-Identifier: Apache-2.0
"""The bench of histories measures what it says: distances by hand, halves that share nobody, and a program
that copies its input reaches the ceiling.
"""
import contextlib
import io
import os
import sys
import tempfile
import unittest

import support

support.need("numpy", "pandas")
import numpy
import pandas

sys.path.append(os.path.join(support.SOURCE, "bench", "histories"))
import measures
import sets
import store

RUN = support.load("histories_run", "bench", "histories", "run.py")
OWN = [{"name": "sex", "categories": ["f", "m"], "constraints": {}}]
FIELDS = [{"name": "day", "constraints": {"minimum": "2021-01-01"}},
          {"name": "ward", "categories": ["a", "b"], "constraints": {}},
          {"name": "cost", "constraints": {"minimum": 0}}]
PROGRAM = """#!{python}
import json, os, shutil, sys
word, made = sys.argv[1], sys.argv[-1] if "-o" not in sys.argv else sys.argv[sys.argv.index("-o") + 1]
if word == "account":
    print(json.dumps({{"mu": 1.0, "epsilon": 0.5}}))
elif word == "synth" and sys.argv[2] == "--package":
    shutil.copytree(os.path.dirname(sys.argv[3]), made)
    os.rename(os.path.join(made, "persons.csv"), os.path.join(made, "account.csv"))
elif word == "synth":
    shutil.copy(sys.argv[2], made)
if word != "account":
    print("semblance 9.9.9")
"""


def histories(*rows):
    table = pandas.DataFrame(rows, columns=["id", "sex", "day", "ward", "cost"])
    table["day"] = ["2021-01-%02d" % day for day in table.day]
    return measures.Histories(table, "id", FIELDS, OWN, "day")


REAL = (("p", "f", 1, "a", 1.0), ("p", "f", 3, "b", 2.0), ("p", "f", 9, "b", 3.0), ("q", "m", 4, "a", 4.0))


class Measures(unittest.TestCase):
    def test_equal_tables_have_no_distance(self):
        figures = measures.measure(histories(*REAL), histories(*REAL))
        ones = {"constant", "ordered", "rows_ratio"}
        self.assertEqual({name for name in figures if figures[name] != (name in ones)}, set())

    def test_distances_by_hand(self):
        made = (("p", "f", 3, "b", 1.0), ("p", "m", 1, "b", 1.0), ("q", "m", 4, "a", 1.0), ("q", "m", 4, "a", 4.0))
        figures = measures.measure(histories(*REAL), histories(*made))
        self.assertEqual(figures["events"], 1.0)  # 3 and 1 events; 2 and 2
        self.assertEqual(figures["rows_ratio"], 1.0)
        self.assertEqual(figures["constant"], 0.5)
        self.assertEqual(figures["ordered"], 0.5)
        self.assertEqual(figures["gaps"], 0.5)  # 2, 6; 2, 0
        self.assertEqual(figures["span"], 0.5)  # 8, 0; 2, 0
        self.assertEqual(figures["sum_cost"], 0.5)  # 6, 4; 2, 5
        self.assertEqual(figures["nunique_ward"], 0.5)  # 2, 1; 1, 1
        ward = measures.bins(FIELDS[1], histories(*REAL).rows.ward, histories(*made).rows.ward)
        self.assertEqual(measures.tvd(ward), 0.0)
        self.assertEqual(measures.tvd(ward, ward[::-1]), 0.0)

    def test_previous_is_of_the_same_person(self):
        real, made = histories(*REAL), histories(*REAL[:2], ("q", "f", 3, "b", 2.0), ("q", "f", 9, "b", 3.0))
        self.assertEqual((real.later.tolist(), made.later.tolist()), ([1, 2], [1, 3]))

    def test_numbers_are_cut_at_quantiles_of_the_real_rows(self):
        real, made = measures.cut(numpy.arange(100.0), numpy.array([-5.0, 9.8, 9.95, 500.0]), 10)
        self.assertEqual((numpy.bincount(real).tolist(), made.tolist()), ([10] * 10, [0, 0, 1, 9]))

    def test_persons_without_rows_count_where_they_are_known(self):
        table = pandas.DataFrame([("p", "a", 1.0)], columns=["id", "ward", "cost"])
        known = pandas.DataFrame({"sex": ["f", "m"]}, index=["p", "q"])
        linked = measures.Histories(table.join(known, on="id"), "id", FIELDS[1:], OWN, persons=known)
        self.assertEqual(linked.counts().tolist(), [1, 0])


class Run(unittest.TestCase):
    def test_halves_share_nobody_and_lose_nobody(self):
        data = sets.hospital(None, count=50)
        one, two = data.halves(7)
        self.assertEqual(sorted([*one.persons.index, *two.persons.index]), list(data.persons.index))
        for half in (one, two):
            self.assertEqual(set(half.tables[0].rows.patient), set(half.persons.index))

    def command(self, folder, name):
        """Of a bench over one set with the program that copies; the results."""
        program, results = os.path.join(folder, "program"), os.path.join(folder, "results.jsonl")
        with open(program, "w", encoding="utf-8") as file:
            file.write(PROGRAM.format(python=sys.executable))
        os.chmod(program, 0o755)
        return ["--sets", name, "--data", folder, "--program", program, "--results", results, "--work", folder,
                "--seeds", "0", "--eps", "1"], results

    def test_linked_tables_that_are_copied_reach_the_ceiling(self):
        ids = list(range(60))
        persons = pandas.DataFrame({"region": ["n" if i % 3 else "s" for i in ids]}, index=ids)
        own = [sets.category("region", ["n", "s"])]
        tables = []
        for name, most in (("clients", 2), ("orders", 3)):
            of = [i for i in ids for _ in range(i % (most + 1))]
            rows = pandas.DataFrame({"account_id": of, "amount": [float(7 * j % 50) for j in range(len(of))]})
            tables.append(sets.Table(name, [sets.number("amount", 0, 50, "number")], most, rows))
        self.addCleanup(sets.SETS.update, berka=sets.berka)
        sets.SETS["berka"] = lambda _: sets.Set("account_id", own, persons, tables)
        with tempfile.TemporaryDirectory() as folder:
            command, results = self.command(folder, "berka")
            for _ in range(2):
                talk = io.StringIO()
                with contextlib.redirect_stdout(talk):
                    self.assertEqual(RUN.main(command), 0)
            lines, _ = store.read_lines(results)
            self.assertEqual([(line["method"], line["limits"]["table"], len(line["options"])) for line in lines],
                             [(method, table, options) for method, options in (("real", 0), ("auto", 0), ("auto", 2))
                              for table in ("clients", "orders")])
            for line in lines[2:4]:
                self.assertEqual((line["metrics"], line["orphans"]), (lines[lines.index(line) - 2]["metrics"], 0))
            for line in lines[4:]:  # by itself: the same rows, and nothing about parents without any
                whole = lines[lines.index(line) - 4]["metrics"]
                self.assertEqual(line["metrics"], {n: whole[n] for n in line["metrics"]})
                self.assertEqual(whole.keys() - line["metrics"].keys(), {"events", "events_by_person", "rows_ratio"})
            self.assertIn("| berka, clients | ceiling | eps 1 | eps 1, apart |", talk.getvalue())

    def test_a_copy_of_the_fitted_half_reaches_the_ceiling(self):
        with tempfile.TemporaryDirectory() as folder:
            command, results = self.command(folder, "hospital")
            self.addCleanup(sets.SETS.update, hospital=sets.hospital)
            sets.SETS["hospital"] = lambda _: sets.hospital(None, count=300)
            for _ in range(2):  # the second time everything is there
                talk = io.StringIO()
                with contextlib.redirect_stdout(talk):
                    self.assertEqual(RUN.main(command), 0)
            lines, _ = store.read_lines(results)
            self.assertEqual([(line["method"], line["limits"]["max_rows_per_unit"]) for line in lines],
                             [("real", 30), ("auto", 30), ("auto", 3), ("auto", 10)])
            for line in lines:
                self.assertEqual(line["metrics"], lines[0]["metrics"])
            self.assertIn("| hospital | ceiling | eps 1 | eps 1, rows 3 | eps 1, rows 10 |", talk.getvalue())
            self.assertTrue(talk.getvalue().startswith(store.NOT_PRIVATE))


if __name__ == "__main__":
    support.main()
