#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The licence line (SPDX) of source files: tools/spdx.py [ROOT] says which have none; --write adds them.

Sources are files of C, C++, CUDA, Python, shell, CMake, R, JavaScript and CSS. Data, corpora and what others wrote are not.
"""
import re
import subprocess
import sys
from pathlib import Path

LICENCE = "SPDX-License-Identifier: Apache-2.0"
BLOCK = (".c", ".h", ".cu", ".cuh", ".cpp", ".hpp", ".inc", ".def", ".css", ".h.in")
HASH = (".py", ".pyi", ".sh", ".cmake", "CMakeLists.txt", ".R", ".r", "Makefile", ".yml", ".toml", "Containerfile", ".cmake.in")
SLASH = (".js",)
LEFT_OUT = re.compile(r"^(tests/fuzz/corpus/|tests/.*/data/|shared/|build/)")


def sources(root):
    """Files of the tree that git knows, or all where there is no git."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True)
    names = listed.stdout.splitlines() if listed.returncode == 0 else [str(path.relative_to(root)) for path in root.rglob("*")
                                                                       if path.is_file() and ".git" not in path.parts and "__pycache__" not in path.parts]
    for name in sorted(names):
        path = root / name
        if not LEFT_OUT.match(name) and path.is_file() and not path.is_symlink() and name.endswith(BLOCK + HASH + SLASH):
            yield name, path


def headed(name, text):
    """The text with its line, which is the first one, or follows #! if that is there."""
    line = f"/* {LICENCE} */\n" if name.endswith(BLOCK) else f"// {LICENCE}\n" if name.endswith(SLASH) else f"# {LICENCE}\n"
    first, rest = text.split("\n", 1) if text.startswith("#!") else ("", text)
    return f"{first}\n{line}{rest}" if first else line + text


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--write"]
    root, write = Path(arguments[0] if arguments else "."), "--write" in sys.argv
    count, missing = 0, []
    for name, path in sources(root):
        count += 1
        text = path.read_text(encoding="utf-8")
        if LICENCE not in "\n".join(text.split("\n")[:3]):
            missing.append(name)
            if write:
                path.write_text(headed(name, text), encoding="utf-8")
    if write:
        print(f"{len(missing)} of {count} files were given their line")
        return 0
    for name in missing:
        print(f"{name}: no SPDX line: tools/spdx.py --write")
    if count < 1000:
        print("nothing was found to check: the test itself is broken")
    return 1 if missing or count < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
