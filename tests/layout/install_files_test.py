# SPDX-License-Identifier: Apache-2.0
"""`make` builds every file that an install needs: install rules name no file that its targets leave out.

Asked of ninja, so that nothing is built.   install_files_test.py SOURCE BUILD
"""

import os
import re
import shutil
import subprocess
import sys


def ninja(build, *arguments):
    return subprocess.run(["ninja", "-C", build, *arguments], capture_output=True, text=True, check=True).stdout.splitlines()


def targets_of_make(source):
    """What the recipe of `all` hands to tools/build.sh."""
    with open(os.path.join(source, "Makefile"), encoding="utf-8") as file:
        found = re.search(r"^all:.*\n\t@tools/build\.sh release --target (.+)$", file.read(), re.M)
    assert found, "Makefile: the recipe of 'all' is not 'tools/build.sh release --target ...'"
    return found[1].split()


def installed(build):
    """Files and folders of the build tree that install rules copy."""
    for place, folders, names in os.walk(build):
        folders[:] = [name for name in folders if name not in ("CMakeFiles", "Testing")]
        if "cmake_install.cmake" not in names:
            continue
        with open(os.path.join(place, "cmake_install.cmake"), encoding="utf-8") as file:
            rules = re.findall(r"file\(INSTALL .*?\)\n", file.read(), re.S)
        for rule in rules:
            for path in re.findall(r'"([^"]+)"', rule.split(" FILES ", 1)[1] if " FILES " in rule else ""):
                if path.startswith(build + "/"):
                    yield os.path.relpath(path, build).rstrip("/")


def main():
    source, build = sys.argv[1:]
    if shutil.which("ninja") is None or not os.path.exists(os.path.join(build, "build.ninja")):
        print("SKIP: this tree was not made for ninja")
        return 77
    made = {line.rsplit(":", 1)[0] for line in ninja(build, "-t", "targets", "all")}
    graph = "\n".join(ninja(build, "-t", "graph", *targets_of_make(source)))
    reached = {*re.findall(r'label="([^"]+)"', graph)}
    wanted = {*installed(build)}
    assert any(name.endswith("libsemblance-cuda.so") for name in wanted), "the install rules were not understood"
    missing = []
    for name in wanted:
        stamp = name + ".written"  # a folder of pages
        needed = stamp if stamp in made else name
        if needed in made and needed not in reached:
            missing.append(name)
    for name in sorted(missing):
        print(f"`make` does not build {name}, which `make install` installs")
    print(f"{len(wanted)} files and folders of the build tree are installed")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
