# SPDX-License-Identifier: Apache-2.0
"""Reading schema and table: kinds, missing values, cells outside the domain, discretised arrays."""
import json
import os
import tempfile
import unittest

import support

support.need("numpy", "pandas")
import numpy

import npy_table
import tables

SCHEMA = {
    "fields": [
        {"name": "id", "type": "string", "semblance": {"role": "ignore"}},
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 100}},
        {"name": "town", "type": "string", "constraints": {"enum": ["b", "a", "NA"], "required": True},
         "semblance": {"other": "a"}},
        {"name": "well", "type": "boolean"},
        {"name": "day", "type": "date", "constraints": {"minimum": "1970-01-01", "maximum": "2000-01-01"}},
        {"name": "out", "type": "string", "constraints": {"enum": ["no", "yes"], "required": True}},
    ],
    "missingValues": ["", "?"],
    "semblance": {"label": "out", "task": "classification"},
}


class Tables(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def read(self, text):
        schema = tables.read_schema(self.path("schema.json", json.dumps(SCHEMA)))
        return tables.read_table(self.path("t.csv", text), schema)

    def test_each_kind_is_read_in_schema_order_whatever_the_file_order(self):
        table = self.read("out,town,age,id,well,day\nyes,NA,5,7,true,1970-01-03\nno,b,?,8,,?\n")
        self.assertEqual([c.name for c in table.schema.columns], ["age", "town", "well", "day", "out"])
        age, town, well, day, out = table.values
        self.assertEqual(age[0], 5)
        self.assertTrue(numpy.isnan(age[1]) and numpy.isnan(day[1]))
        self.assertEqual((town.tolist(), well.tolist(), day[0], out.tolist()), ([2, 0], [1, 2], 2, [1, 0]))
        self.assertEqual((table.out_of_domain, table.schema.classes, table.schema.label), (0, 2, 4))

    def test_cells_outside_the_domain_are_clamped_or_bucketed_and_counted(self):
        table = self.read("age,town,well,day,out\n101,c,true,1970-01-01,no\nx,a,maybe,1960-01-01,perhaps\n")
        age, town, well, day, out = table.values
        self.assertEqual((age.tolist(), town.tolist(), well.tolist()), ([100, 50], [1, 1], [1, 0]))
        self.assertEqual((day.tolist(), out.tolist(), table.out_of_domain), ([0, 0], [0, 0], 6))

    def test_absent_column_is_named(self):
        with self.assertRaisesRegex(tables.TableError, "no column 'town'"):
            self.read("age,well,day,out\n1,true,1970-01-01,no\n")

    def test_column_without_bounds_or_categories_is_named(self):
        path = self.path("bad.json", json.dumps({"fields": [{"name": "x", "type": "number"}]}))
        with self.assertRaisesRegex(tables.TableError, "'x'"):
            tables.read_schema(path)

    def test_discretised_array_becomes_categories_from_smallest_to_largest(self):
        array = numpy.array([[17, 0], [19, 1], [17, 1]])
        source = os.path.join(self.folder.name, "codes.npy")
        numpy.save(source, array)
        out = os.path.join(self.folder.name, "codes")
        npy_table.convert(source, out)
        schema = tables.read_schema(os.path.join(out, "schema.json"))
        table = tables.read_table(os.path.join(out, "train.csv"), schema)
        self.assertEqual([c.count for c in schema.columns], [3, 2])  # 18 is in the domain, unseen
        self.assertEqual([v.tolist() for v in table.values], [[0, 2, 0], [0, 1, 1]])
        self.assertEqual((table.out_of_domain, schema.task, schema.label), (0, "none", None))


if __name__ == "__main__":
    support.main()
