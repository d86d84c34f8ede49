#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print line and branch coverage by folder from gcovr's JSON; exit 1 when a named folder is under 100 %.

    coverage_table.py COVERAGE.json FOLDER...
"""
import json
import sys


def main(path, folders):
    with open(path, encoding="utf-8") as stream:
        files = json.load(stream)["files"]
    gaps = []
    complete = True
    print(f"{'folder':<24}{'lines':>18}{'branches':>18}")
    for folder in folders:
        lines = branches = lines_hit = branches_hit = 0
        for file in files:
            name = file.get("file") or file.get("filename")
            if f"src/{folder}/" not in name:
                continue
            for line in file["lines"]:
                if line.get("gcovr/noncode") or line.get("gcovr/excluded"):
                    continue
                lines += 1
                lines_hit += line["count"] > 0
                taken = [branch["count"] > 0 for branch in line.get("branches", [])]
                branches += len(taken)
                branches_hit += sum(taken)
                if line["count"] == 0:
                    gaps.append(f"{name}:{line['line_number']}: never runs")
                elif not all(taken):
                    gaps.append(f"{name}:{line['line_number']}: {taken.count(False)} of {len(taken)} branches never taken")
        print(f"src/{folder:<20}{share(lines_hit, lines):>18}{share(branches_hit, branches):>18}")
        complete = complete and lines > 0 and lines == lines_hit and branches == branches_hit
    for gap in gaps:
        print(gap)
    if not complete:
        print("coverage: under 100 %")
    return 0 if complete else 1


def share(hit, total):
    # Rounded down: 100.0 % means all of them.
    percent = int(1000 * hit / total) / 10 if total else 0.0
    return f"{hit}/{total} {percent:5.1f} %"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
