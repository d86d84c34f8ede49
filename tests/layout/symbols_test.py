#!/usr/bin/env python3
"""What the library exports is what the public headers declare and what abi.txt lists, and every global name starts with sbl_.

A name that leaves abi.txt breaks programs that were linked before: it goes with a new SOVERSION only.

    symbols_test.py LIBRARY INCLUDE_DIR CC
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LIBRARY, INCLUDE, COMPILER = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]


def names(path, *options):
    lines = subprocess.run(["nm", "-P", "--defined-only", *options, str(path)], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    # Names with a leading underscore belong to the implementation (sanitizers, start-up code).
    return {line.split()[0] for line in lines if line and not line.endswith(":") and not line.startswith("_")}


def exported():
    """The dynamic symbols of the library; a static one is first linked into a shared one."""
    if LIBRARY.suffix != ".a":
        return names(LIBRARY, "-D")
    with tempfile.TemporaryDirectory() as folder:
        shared = Path(folder) / "all.so"
        subprocess.run([COMPILER, "-shared", "-o", str(shared), "-Wl,--whole-archive", str(LIBRARY),
                        "-Wl,--no-whole-archive", "-Wl,--unresolved-symbols=ignore-all"], check=True)
        return names(shared, "-D")


def declared():
    found = set()
    for header in sorted(INCLUDE.glob("*.h")) + sorted(INCLUDE.glob("*.h.in")):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", header.read_text(), flags=re.S)
        text = re.sub(r"^\s*#(?:\\\n|[^\n])*", " ", text, flags=re.M)
        for declaration in re.findall(r"SBL_API\b([^;]*);", text):
            before_arguments = declaration.split("(")[0]
            found.add(re.findall(r"\w+", before_arguments)[-1])
    return found


def main():
    public, promised = exported(), declared()
    problems = [f"'{name}' is exported but no public header declares it" for name in sorted(public - promised)]
    problems += [f"'{name}' is declared SBL_API but the library does not export it" for name in sorted(promised - public)]
    listed = set((Path(__file__).parent / "abi.txt").read_text().split())
    problems += [f"'{name}' of abi.txt is gone: programs that use it no longer start" for name in sorted(listed - public)]
    problems += [f"'{name}' is new: add it to abi.txt" for name in sorted(public - listed)]
    every = names(LIBRARY, "-g") if LIBRARY.suffix == ".a" else public
    problems += [f"global name '{name}' does not start with sbl_" for name in sorted(every)
                 if not name.startswith("sbl_")]
    for problem in problems:
        print(problem)
    if not promised:
        print("no declarations found: the test itself is broken")
        return 1
    print(f"{len(public)} exported, {len(promised)} declared")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
