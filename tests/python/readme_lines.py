#!/usr/bin/env python3
"""The Python of the README, on a table of 10,000 rows: readme_lines.py README. Needs pandas."""
import json
import os
import re
import sys
import tempfile

import people


def main(path):
    with open(path, encoding="utf-8") as file:
        (lines,) = re.findall(r"^```python\n(.*?)^```$", file.read(), flags=re.M | re.S)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        people.write("people.csv", 10000)
        with open("people.json", "w", encoding="utf-8") as file:
            json.dump(people.SCHEMA, file)
        names = {}
        exec(compile(lines, path, "exec"), names)  # noqa: S102 - our own page
        assert names["synthetic"].shape == (1000, len(people.NAMES)), names["synthetic"].shape
        assert names["synthesizer"].n_ == 10000
        os.chdir("/")
    print("the lines of the README work")


if __name__ == "__main__":
    main(*sys.argv[1:])
