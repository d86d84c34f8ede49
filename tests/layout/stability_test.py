#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each public header says whether it is stable, and docs/C.md calls the same headers experimental: stability_test.py ROOT."""
import re
import sys
from pathlib import Path

ROOT = Path(sys.argv[1])
LICENCE = r"^/\* SPDX-[^\n]*\n"
MARK = re.compile(r"Stability: (stable|experimental: it may change in any version) \(docs/C\.md\)\. \*/")


def main():
    page = (ROOT / "docs/C.md").read_text()
    headers = sorted((ROOT / "include/semblance").glob("*.h*"))
    problems = [] if len(headers) > 15 else ["no headers found: the test itself is broken"]
    for header in headers:
        name = header.name.removesuffix(".in")
        head = re.sub(LICENCE, "", header.read_text()).split("*/", 1)[0] + "*/"
        mark = MARK.search(head)
        if mark is None:
            problems.append(f"{header.name}: its first comment does not end with 'Stability: stable (docs/C.md). */' or the line of ask.h")
            continue
        rows = [line for line in page.splitlines() if line.startswith("|") and f"[{name}]" in line]
        said = any(re.search(rf"\[{re.escape(name)}\]\([^)]*\) \(experimental\)", row) for row in rows)
        if mark.group(1).startswith("experimental") != said:
            problems.append(f"docs/C.md: {name} is{' not' if not said else ''} called experimental, and the header says otherwise")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
