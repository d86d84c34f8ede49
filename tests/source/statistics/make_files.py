# SPDX-License-Identifier: Apache-2.0
"""Makes the files of SPSS, Stata and SAS that test_statistics.c reads, and the same table as CSV. Run by hand, with pyreadstat:

    python3 make_files.py tests/source/statistics
"""
import datetime
import random
import sys

import pandas
import pyreadstat

folder = sys.argv[1]
draw = random.Random(1)
rows = 60
sex = [draw.choice([1.0, 2.0, 2.0, 9.0, None]) for _ in range(rows)]
age = [draw.choice([draw.randint(18, 90), draw.randint(18, 90), 999]) for _ in range(rows)]
town = [draw.choice(["Ayr", "B\u00e4th", "Cork", ""]) for _ in range(rows)]
day = [datetime.date(2000, 1, 1) + datetime.timedelta(days=draw.randint(0, 5000)) for _ in range(rows)]
at = [datetime.datetime(2020, 2, 3, 4, 5, 6) + datetime.timedelta(seconds=draw.randint(0, 10**6)) for _ in range(rows)]
weight = [round(draw.gauss(50, 10), 2) for _ in range(rows)]
frame = pandas.DataFrame({"sex": sex, "age": age, "town": town, "day": day, "at": at, "weight": weight})
words = {"sex": {1.0: "male", 2.0: "female", 9.0: "refused"}}
titles = ["Sex of the respondent", "Age", "Town", "Day", "Moment", "Weight"]
labels = {"column_labels": titles, "variable_value_labels": words}
missing = {"age": [999], "sex": [9]}
pyreadstat.write_sav(frame, f"{folder}/people.sav", missing_ranges=missing, **labels)
pyreadstat.write_sav(frame, f"{folder}/rows.sav", missing_ranges=missing, row_compress=True, **labels)
pyreadstat.write_sav(frame, f"{folder}/people.zsav", missing_ranges=missing, compress=True, **labels)
pyreadstat.write_dta(frame, f"{folder}/people.dta", **labels)
pyreadstat.write_xport(frame, f"{folder}/people.xpt", column_labels=titles)
table = frame.copy()
table["sex"] = [words["sex"].get(code, "") for code in sex]
table["at"] = [moment.isoformat() for moment in at]
table.to_csv(f"{folder}/people.csv", index=False)
