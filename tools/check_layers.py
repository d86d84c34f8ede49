#!/usr/bin/env python3
"""Check every #include of src/, cli/, python/, examples/ and include/ against the layer table.

    tools/check_layers.py [ROOT] [--objects BUILD]

The tables are read from docs/ARCHITECTURE.md. What a header pulls in counts: a file may reach, by
any chain of includes, only the folders its own row names. With --objects the undefined symbols of
the compiled folders under BUILD/src are checked too, so that a hand-written declaration is no way
around the table. Each violation is one line `file:line: what`; the exit status is then 1.
"""
import os
import re
import subprocess
import sys
from pathlib import Path

SOURCE_SUFFIXES = {".c", ".h", ".inc", ".def", ".in", ".cu", ".cuh", ".cc", ".cpp", ".hpp", ".pyx", ".pxd"}
TOP_FOLDERS = ("src", "cli", "python", "examples", "include")
PUBLIC_ONLY = "the public headers only"
EVERYONE = "everyone"

# Rules that no edit of the table may soften.
NOISE_READERS = {"privatise"}
POST_PROCESSING = {"train", "gauss", "pairs", "histories", "sample", "discover"}
RECORD_FOLDERS = {"table", "image", "codec", "accumulate", "privatise", "noise"}
DEVICE_READERS = {"methods"}  # what is trained after the release may have a device; records never do
EVALUATION = {"fidelity", "learners", "evaluate", "report", "audit", "evaluate_api"}  # a library that the core does not know


class TableError(Exception):
    """The tables in docs/ARCHITECTURE.md cannot be read or contradict the fixed rules."""


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


class Layers:
    """Who may include whom, and which folder owns each public header."""

    def __init__(self, text):
        rows = markdown_table(text, "folder", "may include")
        self.allowed, self.public_only = {}, set()
        folders = [name for left, right in rows if right != PUBLIC_ONLY for name in words(left)]
        for left, right in rows:
            for name in words(left):
                if name in self.allowed or name in self.public_only:
                    raise TableError(f"folder '{name}' has two rows")
                if right == PUBLIC_ONLY:
                    self.public_only.add(name)
                else:
                    self.allowed[name] = set(words(right))
        self.owner = dict(markdown_table(text, "public header", "owned by"))
        self.check(folders)

    def check(self, folders):
        for name, allowed in self.allowed.items():
            for other in sorted(allowed - set(folders)):
                raise TableError(f"the row of '{name}' names '{other}', which has no row")
            if "noise" in allowed and name not in NOISE_READERS | {"noise"}:
                raise TableError(f"'{name}' may include noise; only privatise may")
            if "device" in allowed and name not in DEVICE_READERS:
                raise TableError(f"'{name}' may include device; only methods may, for what comes after a release")
            if "cuda" in allowed:
                raise TableError(f"'{name}' may include cuda; a plug-in is opened, not included")
            if name in POST_PROCESSING and allowed & RECORD_FOLDERS:
                seen = ", ".join(sorted(allowed & RECORD_FOLDERS))
                raise TableError(f"'{name}' is post-processing and may not include {seen}")
            if name not in EVALUATION and allowed & EVALUATION:
                seen = ", ".join(sorted(allowed & EVALUATION))
                raise TableError(f"'{name}' is of the core and may not include {seen} of evaluation")
        for header, owner in self.owner.items():
            if owner != EVERYONE and owner not in folders:
                raise TableError(f"public header '{header}' is owned by '{owner}', which has no row")

    def may(self, folder, other):
        return other == folder or other in self.allowed[folder]


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
        for top in TOP_FOLDERS:
            for directory, subdirectories, names in os.walk(root / top):
                subdirectories.sort()
                for name in sorted(names):
                    path = Path(directory) / name
                    if path.suffix in SOURCE_SUFFIXES:
                        self.files[path.relative_to(root).as_posix()] = includes_of(path)
        self.reach_cache = {}

    def report(self, file, line, what):
        self.violations.append(f"{file}:{line}: {what}")

    def resolve(self, file, name, quoted):
        """The project file that an include names, or None for a system header."""
        directory = os.path.dirname(file)
        candidates = [os.path.normpath(os.path.join(directory, name))] if quoted else []
        candidates += [os.path.normpath(f"{top}/{name}") for top in ("src", "include")]
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
            return ("src", parts[1] if len(parts) > 2 else "")
        if parts[0] == "include":
            return ("public", "/".join(parts[1:])[:-3] if file.endswith(".in") else "/".join(parts[1:]))
        return (parts[0], "")

    def reach(self, file):
        """Every project file that an include of `file` brings in, with one chain that leads there."""
        if file in self.reach_cache:
            return self.reach_cache[file]
        chains, queue = {file: [file]}, [file]
        while queue:
            current = queue.pop(0)
            for _, name, quoted in self.files[current]:
                target = self.resolve(current, name, quoted) if name else None
                if target and target not in chains:
                    chains[target] = chains[current] + [target]
                    queue.append(target)
        self.reach_cache[file] = chains
        return chains

    def forbidden(self, file, target):
        """Why `file` may not reach `target`, or None."""
        kind, name = self.place(target)
        own_kind, own = self.place(file)
        if kind == "public":
            short = os.path.basename(name)
            owner = self.layers.owner.get(short)
            if owner is None:  # said once, at the header itself
                return None
            if own_kind != "src" or owner == EVERYONE or self.layers.may(own, owner):
                return None
            return f"{own} may not include {owner} (the public header '{short}' belongs to it)"
        if own_kind == "src":
            if kind != "src":
                return f"{own} may not include {kind}/"
            return None if self.layers.may(own, name) else f"{own} may not include {name}"
        if kind == own_kind and own_kind != "public":
            return None
        reader = "a public header" if own_kind == "public" else own_kind
        return f"{reader} may include public headers only"

    def check_file(self, file):
        kind, own = self.place(file)
        if kind == "src" and own not in self.layers.allowed:
            what = f"folder 'src/{own}' is not in the layer table" if own else "a source outside every folder"
            self.report(file, 1, what)
            return
        if kind not in {"src", "public"} and kind not in self.layers.public_only:
            self.report(file, 1, f"folder '{kind}' is not in the layer table")
            return
        if kind == "public" and os.path.basename(own) not in self.layers.owner:
            self.report(file, 1, f"public header '{os.path.basename(own)}' is not in the table of public headers")
        for line, name, quoted in self.files[file]:
            if name is None:
                self.report(file, line, "an #include must name its file")
                continue
            target = self.resolve(file, name, quoted)
            if target is None:
                if quoted or name.startswith("semblance/"):
                    self.report(file, line, f"'{name}' is not a file of the project; system headers take <>")
                continue
            told = set()
            for reached, chain in self.reach(target).items():
                why = self.forbidden(file, reached)
                if why and why not in told:
                    told.add(why)
                    via = "" if len(chain) == 1 else ", by way of " + " -> ".join(chain)
                    self.report(file, line, why + via)

    def check(self):
        for file in self.files:
            self.check_file(file)


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
    for path in sorted(Path(build, "src").glob("*/CMakeFiles/sbl_*.dir/**/*.o")):
        folder, _, _, *rest = path.relative_to(Path(build, "src")).parts
        if (root / "src" / folder / Path(*rest).with_suffix("")).is_file():
            folder_of[path] = folder
    return folder_of


def check_objects(build, root, layers):
    """Undefined symbols of each compiled folder must be defined in a folder it may include."""
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
            if folder in layers.allowed and not any(layers.may(folder, home) for home in homes[name]):
                home = ", ".join(sorted(homes[name]))
                violations.append(f"{path}:0: {folder} may not use '{name}' of {home}")
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
        layers = Layers(table.read_text(encoding="utf-8"))
        tree = Tree(root, layers)
        tree.check()
        if not any(file.startswith("src/") for file in tree.files):
            raise TableError(f"no sources under '{root}/src'")
        violations = tree.violations + (check_objects(build, root, layers) if build else [])
    except (OSError, TableError, subprocess.CalledProcessError) as error:
        print(f"{table}:1: {error}")
        return 1
    for violation in violations:
        print(violation)
    if not violations:
        print(f"{len(tree.files)} files keep to the layer table")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
