# SPDX-License-Identifier: Apache-2.0
"""Sheets of Excel: the texts, and so the sums, are those of the same table as CSV. tests/r/excel.R reads the same file in R.

Needs openpyxl and pyarrow. tests/r/cells.csv holds the same table, cell by cell, as it was typed.
"""
import csv
import tempfile
import unittest
import warnings
from pathlib import Path

import openpyxl

from semblance import InputError, Synthesizer, read_excel

import same_bits

SHEET = Path(__file__).parents[1] / "r/cells.xlsx"
TABLE = SHEET.with_suffix(".csv")
SCHEMA = {"fields": [
    {"name": "whole", "type": "integer", "constraints": {"minimum": -10, "maximum": 50}},
    {"name": "number", "type": "number", "constraints": {"minimum": 0, "maximum": 2000}},
    {"name": "ward", "type": "string", "constraints": {"enum": ["north", "süd, west", "3", "01"]}},
    {"name": "day", "type": "date", "constraints": {"minimum": "1970-01-01", "maximum": "2040-01-01"}},
    {"name": "at", "type": "datetime", "constraints": {"minimum": "1970-01-01T00:00:00", "maximum": "2040-01-01T00:00:00"}},
    {"name": "time", "type": "time", "constraints": {"minimum": "00:00:00", "maximum": "23:59:59"}},
    {"name": "yes", "type": "boolean"},
    {"name": "mixed", "type": "string", "constraints": {"enum": ["text", "12", "1.5", "true"]}},
]}


def fit(folder, name, data):
    Synthesizer(epsilon=1, schema=SCHEMA, method="marginals", threads=1, **same_bits.files(folder, name)).fit(data)


def fit_sheet(folder, name):
    fit(folder, name, read_excel(SHEET))


def fit_file(folder, name):
    fit(folder, name, TABLE)


def texts(table):
    return [table.column_names] + [["" if cell is None else cell for cell in row.values()] for row in table.to_pylist()]


class Excel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def book(self, *rows):
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.save(self.folder / "made.xlsx")
        return self.folder / "made.xlsx"

    def test_cells_are_those_of_the_csv_file(self):
        with TABLE.open(newline="", encoding="utf-8") as file:
            self.assertEqual(texts(read_excel(SHEET)), list(csv.reader(file)))
        self.assertEqual(texts(read_excel(SHEET, sheet="second")), [["a"], ["5"]])

    def test_sums_are_those_of_the_csv_file(self):
        one, two = same_bits.alone(fit_sheet, self.folder, "sheet"), same_bits.alone(fit_file, self.folder, "file")
        self.assertEqual(len(one), 1)
        self.assertEqual(one, two)

    def test_a_cell_changes_no_other(self):
        plain = [["n", "t"], [1, "a"], [2.5, "b"], [None, "c"]]
        without = texts(read_excel(self.book(*plain)))
        for odd in ("text", True, 1e300, "=1/0"):
            with self.subTest(odd=odd):
                self.assertEqual(texts(read_excel(self.book(*plain, [odd, "d"])))[:4], without)

    def test_days_that_do_not_exist_are_missing_and_not_told(self):
        path = self.book(["day"], [4e9], [45000])
        book = openpyxl.load_workbook(path)
        for row in (2, 3):
            book.active.cell(row, 1).number_format = "yyyy-mm-dd"
        book.save(path)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(texts(read_excel(path)), [["day"], [""], ["2023-03-15"]])

    def test_what_is_no_sheet_is_one_line(self):
        (self.folder / "torn.xlsx").write_bytes(SHEET.read_bytes()[:3000])
        for path, sheet, words in ((TABLE, None, "is not a file of Excel"), (self.folder / "torn.xlsx", None, "is not a file of Excel"),
                                   (SHEET, "third", "no sheet 'third': its sheets are 'people', 'second'"),
                                   (self.book(["a", "a"], [1, 2]), None, "must name each column once"),
                                   (self.book(["a", None, "b"], [1, 2, 3]), None, "must name each column once")):
            with self.subTest(words=words, path=path.name), self.assertRaisesRegex(InputError, words) as caught:
                read_excel(path, sheet)
            self.assertNotIn("\n", str(caught.exception))
        with self.assertRaises(OSError):
            read_excel(self.folder / "absent.xlsx")


if __name__ == "__main__":
    unittest.main()
