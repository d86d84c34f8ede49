#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The README is short enough to be read to its end, and its two commands are at the top.

    readme_test.py ROOT
"""
import sys
from pathlib import Path

MOST_LINES, MOST_WORDS = 120, 1200
text = (Path(sys.argv[1]) / "README.md").read_text()
found = []
if len(text.splitlines()) > MOST_LINES:
    found.append(f"{len(text.splitlines())} lines, at most {MOST_LINES}")
if len(text.split()) > MOST_WORDS:
    found.append(f"{len(text.split())} words, at most {MOST_WORDS}")
for command in ("make demo", "make test"):
    if not any(line.startswith(command) for line in text.splitlines()[:12]):
        found.append(f"'{command}' is not in the first 12 lines")
print("\n".join(f"README.md: {line}" for line in found) or f"{len(text.splitlines())} lines, {len(text.split())} words")
sys.exit(bool(found))
