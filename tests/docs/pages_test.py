#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pages of docs/ say in their first lines who they are for, and those that newcomers read first have none of the turns of phrase that
a native reader stumbles over. In everything else that people read (code with its messages, help and comments, headers, the page, Python,
all pages) there may be only a few of them: the number may fall and must not rise.

    pages_test.py ROOT
"""
import re
import sys
from pathlib import Path

# docs/README.md and docs/decisions/README.md say who they are for.
OTHERS = re.compile(r"PYTHON\.md|\d{4}-[\w-]+\.md")
READERS = re.compile(r"\b[Tt]h(is page is|ese pages are) for\b")
FIRST = ("README.md", *(f"docs/{name}.md" for name in ("README", "TUTORIAL", "PRIVACY", "LEGAL", "INSTALL", "METHODS", "C", "SCHEMA")))
TURNS = re.compile(r"\b(is|are) no\b|\b(so|that) many (?!as\b)|\bhangs? on\b|\b(who|some|any|no)body\b|\bwhoever\b|\bstands? (in|at|beside|once|for)\b|"
                   r"^Of (a|an|images|tables|persons|histories|pairs)\b|\bcome to be\b|\bin (the )?place of\b|\bis (had|heard|told)\b|\bat once\b|"
                   r"\bwhose word\b|\bgo(es)? (on with|by)\b|\bwho owns\b", re.I | re.M)

# The same list for code, where "there is no" is common and fine.
CODE_TURNS = re.compile(r"(?<!there )\b(is|are) no\b|\bso many\b|\bhangs? on\b|\b(some|no)body\b(?!\w)|\bwhoever\b|\bstands? (in|at|beside|once)\b|"
                        r"\bcome to be\b|\bin (the )?place of\b|\bis heard\b", re.I)
CODE = ("src", "cli", "serve", "plugins", "include", "python", "docs")
MOST_IN_CODE = 85

root = Path(sys.argv[1])
found = []
pages = sorted((root / "docs").rglob("*.md"))
for page in pages:
    if not OTHERS.fullmatch(page.name) and not READERS.search(" ".join(page.read_text().splitlines()[1:10])):
        found.append(f"{page.relative_to(root)}: does not say in its first lines who it is for")
for name in FIRST:
    prose = re.sub(r"^```.*?^```$", lambda block: "\n" * block.group(0).count("\n"), (root / name).read_text(), flags=re.M | re.S)
    for turn in TURNS.finditer(prose):
        found.append(f"{name}:{prose.count(chr(10), 0, turn.start()) + 1}: '{turn.group(0)}'")
texts = [path for folder in CODE for path in (root / folder).rglob("*") if path.suffix in (".c", ".h", ".js", ".html", ".py", ".pyi", ".md")]
in_code = {path.relative_to(root): len(CODE_TURNS.findall(path.read_text())) for path in texts}
if sum(in_code.values()) > MOST_IN_CODE:
    worst = sorted(in_code, key=in_code.get, reverse=True)[:8]
    found.append(f"{sum(in_code.values())} turns of phrase, more than {MOST_IN_CODE}; most in {', '.join(map(str, worst))}")
print("\n".join(found) or f"{len(pages)} pages, {sum(in_code.values())} turns of phrase in all")
sys.exit(bool(found))
