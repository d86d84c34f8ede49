#!/usr/bin/env python3
"""Print "passed failed skipped" of a JUnit file that ctest wrote."""
import sys
import xml.etree.ElementTree as ElementTree


def main(path):
    try:
        cases = ElementTree.parse(path).getroot().findall("testcase")
    except (OSError, ElementTree.ParseError) as error:
        print(f"count_tests: {path}: {error}", file=sys.stderr)
        return 1
    passed = sum(case.get("status") == "run" for case in cases)
    skipped = sum(case.get("status") in ("notrun", "disabled") and case.find("failure") is None
                  and case.find("skipped") is not None for case in cases)
    print(passed, len(cases) - passed - skipped, skipped)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
