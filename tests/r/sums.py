# SPDX-License-Identifier: Apache-2.0
"""Opens the parts that sums.R wrote: all of the whole table are equal, and those of its pieces add up.

    sums.py EXACT_SUMS PLAN PART...
"""
import pathlib
import sys

import numpy

source, plan, *parts = sys.argv[1:]
# Only what opens a part: the rest needs the Python package.
text = pathlib.Path(source).read_text().split("class Sums:")[0]
names = {}
exec("\n".join(line for line in text.splitlines() if not line.startswith("from semblance")), names)
public, key = (pathlib.Path(plan + end).read_bytes() for end in ("", ".key"))
sums = [names["opened"](pathlib.Path(part).read_bytes(), public, key) for part in sorted(parts)]
assert len(sums) == 6 and sums[0][0] == 500, "six parts, the first of 500 rows"
for part, other in zip(sorted(parts)[1:4], sums[1:4]):
    assert (other == sums[0]).all(), f"{part} differs from the CSV file in {numpy.flatnonzero(other != sums[0])[:5]}"
assert (sums[4] + sums[5] == sums[0]).all(), "the sums of a record and of the others do not add up"
