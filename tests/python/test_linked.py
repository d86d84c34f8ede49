# SPDX-License-Identifier: Apache-2.0
"""Linked tables in Python: a package and its tables in, a dict of tables out, with keys that hold."""
import csv
import json
import os
import pickle
import random
import tempfile
import unittest

import semblance
from semblance import InputError, OptionError, SchemaError, Synthesizer

PACKAGE = {
    "resources": [
        {"name": "towns", "path": "towns.csv", "semblance": {"public": True},
         "schema": {"primaryKey": "town", "fields": [{"name": "town", "type": "string"}]}},
        {"name": "people", "path": "people.csv",
         "schema": {"primaryKey": "id",
                    "foreignKeys": [{"fields": "town", "reference": {"resource": "towns", "fields": "town"}}],
                    "fields": [{"name": "id", "type": "integer"},
                               {"name": "town", "type": "string", "constraints": {"required": True}}]}},
        {"name": "visits", "path": "visits.csv",
         "schema": {"primaryKey": "visit",
                    "foreignKeys": [{"fields": "person", "reference": {"resource": "people", "fields": "id"}}],
                    "fields": [{"name": "visit", "type": "integer"}, {"name": "person", "type": "integer"},
                               {"name": "day", "type": "date", "constraints":
                                   {"minimum": "2025-01-01", "maximum": "2025-12-31", "required": True}}],
                    "semblance": {"max_rows_per_unit": 4, "order": "day"}}},
        {"name": "drugs", "path": "drugs.csv",
         "schema": {"foreignKeys": [{"fields": "visit", "reference": {"resource": "visits", "fields": "visit"}}],
                    "fields": [{"name": "visit", "type": "integer"},
                               {"name": "dose", "type": "number", "constraints":
                                   {"minimum": 0, "maximum": 10, "required": True}, "semblance": {"decimals": 1}}],
                    "semblance": {"max_rows_per_unit": 6}}},
    ]
}  # fmt: skip
TABLES = ["people", "visits", "drugs"]


def write(folder, persons=1500):
    """The tables, and the package beside them."""
    draw = random.Random(3)
    people, visits, drugs = [["id", "town"]], [["visit", "person", "day"]], [["visit", "dose"]]
    for person in range(persons):
        people.append([person, draw.choice(["Ayr", "Ayr", "Bath"])])
        for _ in range(draw.randint(0, 3)):
            visits.append([len(visits), person, f"2025-{draw.randint(1, 12):02d}-{draw.randint(1, 28):02d}"])
            drugs.extend([len(visits) - 1, f"{draw.uniform(0, 10):.1f}"] for _ in range(draw.randint(0, 2)))
    for name, rows in zip(["towns", *TABLES], [[["town"], ["Ayr"], ["Bath"], ["Cork"]], people, visits, drugs]):
        with open(os.path.join(folder, f"{name}.csv"), "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
    path = os.path.join(folder, "datapackage.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(PACKAGE, file)
    return path


class Linked(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name
        self.path = write(self.folder)

    def in_folder(self, name):
        return os.path.join(self.folder, name)

    def files(self):
        return {name: self.in_folder(f"{name}.csv") for name in TABLES}

    def holds(self, drawn, persons):
        self.assertEqual(list(drawn), TABLES)
        self.assertEqual(len(drawn["people"]["id"]), persons)
        for table, key in (("people", "id"), ("visits", "visit")):
            self.assertEqual(len({*drawn[table][key]}), len(drawn[table][key]))
        self.assertLessEqual({*drawn["visits"]["person"]}, {*drawn["people"]["id"]})
        self.assertLessEqual({*drawn["drugs"]["visit"]}, {*drawn["visits"]["visit"]})
        self.assertLessEqual({*drawn["people"]["town"]}, {"Ayr", "Bath", "Cork"})

    def test_a_package_is_fitted_and_drawn_with_keys_that_hold(self):
        fitted = Synthesizer(epsilon=2).fit(self.path)
        self.assertTrue(os.path.exists(self.path + ".ledger"))
        self.assertEqual(fitted.schema_.tables, TABLES)
        self.assertEqual(fitted.schema_.max_rows_per_unit, 10)
        sample = fitted.sample(persons=200, seed=5)
        self.assertEqual((len(sample), sample.tables), (200, TABLES))
        drawn = sample.to_dict()
        self.holds(drawn, 200)
        self.assertEqual(sample.to_dict(), drawn)
        self.assertIn("200 synthetic persons in 3 tables", repr(sample))
        self.assertGreater(len(fitted.sample(seed=1)), 1000)
        # As the program writes them, and from a model that was kept.
        sample.to_csv(self.in_folder("out"))
        with open(self.in_folder("out/visits.csv"), encoding="utf-8") as file:
            rows = [*csv.DictReader(file)]
        self.assertEqual([row["person"] for row in rows], drawn["visits"]["person"])
        self.assertEqual([row["day"] for row in rows], [str(day) for day in drawn["visits"]["day"]])
        fitted.save(self.in_folder("model"))
        for other in (Synthesizer.load(self.in_folder("model")), pickle.loads(pickle.dumps(fitted))):
            self.assertEqual(other.sample(persons=200, seed=5).to_dict(), drawn)

    def test_a_package_is_drafted_from_tables(self):
        """Files and what is in memory, by their names; numbers from 0 on are among the keys of any longer table."""
        loaded = {name: self.in_folder(f"{name}.csv") for name in ["towns", *TABLES]}
        with self.assertWarnsRegex(semblance.NotPrivateWarning, "NOT PRIVATE until"):
            drafted = semblance.Schema.inspect(loaded)
        self.assertEqual(drafted.tables, TABLES)
        said = "\n".join(drafted.notes)
        self.assertIn("people: the table of persons", said)
        self.assertIn("visits.person refers to people.id: every row holds one of its keys; a person has up to 3 rows", said)
        self.assertIn("drugs.visit refers to visits.visit", said)
        self.assertRegex("\n".join(drafted.proposals), "(?m)^public: towns: a list of 3 rows, and people.town names one")
        accepted = drafted.accept("all")
        self.assertEqual(accepted.proposals, ())
        fitted = Synthesizer(epsilon=2, schema=accepted).fit(self.files())
        self.assertEqual(fitted.sample(persons=50, seed=5).tables, TABLES)
        loaded["drugs"] = self.in_folder("towns.csv")
        with self.assertRaisesRegex(InputError, "have the same columns"):
            semblance.Schema.inspect(loaded)

    def test_a_package_stays_in_its_folder_and_its_tables_have_its_ledger(self):
        os.rename(self.in_folder("visits.csv"), self.in_folder("elsewhere.csv"))
        os.mkdir(self.in_folder("package"))
        for name in ("people.csv", "drugs.csv", "towns.csv", "datapackage.json"):
            os.rename(self.in_folder(name), self.in_folder("package/" + name))
        path = self.in_folder("package/datapackage.json")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace('"visits.csv"', '"../elsewhere.csv"'))
        with self.assertRaisesRegex(semblance.InputError, "is outside the folder of the package.*allow_outside=True"):
            Synthesizer(epsilon=2).fit(path)
        self.assertFalse(os.path.exists(path + ".ledger"))
        Synthesizer(epsilon=2).fit(path, allow_outside=True)
        semblance.Ledger(path + ".ledger").limit(2.1)
        # Another package of the same tables, and the tables without one, are charged to the same ledger.
        other = self.in_folder("package/other.json")
        with open(path, encoding="utf-8") as file, open(other, "w", encoding="utf-8") as copy:
            copy.write(file.read())
        with self.assertRaisesRegex(semblance.BudgetError, "datapackage.json.ledger.*would still fit"):
            Synthesizer(epsilon=2).fit(other, allow_outside=True)
        files = {"people": self.in_folder("package/people.csv"), "drugs": self.in_folder("package/drugs.csv"), "visits": self.in_folder("elsewhere.csv")}
        with self.assertRaisesRegex(semblance.BudgetError, "datapackage.json.ledger"):
            Synthesizer(epsilon=2, schema=path).fit(files)

    def test_a_dict_of_tables_is_fitted_by_a_package(self):
        ledger = self.in_folder("l")
        by_file = Synthesizer(epsilon=2, schema=self.path, ledger=ledger).fit(self.files())
        self.holds(by_file.sample(persons=50).to_dict(), 50)
        listed = json.loads(json.dumps(PACKAGE))
        listed["resources"][1]["schema"]["fields"][1]["constraints"]["enum"] = ["Ayr", "Bath", "Cork"]
        by_dict = Synthesizer(epsilon=2, schema=listed, ledger=ledger).fit(self.files())
        self.holds(by_dict.sample(persons=50).to_dict(), 50)
        self.assertEqual(by_dict.schema_.tables, by_file.schema_.tables)

    def test_keys_of_a_public_table_come_with_it(self):
        tables = {**self.files(), "towns": {"town": ["Ayr", "Bath", "Cork"]}}
        fitted = Synthesizer(epsilon=2, schema=PACKAGE, ledger=self.in_folder("l")).fit(tables)
        self.holds(fitted.sample(persons=50).to_dict(), 50)
        with self.assertRaisesRegex(SchemaError, "people.town.*towns"):
            Synthesizer(epsilon=2, schema=PACKAGE).fit(self.files())
        with self.assertRaisesRegex(OptionError, "must be a frame with its key"):
            Synthesizer(epsilon=2, schema=PACKAGE).fit({**tables, "towns": {"name": []}})

    def test_a_plan_is_of_persons(self):
        plan = Synthesizer(epsilon=1, schema=self.path).plan(1500)
        self.assertIn("'drugs' refers to 'visits'", plan)

    def test_what_is_wrong_is_said(self):
        fitted = Synthesizer(epsilon=2, ledger=self.in_folder("l")).fit(self.path)
        with self.assertRaisesRegex(OptionError, "pass persons="):
            fitted.sample(5)
        with self.assertRaisesRegex(OptionError, "cannot be drawn by conditions"):
            fitted.sample(where={"people.town": "Ayr"}).to_dict()
        with self.assertRaisesRegex(OptionError, "there is no table 'drugs'"):
            Synthesizer(epsilon=2, schema=self.path).fit({name: self.files()[name] for name in TABLES[:2]})
        with self.assertRaisesRegex(OptionError, "histories"):
            Synthesizer(epsilon=2, method="pairs").fit(self.path)

        class Fails:
            def __arrow_c_stream__(self, requested_schema=None):
                raise KeyError("of the frame")

        with self.assertRaisesRegex(InputError, "cannot give it as Arrow"):
            Synthesizer(epsilon=2, schema=self.path, ledger=self.in_folder("l")).fit({**self.files(), "drugs": Fails()})
        os.remove(self.in_folder("visits.csv"))
        with self.assertRaisesRegex(OSError, "table 'visits'"):
            Synthesizer(epsilon=2).fit(self.path)


if __name__ == "__main__":
    unittest.main()
