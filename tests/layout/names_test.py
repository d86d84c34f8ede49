#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files and functions that comments and documents name are there.

    names_test.py ROOT             hold it
    names_test.py ROOT --planted   plant violations in a copy, each of which must be found

Looks at comments of C, Python, shell and CMake files, and at documents but for their commands. A file name with a folder must be the end
of some path in the tree; one without must be the name of some file. A function's name is followed by "()"; it must occur in code.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1])
CODE = ("src", "cli", "include", "python", "tests", "tools", "bench", "examples", "packaging")
SOURCES = (".c", ".h", ".hpp", ".cu", ".cpp")
FILE = re.compile(r"(?<![\w./*<>{}$~-])((?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+)\.(c|h|hpp|cu|cpp|py|sh|md|cmake)(?![\w*-]|\.\w)")
FUNCTION = re.compile(r"\b(sbl_\w+)\(\)")
PLACEHOLDER = re.compile(r"(^|[/_])[A-Z]+(_|\.)")  # NAME.c, cmd_NAME.c; documents have names in capitals
# Files of others: of SQLite and XGBoost, of RON-Gauss's authors; and what a command of a document makes.
OTHERS = {"sqlite3.h", "xgboost/c_api.h", "ron_gauss.py", "audit.md"}
SKIPPED = {"build", ".git", "__pycache__"}


def tree():
    files = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(set(folders) - SKIPPED)
        files += [Path(folder) / name for name in sorted(names)]
    return files


def split(path, text):
    """What people read in a file, and its code. Lines keep their numbers."""
    if path.suffix == ".md":
        return re.sub(r"^```.*?^```", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.S | re.M), ""
    strings = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    # In scripts a # that begins a word begins a comment, and so do three quotes.
    marks = r"/\*.*?\*/|//[^\n]*" if path.suffix in SOURCES else r'""".*?"""|(?<!\S)#[^\n]*'
    comments, code, at = [], [], 0
    for match in re.finditer(f"({marks})|{strings}", text, flags=re.S):
        if match.group(1) is None:
            continue
        code.append(text[at:match.start()])
        comments += ["\n" * code[-1].count("\n"), match.group(1)]
        at = match.end()
    return "".join(comments), "".join([*code, text[at:]])


def read(files):
    for path in files:
        folder = path.relative_to(ROOT).parts[0]
        code = path.suffix in (*SOURCES, ".py", ".sh") or path.name == "CMakeLists.txt"
        if (code and folder in CODE) or (path.suffix == ".md" and path.name != "CHANGELOG.md"):
            yield path, path.read_text(errors="replace")


def problems():
    files = tree()
    paths = ["/" + str(path.relative_to(ROOT)).removesuffix(".in") for path in files]
    names = {path.rsplit("/", 1)[1] for path in paths}
    texts = list(read(files))
    functions = set()
    for path, text in texts:
        if path.suffix in SOURCES or path.suffix == ".cmake" or path.name == "CMakeLists.txt":
            functions.update(re.findall(r"\bsbl_\w+", split(path, text)[1]))
    count = 0
    for path, text in texts:
        for number, line in enumerate(split(path, text)[0].split("\n"), 1):
            where = f"{path.relative_to(ROOT)}:{number}"
            for match in FILE.finditer(line):
                name = match.group(0)
                count += 1
                there = name in names if "/" not in name else any(known.endswith("/" + name) for known in paths)
                if not there and name not in OTHERS and not PLACEHOLDER.search(name):
                    yield f"{where}: names {name}, which is not there"
            for name in FUNCTION.findall(line):
                count += 1
                if name not in functions:
                    yield f"{where}: names {name}(), which is not there"
    if count < 500:
        yield "nothing was found to check: the test itself is broken"


# File, what is replaced, by what, what must be said.
PLANTED = [
    ("src/records/formats/csv_row.c", "through cell_decode.c", "through gone_cell.c", "names gone_cell.c"),
    ("src/after/model/generator.h", "after/train/output_heads.h", "nn/output_heads.h", "names nn/output_heads.h"),
    ("include/semblance/status.h", "sbl_synthesizer_train()", "sbl_synth_gone()", "names sbl_synth_gone()"),
    ("docs/PRIVACY.md", "# ", "See `gone.md`.\n\n# ", "docs/PRIVACY.md:1: names gone.md"),
    ("tools/check_layers.py", '"""', '"""As gone_check.py does.\n', "names gone_check.py"),
    ("tests/cli/lib.sh", "# ", "# As in gone_lib.sh.\n# ", "names gone_lib.sh"),
]


def planted():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tree"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("build*", ".git", "shared"))
        for name, old, new, _ in PLANTED:
            text = (copy / name).read_text()
            if old not in text:
                print(f"{name}: nothing to replace by {new!r}")
                failed = 1
            (copy / name).write_text(text.replace(old, new, 1))
        result = subprocess.run([sys.executable, __file__, copy], capture_output=True, text=True)
    for name, _, new, words in PLANTED:
        if result.returncode == 0 or words not in result.stdout:
            print(f"not found: {new!r} in {name}\n{result.stdout}")
            failed = 1
    return failed


def main():
    if "--planted" in sys.argv:
        return planted()
    found = list(problems())
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
