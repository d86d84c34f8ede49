#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines of the documents that people read in a terminal stay under 160 characters.

    lines_test.py ROOT

Rows of tables, lines that are one link or picture, and what is generated (bench/RESULTS.md) do not count.
"""
import re
import sys
from pathlib import Path

MOST = 160
root = Path(sys.argv[1])
pages = [*root.glob("*.md"), *(root / "docs").rglob("*.md")]
long = [f"{page.relative_to(root)}:{number}: {len(line)} characters"
        for page in sorted(pages) if page.name != "CHANGELOG.md"
        for number, line in enumerate(page.read_text().splitlines(), 1)
        if len(line) >= MOST and not line.startswith("|") and not re.fullmatch(r"\s*!?\[.*\]\(\S*\)", line)]
print("\n".join(long) or f"{len(pages)} pages")
sys.exit(bool(long))
