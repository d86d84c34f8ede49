#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the libraries export is what the public headers declare and what abi.txt lists, and every global name starts with sbl_.

A name that leaves abi.txt breaks programs that were linked before: it goes with a new SOVERSION only. A header that says so in
its head belongs to libsemblance-evaluate.

    symbols_test.py INCLUDE_DIR CC LIBSEMBLANCE LIBSEMBLANCE_EVALUATE
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MOST_FUNCTIONS = 90
INCLUDE, COMPILER, CORE, EVALUATE = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])


def names(path, *options):
    lines = subprocess.run(["nm", "-P", "--defined-only", *options, str(path)], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    # Names with a leading underscore belong to the implementation (sanitizers, start-up code).
    return {line.split()[0] for line in lines if line and not line.endswith(":") and not line.startswith("_")}


def exported(library):
    """The dynamic symbols of a library; a static one is first linked into a shared one."""
    if library.suffix != ".a":
        return names(library, "-D")
    with tempfile.TemporaryDirectory() as folder:
        shared = Path(folder) / "all.so"
        subprocess.run([COMPILER, "-shared", "-o", str(shared), "-Wl,--whole-archive", str(library),
                        "-Wl,--no-whole-archive", "-Wl,--unresolved-symbols=ignore-all"], check=True)
        return names(shared, "-D")


def declared(library):
    found = set()
    for header in sorted(INCLUDE.glob("*.h")) + sorted(INCLUDE.glob("*.h.in")):
        text = header.read_text().removeprefix("/* SPDX-License-Identifier: Apache-2.0 */\n")
        if ("In libsemblance-evaluate" in text.split("*/")[0]) != (library == EVALUATE):
            continue
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
        text = re.sub(r"^\s*#(?:\\\n|[^\n])*", " ", text, flags=re.M)
        for declaration in re.findall(r"SBL_API\b([^;]*);", text):
            before_arguments = declaration.split("(")[0]
            found.add(re.findall(r"\w+", before_arguments)[-1])
    return found


def main():
    problems, every = [], set()
    for library in (CORE, EVALUATE):
        public, promised = exported(library), declared(library)
        problems += [f"{library.name}: '{name}' is exported but no header of it declares it" for name in sorted(public - promised)]
        problems += [f"{library.name}: '{name}' is declared SBL_API but not exported" for name in sorted(promised - public)]
        inside = names(library, "-g") if library.suffix == ".a" else public
        problems += [f"global name '{name}' does not start with sbl_" for name in sorted(inside) if not name.startswith("sbl_")]
        if not promised:
            problems.append(f"no declarations of {library.name} found: the test itself is broken")
        print(f"{library.name}: {len(public)} exported, {len(promised)} declared")
        every |= public
    listed = set((Path(__file__).parent / "abi.txt").read_text().split())
    problems += [f"'{name}' of abi.txt is gone: programs that use it no longer start" for name in sorted(listed - every)]
    problems += [f"'{name}' is new: add it to abi.txt" for name in sorted(every - listed)]
    if len(listed) > MOST_FUNCTIONS:
        problems.append(f"abi.txt lists {len(listed)} functions, more than {MOST_FUNCTIONS}: can one that is there do it?")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
