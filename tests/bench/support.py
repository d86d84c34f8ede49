# SPDX-License-Identifier: Apache-2.0
"""What the bench's tests share: the path, skipping, tables written by hand."""
import gzip
import importlib.util
import json
import os
import sys
import unittest

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BENCH = os.path.join(SOURCE, "bench", "utility")
sys.path.insert(0, BENCH)


def need(*modules):
    """End with the code that ctest reads as skipped where a module is absent."""
    absent = [module for module in modules if importlib.util.find_spec(module) is None]
    if absent:
        print(f"skipped: {', '.join(absent)} not installed")
        sys.exit(77)


def load(name, *path):
    """A script of the source tree under a name of its own."""
    spec = importlib.util.spec_from_file_location(name, os.path.join(SOURCE, *path))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_set(folder, schema, train, test):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "schema.json"), "w", encoding="utf-8") as file:
        json.dump(schema, file)
    for name, text in (("train", train), ("test", test)):
        with gzip.open(os.path.join(folder, f"{name}.csv.gz"), "wt", encoding="utf-8") as file:
            file.write(text)


def main():
    unittest.main(verbosity=1)
