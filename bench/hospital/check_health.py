#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Are the health figures of a certificate within their noise of the truth? NOT PRIVATE: it says the truth.

    check_health.py CHECKED.txt CERTIFICATE.json ROWS

CHECKED.txt is what `semblance schema check SCHEMA TABLE` said. Exit code 1 where a figure is more than five deviations off."""
import json
import re
import sys

FAULTS = r"(\d+) (unparseable|out of range|unknown category|cell not there|missing though required)"


def main():
    truth = {}
    for line in open(sys.argv[1]):
        name, _, counts = line.rstrip().partition(": ")
        if counts == "all cells good" or re.match(r"\d+ ", counts):
            truth[name] = sum(int(n) for n, _ in re.findall(FAULTS, counts)) / int(sys.argv[3]) * 1e4
    worst = 0.0
    for figure in json.load(open(sys.argv[2]))["health"]:
        true = truth[figure["column"]]
        off = abs(figure["misfits"] - true) / max(figure["deviation"], 1)
        worst = max(worst, off)
        print(f"{figure['column']:18} misfits {figure['misfits'] / 100:6.2f} %, true {true / 100:6.2f} % (NOT PRIVATE), {off:.1f} deviations off")
    if worst > 5:
        sys.exit("a health figure is too far from the truth")


if __name__ == "__main__":
    main()
