# SPDX-License-Identifier: Apache-2.0
"""A data set as other people's packages take it: frames of pandas, and SDV's metadata, both from the public schema."""
import json
import os

import pandas

WORDS = {"integer": "numerical", "number": "numerical", "boolean": "boolean", "date": "datetime", "datetime": "datetime"}


class Set:
    """The public schema of a folder, and its tables as frames."""

    def __init__(self, folder):
        with open(os.path.join(folder, "schema.json"), encoding="utf-8") as file:
            self.schema = json.load(file)
        self.folder = folder
        self.fields = [one for one in self.schema["fields"] if one.get("semblance", {}).get("role") is None]

    def path(self, part):
        return os.path.join(self.folder, f"{part}.csv.gz")

    @property
    def names(self):
        return [one["name"] for one in self.fields]

    @property
    def numbers(self):
        return [one["name"] for one in self.fields if self.word(one) == "numerical"]

    @property
    def label(self):
        return self.schema.get("semblance", {}).get("label")

    @staticmethod
    def word(field):
        """SDV's word for a column. What has categories is categorical, also where they are numbers."""
        return "categorical" if "enum" in field.get("constraints", {}) else WORDS.get(field.get("type"), "categorical")

    def metadata(self):
        """The columns, as sdmetrics takes them."""
        return {"columns": {one["name"]: self.column(one) for one in self.fields}}

    def column(self, field):
        made = {"sdtype": self.word(field)}
        if made["sdtype"] == "datetime":
            made["datetime_format"] = "%Y-%m-%d" if field["type"] == "date" else "%Y-%m-%dT%H:%M:%S"
        return made

    def read(self, path):
        """Categories are texts, numbers are numbers; other columns are left out."""
        texts = {one["name"]: str for one in self.fields if self.word(one) != "numerical"}
        frame = pandas.read_csv(path, dtype=texts, usecols=self.names, keep_default_na=False,
                                na_values=self.schema.get("missingValues", [""]))
        return frame[self.names]

    def without_gaps(self, frame):
        """For attacks that know no missing values: a category of their own, and of a number its lower bound."""
        lowest = {one["name"]: one["constraints"]["minimum"] for one in self.fields if self.word(one) == "numerical"}
        return frame.fillna({name: lowest.get(name, "(missing)") for name in self.names})
