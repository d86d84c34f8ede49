#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Man pages of the library from its headers, which say all there is to say: one page a header.

    make_library_pages.py VERSION OUTPUT_FOLDER HEADER...

HEADER.h becomes semblance_HEADER.3: what the header's first comment says, then its declarations, each under the
comment that documents it. Every function of the header also has a page of its own name, which is that page (.so).
semblance.h, which includes them all, becomes semblance.3.
"""
import os
import re
import shutil
import sys

COMMENT = re.compile(r"/\*.*?\*/", re.S)


def plain(comment):
    """The lines of a comment without its stars."""
    text = comment[2:-2]
    lines = [re.sub(r"^ ?\* ?", "", line, count=1).rstrip() for line in text.split("\n")]
    lines[0] = lines[0].strip()
    return lines


def escape(line):
    line = line.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + line if line[:1] in (".", "'") else line


def verbatim(lines):
    return [".nf", *(escape(line) if line else "" for line in lines), ".fi"]


def is_noise(chunk):
    """Guards, includes and extern "C": how the header is read, not what it offers."""
    return all(re.match(r'#(ifndef|define SEMBLANCE_(\w+_)?H|include|ifdef __cplusplus|endif)|extern "C" \{|\}$|$', line)
               for line in chunk)


def blocks(text):
    """Chunks between empty lines, an empty line inside braces or a comment not counting."""
    chunk, depth, comment = [], 0, False
    for line in text.split("\n"):
        if not line.strip() and depth == 0 and not comment:
            if chunk:
                yield chunk
            chunk = []
            continue
        chunk.append(line)
        bare = COMMENT.sub("", line)
        comment = ("/*" in bare and "*/" not in bare) or (comment and "*/" not in line)
        if not line.startswith('extern "C"') and line.strip() != "}":
            depth += bare.count("{") - bare.count("}") if not comment else 0
            depth = max(depth, 0)
    if chunk:
        yield chunk


def functions(text):
    bare = COMMENT.sub(" ", text)
    bare = re.sub(r"^\s*#(?:\\\n|[^\n])*", " ", bare, flags=re.M)
    return [re.findall(r"\w+", declaration.split("(")[0])[-1] for declaration in re.findall(r"SBL_API\b([^;]*);", bare)]


def entry(chunk):
    """A chunk as roff: the comment in front as text, what it documents in the constant font."""
    text = "\n".join(chunk)
    if re.fullmatch(r"/\* ---- .* ---- \*/", text.strip()):
        return [".SS " + escape(text.strip()[8:-8].strip())]
    found = COMMENT.match(text)
    out = [".PP"]
    if found is not None:
        out += verbatim(plain(found.group()))
        text = text[found.end():].lstrip("\n")
    if text.strip():
        out += [".PP", ".RS 4", *verbatim(text.split("\n")), ".RE"]
    return out


def title_of(name):
    return name if name == "semblance" else f"semblance_{name}"


def page(version, name, text):
    first = COMMENT.match(text)
    head = plain(first.group())
    summary = re.split(r"[.:](?:\s|$)", " ".join(head))[0].strip()
    title = title_of(name)
    names = functions(text)
    out = [f'.TH {escape(title.upper())} 3 "" "semblance {version}" "Library Functions"', ".SH NAME",
           escape(", ".join([title, *names])) + " \\- " + escape(summary), ".SH SYNOPSIS", ".nf",
           "#include <semblance.h>" if title == name else f"#include <semblance/{name}.h>", "", "cc ... $(pkg\\-config \\-\\-cflags \\-\\-libs semblance)", ".fi",
           ".SH DESCRIPTION", *verbatim(head)]
    declarations = [chunk for chunk in blocks(text[first.end():]) if not is_noise(chunk)]
    if declarations:
        out.append(".SH DECLARATIONS")
    for chunk in declarations:
        out += entry(chunk)
    return "\n".join(out + [".SH SEE ALSO", ".BR semblance (1)", ""])


def main(version, folder, *headers):
    shutil.rmtree(folder, ignore_errors=True)  # pages of functions that are gone
    os.makedirs(folder)
    for header in headers:
        with open(header, encoding="utf-8") as file:
            text = file.read().removeprefix("/* SPDX-License-Identifier: Apache-2.0 */\n")
        name = os.path.basename(header).split(".")[0]
        written = {f"{title_of(name)}.3": page(version, name, text)}
        for function in functions(text):
            written[f"{function}.3"] = f".so man3/{title_of(name)}.3\n"
        for path, content in written.items():
            with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
                file.write(content)


if __name__ == "__main__":
    main(*sys.argv[1:])
