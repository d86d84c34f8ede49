#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Copies of data set folders whose schema names no label: NAME_unlabelled in the folder OUT.

usage: unlabelled.py DATA OUT NAME...

With a label `marginals` measures every column within each class. Without one it measures each column
once, with all the budget: on small tables this is the harder floor.
"""
import json
import os
import shutil
import sys


def copy(data, out, name):
    folder = os.path.join(out, name + "_unlabelled")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(data, name, "schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    schema.pop("semblance", None)
    with open(os.path.join(folder, "schema.json"), "w", encoding="utf-8") as file:
        json.dump(schema, file, indent=1)
    for table in ("train.csv.gz", "test.csv.gz"):
        shutil.copyfile(os.path.join(data, name, table), os.path.join(folder, table))


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    for name in sys.argv[3:]:
        copy(sys.argv[1], sys.argv[2], name)


if __name__ == "__main__":
    main()
