#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The version is in the top CMakeLists.txt. Whatever else must say it, because others read it there, says the same; nothing else says one.

    version_test.py ROOT             hold it
    version_test.py ROOT --planted   plant violations in a copy, each of which must be found
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(sys.argv[1])
# Files that readers of their format want a version in, and where it is in them.
COPIES = {
    "CITATION.cff": r"^version: (\S+)$",
    "r/DESCRIPTION": r"^Version: (\S+)$",
}
# History and stored results say the version that they are about.
HISTORY = re.compile(r"^(CHANGELOG\.md|docs/releases/|docs/AUDIT\.md|docs/PAPERS\.md|docs/results|bench/RESULTS\.md|bench/.*\.jsonl?|"
                     r"packaging/abi/|packaging/log/|SECURITY\.md|docs/C\.md|tests/fuzz/corpus/|tests/cli/verify/|tests/bits/frozen\.json|tests/layout/version_test\.py)")
TEXT = {".c", ".h", ".in", ".py", ".sh", ".md", ".cmake", ".txt", ".toml", ".json", ".yml", ".yaml", ".cff", ".R", ".Rd", ".Rmd", ".html", ".js", ".install",
        ""}
SKIPPED = {"build", ".git", "__pycache__", "shared"}


def current():
    return re.search(r"^project\(semblance VERSION (\d+\.\d+\.\d+) ", (ROOT / "CMakeLists.txt").read_text(), flags=re.M).group(1)


def released():
    """Versions that the changelog has a section of."""
    return set(re.findall(r"^## \[(\d+\.\d+\.\d+)\]", (ROOT / "CHANGELOG.md").read_text(), flags=re.M))


def files():
    for path in sorted(ROOT.rglob("*")):
        name = path.relative_to(ROOT)
        if not SKIPPED & set(name.parts) and path.is_file() and not path.is_symlink() and path.suffix in TEXT and not HISTORY.match(str(name)):
            yield str(name), path


def problems():
    version = current()
    numbers = "|".join(map(re.escape, sorted({version, "0.1.0", *released()})))
    minor = "|".join(sorted({re.escape(number.rsplit(".", 1)[0]) for number in (version, "0.1.0")}))
    # A version of ours, next to our name or to the word; or a library or package with ours in its name.
    said = re.compile(rf"(?i)(?:semblance|version|program)[^\n]{{0,30}}?(?<![\d.])({numbers})(?![\d.]*\d)|libsemblance(?:-evaluate)?(?:\.so\.)?({minor})\b")
    count = 0
    for name, path in files():
        count += 1
        text = path.read_text(errors="replace")
        for number, line in enumerate(text.split("\n"), 1):
            match = said.search(line)
            if match and name != "CMakeLists.txt" and not (name in COPIES and re.match(COPIES[name], line)):
                yield f"{name}:{number}: says {match.group(1) or match.group(2)}: take it from CMakeLists.txt"
    for name, pattern in COPIES.items():
        if (ROOT / name).exists():
            found = re.findall(pattern, (ROOT / name).read_text(), flags=re.M)
            if found != [version]:
                yield f"{name}: says {found}, and CMakeLists.txt says {version}"
    if count < 1000:
        yield "nothing was found to check: the test itself is broken"


# File, what is replaced, by what, what must be said.
PLANTED = [
    ("CITATION.cff", "\nversion: ", "\nversion: 9", "CITATION.cff: says ['9"),
    ("tools/deb.sh", "set -euo pipefail", "set -euo pipefail\nversion=VERSION", "tools/deb.sh:"),
    ("packaging/debian/control", "libsemblance@ABI@", "libsemblance0.1", "packaging/debian/control:"),
    ("docs/PYTHON.md", "# From Python", "# From Python\n\npip install semblance-VERSION.tar.gz", "docs/PYTHON.md:3: says"),
]


def planted():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tree"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("build*", ".git", "shared"), symlinks=True)
        for name, old, new, _ in PLANTED:
            text = (copy / name).read_text()
            if old not in text:
                print(f"{name}: nothing to replace by {new!r}")
                failed = 1
            (copy / name).write_text(text.replace(old, new.replace("VERSION", current()), 1))
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
