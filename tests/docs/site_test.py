#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The static site of the documents is whole: every link and picture of every page is a file of it, every anchor is there, every page of docs/ has
one, and nothing is fetched from elsewhere.

    site_test.py ROOT
"""
import re
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path

VOID = {"meta", "link", "img", "hr"}


class Facts(HTMLParser):
    """Links and anchors of one page, elements that do not close, and Markdown that is left."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.anchors, self.open, self.wrong, self.left = [], [], [], [], [], []
        self.feed(path.read_text(encoding="utf-8"))
        self.wrong += self.open

    def handle_starttag(self, tag, attrs):
        facts = dict(attrs)
        if tag not in VOID:
            self.open.append(tag)
        if "id" in facts:
            self.anchors.append(facts["id"])
        if tag == "a":
            self.links.append(facts["href"])
        elif "href" in facts or "src" in facts:
            self.loads.append(facts.get("href") or facts["src"])

    def handle_data(self, data):
        if "code" not in self.open:
            self.left += re.findall(r"\]\(|\|---|```|\*\*", data)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"/{tag}")


def problems(root, folder):
    known = {path: Facts(path) for path in sorted(folder.rglob("*.html"))}
    count = 0
    for path, facts in known.items():
        where = path.relative_to(folder)
        yield from (f"{where}: <{tag}> does not match" for tag in facts.wrong)
        yield from (f"{where}: Markdown is left: {left!r}" for left in facts.left)
        yield from (f"{where}: loads {load} from elsewhere" for load in facts.loads if ":" in load)
        if len(facts.anchors) != len(set(facts.anchors)):
            yield f"{where}: two anchors with one name"
        for link in [*facts.links, *facts.loads]:
            name, _, anchor = link.partition("#")
            if ":" in name:
                continue
            count += 1
            target = (path.parent / name).resolve() if name else path
            if not target.is_file():
                yield f"{where}: {link} is not there"
            elif anchor and anchor not in known[target].anchors:
                yield f"{where}: {link} has no such anchor"
    for page in (root / "docs").rglob("*.md"):
        if not (folder / page.relative_to(root).with_suffix(".html")).is_file():
            yield f"{page.relative_to(root)}: not in the site"
    if count < 500:
        yield f"{count} links were found: the test itself is broken"


def main(root):
    root = Path(root).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve() / "site"
        subprocess.run([sys.executable, root / "tools/make_site.py", root, folder], check=True)
        found = list(problems(root, folder))
    print("\n".join(found) or "every link leads somewhere")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
