#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Print "passed failed skipped" of a JUnit file that ctest wrote.

A test that skipped, or skipped a case of its own, has failed unless tests/may_skip.txt lists it: a
missing package must not look like a passed test. Those that may are named on standard error with the reason.
"""
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "may_skip.txt")
# What cmocka prints, and tests/cli/run.sh.
CASES = re.compile(r"^\[  SKIPPED \] (\w+)$|^skipped \w+/(\w+): ", re.MULTILINE)


def read_list(path):
    """Test or test/case: the reason why it may skip."""
    with open(path, encoding="utf-8") as file:
        lines = [line.split(maxsplit=1) for line in file if line.strip() and not line.startswith("#")]
    return {name: reason.strip() for name, reason in lines}


def skipped_in(case):
    """Names of what the test skipped: itself, or some of its cases."""
    if case.get("status") in ("notrun", "disabled") and case.find("failure") is None and case.find("skipped") is not None:
        return {case.get("name")}
    found = CASES.findall(case.findtext("system-out") or "")
    return {f"{case.get('name')}/{unit or script}" for unit, script in found}


def judge(case, may_skip):
    """passed, failed or skipped."""
    skips = skipped_in(case)
    for name in sorted(skips):
        print(f"count_tests: {name} skipped: " + may_skip.get(name, "not in tests/may_skip.txt, so it failed"), file=sys.stderr)
    if not skips <= may_skip.keys():
        return "failed"
    if case.get("name") in skips:
        return "skipped"
    return "passed" if case.get("status") == "run" else "failed"


def main(path, listed=LIST):
    try:
        cases = ElementTree.parse(path).getroot().findall("testcase")
        may_skip = read_list(listed)
    except (OSError, ValueError, ElementTree.ParseError) as error:
        print(f"count_tests: {path}: {error}", file=sys.stderr)
        return 1
    results = [judge(case, may_skip) for case in cases]
    print(*(results.count(word) for word in ("passed", "failed", "skipped")))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
