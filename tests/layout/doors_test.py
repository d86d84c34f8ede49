#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules of the public doors that no compiler knows.

    doors_test.py ROOT             hold them
    doors_test.py ROOT --planted   plant violations in a copy, each of which must be found

- Every function that a public header declares is called as nobody should call it, in tests/api/test_doors.c.
- The library speaks no words of the program: no string of src/ names an option ("--overwrite") or a command ('semblance
  train'). It says what is wrong, sets a hint (semblance/status.h), and the program finds the words (cli/output.c).
- Every option of a command that plans, fits, trains or samples comes from the table (semblance/options.h): no command
  has a row of its own for one that the table names, but for those listed here.
- Every hint of semblance/status.h, and nothing else, has words in the program (cli/output.c) and in Python (_errors.py), and a name
  by which the C module hands it to Python (python/src/trouble.c).
- Nobody but src/run/api touches the number of threads of the host.
- Every .c of src/ and cli/ begins with a comment that says what it is for.
- In a public header, comments are above fields. In any header, a field is on one line with its type.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1])
# In a report, for people who hold a program: which one checks a certificate. CSS has variables.
MAY_NAME_PROGRAM = {"src/owner/report/style.c", "src/owner/report/guarantee.c"}
OWN_WORDS = {("cli/option_rows.h", "by"),  # the groups of a question
             ("cli/cmd_train.c", "certificate"),  # the same field with another meaning
             ("cli/option_rows.h", "overwrite")}  # of commands that do not fit
MAY_SET_THREADS = {"src/base/compute/threads.h", "src/run/api/api_call.c",
                   "src/owner/evaluate/image_frechet.c"}  # sets one for LAPACK, and back
FEWEST_WORDS = 3  # of a head: the name of the file alone says nothing
FITTING = ("plan", "fit", "synth", "train", "sample")
FILES = [command for command in FITTING if command != "fit"]  # which is synth without records


def without_comments(text):
    return re.sub(r'("(?:\\.|[^"\\\n])*")|/\*.*?\*/|//[^\n]*', lambda m: m.group(1) or " ", text, flags=re.S)


def declared():
    found = set()
    for header in sorted((ROOT / "include/semblance").glob("*.h*")):
        text = re.sub(r"^\s*#(?:\\\n|[^\n])*", " ", without_comments(header.read_text()), flags=re.M)
        for declaration in re.findall(r"SBL_API\b([^;]*);", text):
            found.add(re.findall(r"\w+", declaration.split("(")[0])[-1])
    return found


def untested():
    test = without_comments((ROOT / "tests/api/test_doors.c").read_text())
    for name in sorted(declared()):
        if not re.search(r"\b%s\b" % name, test):
            yield f"tests/api/test_doors.c: {name} is not called"


def program_words():
    for path in sorted((ROOT / "src").rglob("*.[ch]")):
        name = str(path.relative_to(ROOT))
        if name in MAY_NAME_PROGRAM:
            continue
        text = without_comments(path.read_text())
        for match in re.finditer(r'"((?:\\.|[^"\\\n])*)"', text):
            if re.search(r"(?<!var\()--[a-z]|\bsemblance (?:%s|ledger|verify|evaluate|account)\b" % "|".join(FITTING),
                         match.group(1)):
                yield f"{name}: a word of the program in '{match.group(1)}'"


def table():
    files = [ROOT / "src/public/options/option_values.c", *(ROOT / "src/run/methods").glob("*.c")]
    return set(re.findall(r'(?:SBL_SETTING\(|ROW\(\w+,)\s*"([a-z-]+)"', "".join(f.read_text() for f in files)))


def rows_typed_twice():
    shared = [ROOT / "cli/option_rows.h"]
    names = table()
    for path in [ROOT / f"cli/cmd_{command}.c" for command in FILES] + shared:
        name = str(path.relative_to(ROOT))
        text = without_comments(path.read_text())
        for row in re.findall(r'_ROW\(\s*(?:\\\n\s*)*"([a-z-]+)",', text):
            if row in names and (name, row) not in OWN_WORDS:
                yield f"{name}: option '{row}' stands in the table of the library"
    for command in FILES:
        if ".steps = " not in (ROOT / f"cli/cmd_{command}.c").read_text():
            yield f"cli/cmd_{command}.c: does not take its options from the table"


def thread_setters():
    for path in sorted((ROOT / "src").rglob("*.[ch]")):
        name = str(path.relative_to(ROOT))
        if name not in MAY_SET_THREADS and re.search(r"\b(?:sbl_thread_set|omp_set_\w+)\s*\(", path.read_text()):
            yield f"{name}: sets the host's number of threads"


def heads():
    for path in sorted((ROOT / "src").rglob("*.c")) + sorted((ROOT / "cli").rglob("*.c")):
        head = re.match(r"(?:/\* SPDX-[^\n]*\n)?/\*(.*?)\*/\s*\S", path.read_text(), flags=re.S)
        if head is None or len(head.group(1).split()) < FEWEST_WORDS:
            yield f"{path.relative_to(ROOT)}: does not begin with what it is for"


def fields():
    for path in sorted((ROOT / "include").rglob("*.h")) + sorted((ROOT / "src").rglob("*.h")):
        name = path.relative_to(ROOT)
        for body in re.findall(r"^(?:typedef )?struct \w+ \{\n(.*?)^\}", path.read_text(), flags=re.S | re.M):
            if name.parts[0] == "include":
                for line in re.findall(r"^ +[^/*\s][^\n]*; */\*[^\n]*", body, flags=re.M):
                    yield f"{name}: a comment is behind its field: {line.strip()}"
            for field in re.findall(r"^ +(?:\w+ )*\w+(?: \*)*(?:const)?\n +\**\w+;", without_comments(body), flags=re.M):
                yield f"{name}: a field is torn from its type: {' '.join(field.split())}"


HINTS = {"cli/output.c": r"\[SBL_HINT_(\w+)\] =", "python/src/trouble.c": r"\bHINT\(([A-Z_]+)\)",
         "python/semblance/_errors.py": r'^    "([A-Z_]+)": "'}


def hints():
    text = without_comments((ROOT / "include/semblance/status.h").read_text())
    known = set(re.findall(r"\bSBL_HINT_(\w+)", text)) - {"NONE"}
    for name, pattern in HINTS.items():
        found = re.findall(pattern, (ROOT / name).read_text(), flags=re.M)
        for hint in sorted(known - set(found)):
            yield f"{name}: has no words for the hint {hint}"
        for hint in sorted(set(found) - known | {one for one in found if found.count(one) > 1}):
            yield f"{name}: {hint} is not a hint, or is there twice"


# File, what is replaced, by what, what must be said.
PLANTED = [
    ("include/semblance/memory.h", "SBL_API void", "SBL_API void sbl_new_door(void);\nSBL_API void", "sbl_new_door"),
    ("src/base/file.c", "exists already", "exists already; use --overwrite", "--overwrite"),
    ("src/door/ledger/ledger_book.c", "there is nothing to repair", "run 'semblance ledger init'", "ledger init"),
    ("cli/cmd_synth.c", "    SBL_OPTION_SCHEMA_OR_DISCOVER,", '    SBL_WHOLE_ROW("bins", 0, "B", "x", NULL, NULL),', "'bins'"),
    ("cli/cmd_plan.c", "    .steps = SBL_STEP_PLAN,\n", "", "from the table"),
    ("src/run/pipeline/from_files.c", "sbl_model_free(model);", "sbl_thread_set(1);", "number of threads"),
    ("src/base/alloc.c", "/*", "#include <stddef.h>\n/*", "src/base/alloc.c: does not begin"),
    ("cli/output.c", "[SBL_HINT_WHERE]", "[0]", "cli/output.c: has no words for the hint WHERE"),
    ("python/src/trouble.c", "HINT(ROWS)", "HINT(ROW)", "python/src/trouble.c: ROW is not a hint"),
    ("python/semblance/_errors.py", '    "DELTA"', '    "DELTAS"', "_errors.py: has no words for the hint DELTA"),
    ("cli/main.c", "/*", "/* main.c */\n/*", "cli/main.c: does not begin"),
    ("include/semblance/ledger.h", "    double mu;", "    double mu; /* a limit */", "a comment is behind its field: double mu;"),
    ("src/records/rows/table.h", "    const char *path;", "    const char\n        *path;", "torn from its type: const char *path;"),
]


def planted():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for part in ("include", "src", "cli", "tests/api", "python"):
            shutil.copytree(ROOT / part, Path(folder) / part)
        for name, old, new, _ in PLANTED:
            path = Path(folder) / name
            text = path.read_text()
            if old not in text:
                print(f"{name}: nothing to replace by {new!r}")
                failed = 1
            path.write_text(text.replace(old, new, 1))
        result = subprocess.run([sys.executable, __file__, folder], capture_output=True, text=True)
    for name, _, new, words in PLANTED:
        if result.returncode == 0 or words not in result.stdout:
            print(f"not found: {new!r} in {name}\n{result.stdout}")
            failed = 1
    return failed


def main():
    if "--planted" in sys.argv:
        return planted()
    problems = [*untested(), *program_words(), *rows_typed_twice(), *thread_setters(), *heads(), *fields(), *hints()]
    for problem in problems:
        print(problem)
    if not declared() or len(table()) < 20:
        print("nothing was found to check: the test itself is broken")
        return 1
    print(f"{len(declared())} functions, {len(table())} options")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
