#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check every #include of src/, plugins/, cli/, serve/, python/, examples/ and include/ against the trust zones.

    tools/check_layers.py [ROOT] [--objects BUILD]

The first folder below src/ says what its code may see (docs/ARCHITECTURE.md). ZONES says which zones each may include, ROOMS
narrows that for single folders. Folders must not include each other in a circle. The table of public headers is read from docs/ARCHITECTURE.md. With --objects the undefined symbols of the
compiled folders under BUILD/src are checked too, so that a function declared by hand does not get around the rules. Each violation is one
line `file:line: what`; the exit status is then 1.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

SOURCE_SUFFIXES = {".c", ".h", ".inc", ".def", ".in", ".cu", ".cuh", ".cc", ".cpp", ".hpp", ".pyx", ".pxd"}
TOP_FOLDERS = ("src", "plugins", "cli", "serve", "python", "examples", "include")
EVERYONE = "everyone"

# What each zone may include: zones, or single folders of one.
ZONES = {
    "base": {"base"},
    "public": {"base", "public"},
    "records": {"base", "public", "records"},
    "door": {"base", "public", "records", "door"},
    "after": {"base", "public", "after", "door/release", "door/certificate"},
    "run": {"base", "public", "records", "door", "after", "run"},
    "owner": {"base", "public", "records", "door", "after", "run", "owner"},
}
# Folders that may include less than their zone: post-processing sees two of them, the certificate sees the ledger, so they must not show it a record.
ROOMS = {
    "door/release": {"base", "public", "door/release"},
    "door/ledger": {"base", "public", "door/ledger"},
    "door/certificate": {"base", "public", "door/ledger", "door/certificate"},
}
# Folders that few may include, whatever their zone is.
READERS = {
    "door/noise": {"door/noise", "door/privatise"},  # what is noisy has been paid for
    "base/device": {"base/device", "run/methods"},  # records never reach a device; what is trained after a release may
}
INNER = {"cli": {"cli"}, "serve": {"cli", "serve"}, "python": {"python"}, "examples": {"examples"}}


class TableError(Exception):
    """The table in docs/ARCHITECTURE.md cannot be read."""


def markdown_table(text, first_column, second_column):
    """Rows (left, right) of the one table with these two column heads."""
    head = re.compile(r"^\|\s*%s\s*\|\s*%s\s*\|" % (re.escape(first_column), re.escape(second_column)))
    rows = None
    for line in text.splitlines():
        if head.match(line):
            if rows is not None:
                raise TableError(f"two tables '{first_column} | {second_column}'")
            rows, open_table = [], True
        elif rows is not None and open_table:
            if not line.startswith("|"):
                open_table = False
            elif not re.match(r"^\|[\s:|-]*$", line):
                cells = [cell.strip().replace("`", "") for cell in line.strip().strip("|").split("|")]
                rows.append((cells[0], cells[1] if len(cells) > 1 else ""))
    if not rows:
        raise TableError(f"no table '{first_column} | {second_column}'")
    return rows


def words(cell):
    return [word for word in re.split(r"[\s,]+", cell) if word]


def zone_of(room):
    return room.split("/")[0]


def may(room, other):
    """May code of the folder `room` include the folder `other`?"""
    if other in READERS:
        return room in READERS[other]
    allowed = ROOMS.get(room, ZONES[zone_of(room)])
    return room == other or zone_of(other) in allowed or other in allowed


class Layers:
    """Which folder owns each public header."""

    def __init__(self, root):
        text = (root / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
        self.owner = dict(markdown_table(text, "public header", "owned by"))
        for header, owner in self.owner.items():
            if owner != EVERYONE and zone_of(owner) not in ZONES:
                raise TableError(f"public header '{header}' is owned by '{owner}', which is in no zone")


def room_of(file):
    """The folder of a file of src/: `base` itself, or zone and folder."""
    return "/".join(file.split("/")[1:3]) if file.count("/") > 2 else file.split("/")[1]


def folder_of(file):
    """The folder whose includes must form no circle."""
    return room_of(file) if file.startswith("src/") else file.split("/")[0]


def strip_comments(text):
    """Blank out comments and join continued lines, keeping the number of every line."""
    def blank(match):
        token = match.group(0)
        return token if token[0] in "\"'" else " " + "\x00" * token.count("\x00") + "\n" * token.count("\n")

    text = re.sub(r"\\\r?\n", "\x00", text)  # a continued line is one line; \x00 remembers the break
    text = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)
    return text


DIRECTIVE = re.compile(r"^[\s\x00]*(?:#|%:|\?\?=)[\s\x00]*(?:include|include_next|import|embed)\b[\s\x00]*(.*)$")
CYTHON = re.compile(r"^\s*cdef\s+extern\s+from\s+(.*)$")
TARGET = re.compile(r'^(?:"([^"]+)"|<([^>]+)>)')


def includes_of(path):
    """Pairs (line number, name, quoted) of every #include; name is None when it is computed."""
    found, number = [], 0
    is_cython = path.suffix in {".pyx", ".pxd"}
    text = path.read_text(encoding="utf-8", errors="replace")
    for line in (text if is_cython else strip_comments(text)).split("\n"):
        number += 1
        start, number = number, number + line.count("\x00")
        match = (CYTHON if is_cython else DIRECTIVE).match(line)
        if match:
            target = TARGET.match(match.group(1).replace("\x00", "").strip())
            if target:
                found.append((start, target.group(1) or target.group(2), target.group(1) is not None))
            else:
                found.append((start, None, True))
    return found


class Tree:
    """The files of the project and what each includes."""

    def __init__(self, root, layers):
        self.root, self.layers = root, layers
        self.violations = []
        self.files = {}
        self.arrows = {}  # folder: {folder: the first include, (file, line)}
        for top in TOP_FOLDERS:
            for directory, subdirectories, names in os.walk(root / top):
                subdirectories.sort()
                for name in sorted(names):
                    path = Path(directory) / name
                    if path.suffix in SOURCE_SUFFIXES:
                        self.files[path.relative_to(root).as_posix()] = includes_of(path)

    def report(self, file, line, what):
        self.violations.append(f"{file}:{line}: {what}")

    def resolve(self, file, name, quoted):
        """The project file that an include names, or None for a system header."""
        directory = os.path.dirname(file)
        candidates = [os.path.normpath(os.path.join(directory, name))] if quoted else []
        candidates += [os.path.normpath(f"{top}/{name}") for top in ("src", "include", "plugins", ".")]
        for candidate in candidates:
            if candidate in self.files:
                return candidate
            if candidate + ".in" in self.files:  # configured by CMake
                return candidate + ".in"
        return None

    @staticmethod
    def place(file):
        """('src', folder), ('cli', ''), ('public', header) ..."""
        parts = file.split("/")
        if parts[0] == "src":
            return ("src", room_of(file) if len(parts) > 2 else "")
        if parts[0] == "include":
            return ("public", parts[-1][:-3] if file.endswith(".in") else parts[-1])
        return (parts[0], "")

    def forbidden(self, file, target):
        """Why `file` may not include `target`, or None."""
        kind, name = self.place(target)
        own_kind, own = self.place(file)
        if own_kind in ("src", "plugins"):
            return self.forbidden_inside(own if own_kind == "src" else "plugins", kind, name)
        if kind == "public" or kind in INNER.get(own_kind, ()):
            return None
        return f"{'a public header' if own_kind == 'public' else own_kind} may include public headers only"

    def forbidden_inside(self, own, kind, name):
        if kind == "public":
            owner = self.layers.owner.get(name)  # a header without one is reported once, at the header itself
            if owner in (None, EVERYONE) or (own in ("plugins", "base") and owner == "base") or (own != "plugins" and may(own, owner)):
                return None
            return f"{own} may not include {owner} (the public header '{name}' belongs to it)"
        if own == "plugins":
            inside = kind == "plugins" or (kind == "src" and zone_of(name) == "base" and name not in READERS)
            return None if inside else f"a plug-in may include base, not {name or kind}"
        if kind != "src":
            return f"{own} may not include {kind}/"
        return None if may(own, name) else f"{own} may not include {name}"

    def check_file(self, file):
        kind, own = self.place(file)
        if kind == "src" and zone_of(own) not in ZONES:
            self.report(file, 1, f"folder 'src/{own}' is in no zone" if own else "a source outside every folder")
            return
        if kind == "public" and own not in self.layers.owner:
            self.report(file, 1, f"public header '{own}' is not in the table of public headers")
        for line, name, quoted in self.files[file]:
            if name is None:
                self.report(file, line, "an #include must name its file")
                continue
            target = self.resolve(file, name, quoted)
            if target is None:
                if quoted or name.startswith("semblance/"):
                    self.report(file, line, f"'{name}' is not a file of the project; system headers take <>")
                continue
            self.arrows.setdefault(folder_of(file), {}).setdefault(folder_of(target), (file, line))
            why = self.forbidden(file, target)
            if why:
                self.report(file, line, why)

    def check_circles(self):
        """What is left when folders that include no other, or are included by no other, are taken away again and again."""
        left, before = set(self.arrows), None
        while left != before:
            before = left
            left = {folder for folder in left if left & self.arrows[folder].keys() - {folder}}
            left = {folder for folder in left if any(folder in self.arrows[other] for other in left - {folder})}
        for folder in sorted(left):
            for other in sorted(left & self.arrows[folder].keys() - {folder}):
                self.report(*self.arrows[folder][other], f"{folder} and {other} are in a circle of folders: {', '.join(sorted(left))}")

    def check(self):
        for file in self.files:
            self.check_file(file)
        self.check_circles()


def symbols(paths, *options):
    """Names by object file. nm heads each file's part with its path and a colon."""
    paths = list(paths)
    output = subprocess.run(["nm", "-P", *options, *map(str, paths)], check=True, capture_output=True, text=True).stdout
    heads = {f"{path}:": path for path in paths}
    found, current = {path: set() for path in paths}, paths[0]  # a single file has no head
    for line in output.splitlines():
        if line in heads:
            current = heads[line]
        elif line:
            found[current].add(line.split()[0])
    return found


def object_folders(build, root):
    """The folder of every object file whose source is still there."""
    folder_of = {}
    for path in sorted(Path(build, "src").glob("**/CMakeFiles/sbl_*.dir/*.o")):
        folder = path.parent.parent.parent.relative_to(Path(build, "src")).as_posix()
        if (root / "src" / folder / path.stem).is_file():
            folder_of[path] = folder
    return folder_of


def check_objects(build, root):
    """Undefined symbols of each compiled folder must be defined in a folder that it may include."""
    folder_of = object_folders(build, root)
    if not folder_of:
        raise TableError(f"no object files under '{build}/src'")
    homes = {}
    for path, names in symbols(folder_of, "-g", "--defined-only").items():
        for name in names:
            homes.setdefault(name, set()).add(folder_of[path])
    violations = []
    for path, names in symbols(folder_of, "-u").items():
        folder = folder_of[path]
        for name in sorted(names & homes.keys()):
            if not any(may(folder, home) for home in homes[name]):
                violations.append(f"{path}:0: {folder} may not use '{name}' of {', '.join(sorted(homes[name]))}")
    return violations


def main(arguments):
    build = None
    if "--objects" in arguments:
        at = arguments.index("--objects")
        if at + 1 == len(arguments):
            print("check_layers: --objects needs a build folder", file=sys.stderr)
            return 2
        build = arguments[at + 1]
        del arguments[at:at + 2]
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    table = root / "docs" / "ARCHITECTURE.md"
    try:
        layers = Layers(root)
        tree = Tree(root, layers)
        tree.check()
        if not any(file.startswith("src/") for file in tree.files):
            raise TableError(f"no sources under '{root}/src'")
        violations = tree.violations + (check_objects(build, root) if build else [])
    except (OSError, TableError, subprocess.CalledProcessError) as error:
        print(f"{table}:1: {error}")
        return 1
    for violation in violations:
        print(violation)
    if not violations:
        print(f"{len(tree.files)} files keep to their zones")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
