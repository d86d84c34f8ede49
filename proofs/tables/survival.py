#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The thresholds of keys, each against 200 digits (docs/mechanisms/discover.md).

    survival.py [FOLDER]     of src/public/account/survival.c; last line: how many facts hold of how many

Z(bits) must make P[N >= Z] at most 2^-bits for the discrete Gaussian N of scale s = 2^56. The bridge lemma's first half bounds that
probability by e^(1 / (24 s^2)) Q((Z - 1/2) / s), and the comparison is made with this bound.
"""
import os
import re
import sys

import mpmath
from mpmath import mpf

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else ROOT
    path = os.path.join(folder, "src/public/account/survival.c")
    with open(path if os.path.exists(path) else os.path.join(ROOT, "src/public/account/survival.c"), encoding="ascii") as file:
        margins = [int(number) for number in re.findall(r"UINT64_C\((\d+)\)", file.read())]
    mpmath.mp.dps = 200
    scale = mpf(2) ** 56
    excess = mpmath.exp(1 / (24 * scale**2))
    facts = [len(margins) == 87]
    for bits, margin in zip(range(10, 97), margins):
        tail = mpmath.erfc((margin - mpf(1) / 2) / scale / mpmath.sqrt(2)) / 2
        facts.append(excess * tail <= mpf(2) ** -bits)
        if not facts[-1]:
            print(f"Z({bits}) is too small")
    facts += [False] * (88 - len(facts))
    print(f"{sum(facts)} of {len(facts)}")
    return 0 if all(facts) else 1


if __name__ == "__main__":
    sys.exit(main())
