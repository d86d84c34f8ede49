#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of the constant-flow sampler, entry by entry against 200 digits (docs/mechanisms/noise.md).

    cdt.py [FOLDER]     of src/door/noise/cdt_table.c; last line: how many facts hold of how many

Entry i is round(2^128 P(|X| <= i)) - 1 for the discrete Gaussian X of scale s0 = 2^56 / sqrt(sum_{i < 11} 1024^i). The sum over all
integers is cut where what is left is below e^-20000. This shares no code with tools/make_cdt_table.py, which makes the table.
"""
import os
import re
import sys

import mpmath
from mpmath import mpf

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else ROOT
    path = os.path.join(folder, "src/door/noise/cdt_table.c")
    with open(path if os.path.exists(path) else os.path.join(ROOT, "src/door/noise/cdt_table.c"), encoding="ascii") as file:
        found = [int(high, 16) << 64 | int(low, 16) for high, low in re.findall(r"\{0x([0-9a-f]{16}), 0x([0-9a-f]{16})\}", file.read())]
    mpmath.mp.dps = 200
    # sum_{i < 11} 1024^i = (1024^11 - 1) / 1023
    variance = mpf(2) ** 112 * 1023 / (mpf(1024) ** 11 - 1)
    last = int(mpmath.sqrt(2 * variance * 20000)) + 1
    weight = [mpmath.exp(-mpf(j) * j / (2 * variance)) for j in range(last)]
    total = weight[0] + 2 * mpmath.fsum(weight[1:])
    within, expected = mpf(0), []
    for j in range(870):
        within += weight[j] * (1 if j == 0 else 2)
        expected.append(int(mpmath.floor(within / total * mpf(2) ** 128 + mpf(1) / 2)) - 1)
    facts = [len(found) == 870] + [a == b for a, b in zip(found, expected)]
    facts += [a <= b for a, b in zip(found, found[1:])] + [bool(found) and found[-1] == 2**128 - 1]
    facts += [False] * (1 + 870 + 869 + 1 - len(facts))
    for i, fact in enumerate(facts):
        if not fact:
            print(f"fact {i} fails")
    print(f"{sum(facts)} of {len(facts)}")
    return 0 if all(facts) else 1


if __name__ == "__main__":
    sys.exit(main())
