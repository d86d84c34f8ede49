# SPDX-License-Identifier: Apache-2.0
"""No program or library that we build lets the loader search the working directory.

An empty or relative element of RUNPATH or RPATH is such a folder; $ORIGIN, the folder of the file itself, is none. Every ELF
file of the build tree is read, and every one of an install.   search_paths_test.py BUILD CMAKE
"""

import os
import re
import subprocess
import sys
import tempfile

EXECUTABLE, SHARED = 2, 3  # e_type: object files have no search path


def elf_files(folder):
    """Programs and libraries below the folder, links left out."""
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not os.path.islink(os.path.join(place, name))]
        for name in names:
            path = os.path.join(place, name)
            if os.path.islink(path) or not os.path.isfile(path):
                continue
            with open(path, "rb") as file:
                head = file.read(18)
            if head[:4] == b"\x7fELF" and int.from_bytes(head[16:18], "little") in (EXECUTABLE, SHARED):
                yield path


def bad_elements(dynamic):
    """Elements of the search paths that readelf shows which are neither absolute nor below $ORIGIN."""
    found = [path for path in re.findall(r"\((?:RUNPATH|RPATH)\).*?\[(.*)\]", dynamic)]
    return [one for path in found for one in path.split(":") if not re.match(r"/|\$ORIGIN(/|$)", one)]


def check(folder, least):
    """The number of files that are wrong."""
    wrong = seen = 0
    for path in elf_files(folder):
        seen += 1
        shown = subprocess.run(["readelf", "-dW", path], capture_output=True, text=True, check=True).stdout
        for element in bad_elements(shown):
            wrong += 1
            print(f"{path}: the search path has the element {element!r}")
    print(f"{folder}: {seen} programs and libraries")
    if seen < least:
        print(f"{folder}: that is fewer than {least}")
    return wrong + (seen < least)


def main():
    build, cmake = sys.argv[1:]
    # The check itself: what CMake wrote once, and what is fine.
    line = " 0x1d (RUNPATH) Library runpath: [%s]"
    assert bad_elements(line % "/usr/lib/openblas:") == [""] and bad_elements(line % "lib:/usr/lib") == ["lib"]
    assert bad_elements(line % "$ORIGIN/../lib:$ORIGIN:/opt/lib") == [] and bad_elements("") == []
    wrong = check(build, 20)
    with tempfile.TemporaryDirectory() as prefix:
        subprocess.run([cmake, "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        wrong += check(prefix, 4)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
