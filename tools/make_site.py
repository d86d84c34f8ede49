#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documents as a static site, from the same Markdown files: one stylesheet, no script, no network.

    make_site.py ROOT FOLDER

Begins at README.md and follows links. Pages become HTML at the same path, other files that they link or show are copied, so that
every link stays inside FOLDER. all.html holds all pages in one, for the search of the browser.
"""
import html
import re
import shutil
import sys
from collections import Counter
from pathlib import Path

STYLE = """\
:root{color-scheme:light dark;--text:#1d2329;--back:#fff;--soft:#f4f5f7;--line:#d6dade;--link:#0b5cad}
@media(prefers-color-scheme:dark){:root{--text:#dfe3e7;--back:#15181c;--soft:#1f242a;--line:#3a4149;--link:#7db8f0}}
body{margin:0 auto;max-width:52rem;padding:0 1rem 4rem;font:1rem/1.55 system-ui,sans-serif;color:var(--text);background:var(--back)}
nav{padding:.8rem 0;border-bottom:1px solid var(--line)}nav a{margin-right:1.2rem}
a{color:var(--link)}h1,h2,h3,h4{line-height:1.25;margin:2rem 0 .6rem}img{max-width:100%;height:auto;background:#fff}
code,pre{font:.9em/1.45 ui-monospace,monospace;background:var(--soft)}code{padding:.1em .25em}
pre{padding:.8rem;overflow-x:auto;border:1px solid var(--line)}pre code{padding:0}
.wide{overflow-x:auto}table{border-collapse:collapse}th,td{border:1px solid var(--line);padding:.35rem .6rem;text-align:left;vertical-align:top}
"""
ITEM = re.compile(r"( *)([-*]|\d+\.) +(.*)")


class Page:
    """One Markdown file. `wanted` collects the files that it links."""

    def __init__(self, root, path):
        self.root, self.path, self.seen, self.wanted = root, path, Counter(), set()
        text = re.sub(r"^<!--.*?-->\n?", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
        self.title = re.search(r"^# (.*)$", text, flags=re.M).group(1)
        self.body = self.blocks(text.splitlines())

    def anchor(self, heading):
        """As GitHub makes them: small letters, no marks, hyphens for blanks, a number where one comes again."""
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")
        self.seen[name] += 1
        return name if self.seen[name] == 1 else f"{name}-{self.seen[name] - 1}"

    def target(self, link):
        path, mark, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link) or not path:
            return link
        self.wanted.add((self.path.parent / path).resolve())
        return (path[:-3] + ".html" if path.endswith(".md") else path) + mark + anchor

    def inline(self, text):
        kept = []

        def keep(made):
            kept.append(made)
            return f"\0{len(kept) - 1}\0"

        def link(match):
            shown, target = match.group(2), html.escape(self.target(match.group(3)))
            if match.group(1):
                return keep(f'<img src="{target}" alt="{html.escape(shown)}">')
            return keep(f'<a href="{target}">') + shown + keep("</a>")

        text = re.sub(r"(`+)(.+?)\1", lambda m: keep(f"<code>{html.escape(m.group(2).strip().replace(chr(92) + '|', '|'))}</code>"), text, flags=re.S)
        text = re.sub(r"\\([\\|*_\[\]])", lambda m: keep(html.escape(m.group(1))), text)
        text = re.sub(r"(!?)\[([^]]*)\]\(([^)\s]+)\)", link, text)
        text = html.escape(text, quote=False)
        text = re.sub(r"\*\*(?=\S)(.+?)(?<=\S)\*\*", r"<strong>\1</strong>", text, flags=re.S)
        text = re.sub(r"(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=\S)\*(?![\w*])", r"<em>\1</em>", text)
        while "\0" in text:
            text = re.sub(r"\0(\d+)\0", lambda m: kept[int(m.group(1))], text)
        return text

    def table(self, lines):
        rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in lines]
        cells = lambda row, tag: "<tr>" + "".join(f"<{tag}>{self.inline(cell)}</{tag}>" for cell in row) + "</tr>\n"
        return ('<div class="wide"><table>\n' + cells(rows[0], "th") + "".join(cells(row, "td") for row in rows[2:]) + "</table></div>\n")

    def items(self, lines):
        """A list from its lines: what is further in than a marker belongs to its item."""
        indent, marker, _ = ITEM.match(lines[0]).groups()
        found = []
        for line in lines:
            match = ITEM.match(line)
            if match and len(match.group(1)) == len(indent):
                found.append([match.group(3)])
            else:
                found[-1].append(re.sub(rf"^ {{1,{len(indent) + len(marker) + 1}}}", "", line))
        tag = "ol" if marker[0].isdigit() else "ul"
        made = "".join(f"<li>{self.blocks(item, tight=True)}</li>\n" for item in found).replace("[ ] ", "&#9744; ")
        return f"<{tag}>\n{made}</{tag}>\n"

    def blocks(self, lines, tight=False):
        made, at = [], 0

        def until(stop):
            nonlocal at
            start = at
            while at < len(lines) and not stop(lines[at]):
                at += 1
            return lines[start:at]

        while at < len(lines):
            line = lines[at]
            if not line.strip():
                at += 1
            elif line.startswith("```"):
                at += 1
                made.append(f"<pre><code>{html.escape(chr(10).join(until(lambda s: s.startswith('```'))))}</code></pre>\n")
                at += 1
            elif heading := re.match(r"(#+) (.*)", line):
                level, words = len(heading.group(1)), heading.group(2)
                made.append(f'<h{level} id="{self.anchor(words)}">{self.inline(words)}</h{level}>\n')
                at += 1
            elif line.startswith("|"):
                made.append(self.table(until(lambda s: not s.startswith("|"))))
            elif ITEM.match(line):
                start = at
                while at < len(lines) and (ITEM.match(lines[at]) or (lines[at].strip() and not re.match(r"#|```|\|", lines[at])) or
                                           (at + 1 < len(lines) and not lines[at].strip() and re.match(r"  ", lines[at + 1]))):
                    at += 1
                made.append(self.items(lines[start:at]))
            elif line.startswith("    "):
                code = until(lambda s: s.strip() and not s.startswith("    "))
                made.append(f"<pre><code>{html.escape(chr(10).join(s[4:] for s in code).rstrip())}</code></pre>\n")
            else:
                at += 1
                rest = until(lambda s: not s.strip() or re.match(r"#+ |```|\||( *)([-*]|1\.) +", s))
                words = self.inline("\n".join([line, *rest]))
                made.append(words if tight and not made else f"<p>{words}</p>\n")
        return "".join(made)

    def place(self):
        return self.path.relative_to(self.root).with_suffix(".html")


def wrapped(title, body, up):
    return (f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">\n'
            f'<title>{html.escape(re.sub(r"[`*]", "", title))}</title>\n<link rel="stylesheet" href="{up}style.css"></head>\n<body>\n'
            f'<nav><a href="{up}README.html">Semblance</a><a href="{up}docs/README.html">Documents</a>'
            f'<a href="{up}all.html">All in one page</a></nav>\n<main>\n{body}</main>\n</body>\n</html>\n')


def collect(root):
    """Pages that README.md leads to, in that order, and the other files that they name."""
    pages, files, queue = {}, set(), [root / "README.md"]
    while queue:
        path = queue.pop(0)
        if path in pages:
            continue
        pages[path] = Page(root, path)
        for wanted in sorted(pages[path].wanted):
            if not wanted.is_file() or root not in wanted.parents:
                sys.exit(f"make_site: {path.relative_to(root)} links {wanted}, which is not a file of the project")
            if wanted.suffix == ".md":
                queue.append(wanted)
            else:
                files.add(wanted)
    return list(pages.values()), files


def main(root, folder):
    root, folder = Path(root).resolve(), Path(folder)
    pages, files = collect(root)
    if folder.exists():
        shutil.rmtree(folder)
    for page in pages:
        place = folder / page.place()
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(wrapped(page.title, page.body, "../" * (len(page.place().parts) - 1)), encoding="utf-8")
    for file in files:
        place = folder / file.relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
    (folder / "style.css").write_text(STYLE, encoding="utf-8")
    (folder / "all.html").write_text(wrapped("All documents", all_in_one(pages), ""), encoding="utf-8")
    print(f"{folder}/README.html: {len(pages)} pages")


def all_in_one(pages):
    """Every page below the other. Anchors carry the page's name; links lead to the pages, pictures are found from the root."""
    parts = []
    for page in pages:
        up = page.place().parent.as_posix()
        body = re.sub(r' id="([^"]*)"', "", page.body)
        body = re.sub(r'(href|src)="(?![a-z]+:|#)([^"]*)"', lambda m: f'{m.group(1)}="{up}/{m.group(2)}"', body)
        body = body.replace('href="#', f'href="{page.place().as_posix()}#')
        parts.append(f'<p><a href="{page.place().as_posix()}">{page.place().with_suffix(".md").as_posix()}</a></p>\n{body}<hr>\n')
    return "".join(parts)


if __name__ == "__main__":
    main(*sys.argv[1:])
