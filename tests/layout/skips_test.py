#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A test that skips has failed unless tests/may_skip.txt lists it, and what that lists is there.

    skips_test.py SOURCE_FOLDER
"""
import os
import re
import subprocess
import sys
import tempfile

JUNIT = """<testsuite>
<testcase name="good" status="run"><system-out>[       OK ] a_case
</system-out></testcase>
<testcase name="bad" status="fail"><failure message=""/></testcase>
<testcase name="allowed" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>
<testcase name="whole" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>
<testcase name="unit" status="run"><system-out>[  SKIPPED ] a_case
[  SKIPPED ] 1 test(s), listed below:
</system-out></testcase>
<testcase name="unit_2" status="run"><system-out>[  SKIPPED ] b_case
</system-out></testcase>
<testcase name="cli_x" status="run"><system-out>skipped x/some_case: no reason
2 cases, 0 failed, 1 skipped
</system-out></testcase>
</testsuite>
"""
LISTED = "# comment\n\nallowed      a reason\nunit/a_case  another\n"


def count(source, folder, junit, listed):
    paths = [os.path.join(folder, name) for name in ("junit.xml", "may_skip.txt")]
    for path, text in zip(paths, (junit, listed)):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    done = subprocess.run([sys.executable, os.path.join(source, "tools", "count_tests.py"), *paths],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.strip(), done.stderr


def check_counts(source):
    with tempfile.TemporaryDirectory() as folder:
        code, numbers, said = count(source, folder, JUNIT, LISTED)
        # Passed: good, and unit, whose case may skip. Failed: bad, whole, unit_2, cli_x.
        assert (code, numbers) == (0, "2 4 1"), (code, numbers, said)
        for name in "whole", "unit_2/b_case", "cli_x/some_case":
            assert f"{name} skipped: not in tests/may_skip.txt" in said, said
        assert "allowed skipped: a reason" in said and "unit/a_case skipped: another" in said, said
        assert count(source, folder, "<", LISTED)[0] == 1
        assert count(source, folder, JUNIT, "no_reason\n")[0] == 1


def all_text(source):
    parts = []
    for folder, _, names in os.walk(os.path.join(source, "tests")):
        if "corpus" in folder:
            continue
        for name in names:
            parts.append(os.path.splitext(name)[0])
            if name.endswith(".c") or name == "CMakeLists.txt":
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    parts.append(file.read())
    return "\n".join(parts)


def check_list(source):
    text = all_text(source)
    with open(os.path.join(source, "tests", "may_skip.txt"), encoding="utf-8") as file:
        names = [line.split()[0] for line in file if line.strip() and not line.startswith("#")]
    for name in names:
        test, _, case = name.partition("/")
        for word in (case or test), test.removeprefix("cli_"):
            assert re.search(rf"\b{re.escape(word)}\b", text), f"tests/may_skip.txt: {name} is no test"


def main(source):
    check_counts(source)
    check_list(source)


main(sys.argv[1])
