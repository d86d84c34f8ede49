#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the documents link to is there: files of this repository, and the headings that anchors name. Every page of docs/ is linked from another,
and what ARCHITECTURE says of the size of the zones that a privacy reviewer reads is true.

    links_test.py ROOT

Anchors are made of headings as GitHub makes them: small letters, no marks, hyphens for blanks, a number where one comes again.
Comments of the code that name an anchor of a page (docs/X.md#anchor) count, too.
"""
import re
import sys
from collections import Counter
from pathlib import Path

root = Path(sys.argv[1]).resolve()
pages = sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "bench").rglob("*.md"), *(root / "examples").rglob("*.md")])


def outside_code(page):
    return re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)


def anchors(page):
    seen, found = Counter(), set()
    for heading in re.findall(r"^#+ (.*)$", outside_code(page), flags=re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        found.add(f"{name}-{seen[name]}" if seen[name] else name)
        seen[name] += 1
    return found


def links():
    """(file that has it, file that it names, anchor or nothing)"""
    for page in pages:
        for target in re.findall(r"\]\(([^)\s]+)\)", outside_code(page)):
            path, _, anchor = target.partition("#")
            if not re.match(r"[a-z]+:", target):
                yield page, (page.parent / path if path else page).resolve(), anchor
    for folder in ("src", "cli", "include", "python", "examples", "tests"):
        for code in sorted((root / folder).rglob("*.[chp]*")):
            if code.suffix in (".c", ".h", ".py"):
                for path, anchor in re.findall(r"(docs/[\w/-]+\.md)#([\w-]+)", code.read_text()):
                    yield code, root / path, anchor


known = {page: anchors(page) for page in pages}
every = [link for link in links() if link[0] != Path(__file__).resolve()]
broken = [f"{origin.relative_to(root)}: {path.relative_to(root)}{'#' + anchor if anchor else ''}" for origin, path, anchor in every
          if not path.exists() or (anchor and anchor not in known.get(path, ()))]
linked = {path for origin, path, _ in every if origin != path}
broken += [f"{page.relative_to(root)}: no page links to it" for page in pages if root / "docs" in page.parents and page not in linked]


def thousands(*zones):
    return sum(len(code.read_text().splitlines()) for zone in zones for code in (root / "src" / zone).rglob("*.[ch]")) / 1000


stated = re.search(r"about (\d+),000 of (\d+),000 lines", (root / "docs/ARCHITECTURE.md").read_text())
for said, counted in zip(stated.groups(), (thousands("records", "door"), thousands("."))):
    if abs(int(said) - counted) > 0.05 * counted:
        broken.append(f"docs/ARCHITECTURE.md: {said},000 lines, counted {counted:.1f} thousand")
if len(every) < 300:
    broken.append(f"{len(every)} links were found: the test itself is broken")
print("\n".join(broken) or f"{len(every)} links")
sys.exit(bool(broken))
