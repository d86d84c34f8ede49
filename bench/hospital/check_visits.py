#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rules of run.sh's table of visits, written out by hand: nothing of the program is used.

    check_visits.py SYNTHETIC.csv REAL.csv K

Prints the share of rows that hold each rule, and what the ids look like; exit status 1 where a row breaks one, an id of
REAL.csv is among those of SYNTHETIC.csv, or a patient has more than K rows, or rows apart from each other."""
import csv
import datetime
import re
import sys


def read(path):
    with open(path, encoding="windows-1252", newline="") as file:
        lines = (line for line in file if not line.startswith("#"))
        return list(csv.DictReader(lines, delimiter=";"))


def moment(text):
    return datetime.datetime.strptime(text, "%d.%m.%Y %H:%M") if text else None


def number(text):
    return float(text.replace(".", "").replace(",", ".")) if text not in ("", "NA") else None


def ordered(low, high, strict=False):
    """What hangs on a missing value holds."""
    return low is None or high is None or (low < high if strict else low <= high)


RULES = {
    "admission <= discharge": lambda r: ordered(moment(r["admission"]), moment(r["discharge"])),
    "diastolic < systolic": lambda r: ordered(number(r["diastolic"]), number(r["systolic"]), True),
    "hours_ventilated <= hours_icu": lambda r: ordered(number(r["hours_ventilated"]), number(r["hours_icu"])),
    "if ward = maternity then sex = w": lambda r: r["ward"] != "maternity" or r["sex"] == "w",
}


def runs_of(rows):
    """(patient, name, rows) for rows that follow each other."""
    runs = []
    for row in rows:
        if runs and runs[-1][0] == row["patient_id"]:
            runs[-1][2] += 1
            if runs[-1][1] != row["name"]:
                runs[-1][2] = 10**9
        else:
            runs.append([row["patient_id"], row["name"], 1])
    return runs


def main():
    rows, real, most = read(sys.argv[1]), read(sys.argv[2]), int(sys.argv[3])
    faults = 0
    for rule, holds in RULES.items():
        shares = [sum(map(holds, table)) / len(table) for table in (rows, real)]
        print(f"{100 * shares[0]:7.2f} % of the synthetic rows, {100 * shares[1]:6.2f} % of the real ones: {rule}")
        faults += shares[0] < 1
    runs = runs_of(rows)
    ids = {run[0] for run in runs}
    faults += len(ids) != len(runs) or max(run[2] for run in runs) > most
    faults += not all(re.fullmatch("P-[0-9]{6}", name) for name in ids) or bool(ids & {row["patient_id"] for row in real})
    faults += len({row["visit_id"] for row in rows}) != len(rows) or bool({row["name"] for row in rows} & {row["name"] for row in real})
    print(f"{len(rows)} visits of {len(ids)} patients, at most {max(run[2] for run in runs)} each; "
          f"of the real table {len(real)} of {len({row['patient_id'] for row in real})}")
    print("NOT PRIVATE: this compares the synthetic with the real table")
    sys.exit("a rule, an id or a number of visits is wrong" if faults else 0)


main()
