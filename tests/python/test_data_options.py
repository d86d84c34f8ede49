# SPDX-License-Identifier: Apache-2.0
"""Every option of data is taken by the program, job files and Python where its data fits, and refused by name where it does not."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import semblance

PROGRAM = os.environ["SEMBLANCE"]
ROWS = [row for row in semblance.options() if row.data is not None]
TABLES = {"csv", "json", "parquet", "database"}
# None of them exists: what is left to say of an option that fits is that the file is not there.
FILES = {"csv": "no.csv", "json": "no.ndjson", "parquet": "no.parquet", "database": "no.sqlite", "images": "no-ubyte", "package": "no/datapackage.json"}
# Given with a table, they say that it is one of a database.
ASKING = {"table", "query"}
LIBRARIES = {"duckdb", "adbc_driver"}


def value(row):
    if row.flag:
        return True
    if row.choices:
        return row.choices[1]
    return {"classes": "7", "size": "6x7", "encoding": "utf-16"}.get(row.name, "some.file")


def refused(row, form):
    return form not in row.data and not (row.name in ASKING and form in TABLES)


class DataOptions(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_program(self, *words):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, cwd=self.folder.name)
        return done.returncode, done.stderr.splitlines()

    def judge(self, row, form, said):
        """One line, which names the option where it does not fit, and else something that is missing."""
        code, lines = said
        self.assertEqual(len(lines), 1, lines)
        name = row.name.replace("_", "-")
        if refused(row, form):
            self.assertEqual(code, 2)
            self.assertRegex(lines[0], f"(--)?{name} (does not apply to|is for one table|goes with|needs --images|needs --package)")
        else:
            self.assertNotRegex(lines[0], f"unknown|{name} (does not apply|must be|is for one|goes with|needs --images|needs --package)")
        self.assertEqual([*Path(self.folder.name).glob("*.ledger")], [])

    def words(self, form):
        place = FILES[form]
        return ["--" + form, place] if form in ("images", "package") else [place]

    def test_the_list_is_the_table_of_the_library(self):
        self.assertGreaterEqual(len(ROWS), 20)
        for row in ROWS:
            self.assertTrue(row.help and set(row.data) <= {*FILES})

    def test_program(self):
        for row in ROWS:
            given = ["--" + row.name.replace("_", "-")] + ([] if row.flag else [value(row)])
            for form in FILES:
                with self.subTest(option=row.name, form=form):
                    said = self.run_program("synth", *self.words(form), "--epsilon", "1", "-o", "out", *given)
                    self.judge(row, form, said)

    def test_job_file(self):
        for row in ROWS:
            for form in FILES:
                with self.subTest(option=row.name, form=form):
                    member = {form if form in ("images", "package") else "input": FILES[form], row.name.replace("_", "-"): value(row)}
                    Path(self.folder.name, "job.json").write_text(json.dumps(member))
                    said = self.run_program("synth", "--job", "job.json", "--epsilon", "1", "-o", "out")
                    if row.name in LIBRARIES:
                        self.assertRegex(said[1][0], "names a library")
                    elif row.name == "allow_outside":
                        self.assertRegex(said[1][0], "cannot be in a job file")
                    else:
                        self.judge(row, form, said)

    def test_python(self):
        for row in ROWS:
            if not TABLES & {*row.data}:  # an argument of fit or of what reads images
                with self.assertRaisesRegex(semblance.OptionError, f"'{row.name}' is not an option"):
                    semblance.Synthesizer(epsilon=1, **{row.name: value(row)})
                continue
            for form in TABLES:
                with self.subTest(option=row.name, form=form):
                    made = semblance.Synthesizer(epsilon=1, **{row.name: value(row)})
                    with self.assertRaises(semblance.SemblanceError) as raised:
                        made.fit(os.path.join(self.folder.name, FILES[form]))
                    name = f"({row.name}|{row.name.replace('_', '-')}) does not apply"
                    (self.assertRegex if refused(row, form) else self.assertNotRegex)(str(raised.exception), name)

    def test_values_are_checked_by_the_table(self):
        for row in ROWS:
            if not row.flag and (row.choices or row.name in ("classes", "size")):
                code, lines = self.run_program("synth", "no.csv", "--" + row.name, "bad", "--epsilon", "1", "-o", "out")
                self.assertEqual((code, len(lines)), (2, 1))
                self.assertRegex(lines[0], f"^semblance: option --{row.name} must be .*, not 'bad'")


if __name__ == "__main__":
    unittest.main()
