#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run the Python of a page, and hold what it prints against what the page shows.

    run_pycon.py PAGE [--need-all]

Blocks ```pycon are one doctest, run in a scratch folder; "..." in an output stands for anything. A block under
<!-- needs MODULE... --> is left out where one of these is not installed, unless --need-all is given.
"""
import doctest
import importlib.util
import os
import re
import sys
import tempfile

BLOCK = re.compile(r"^(?:<!-- needs ([a-z ]+) -->\n)?```pycon\n(.*?)^```$", flags=re.M | re.S)


def wanted(text, need_all):
    for needs, block in BLOCK.findall(text):
        missing = [name for name in needs.split() if importlib.util.find_spec(name) is None]
        if missing and not need_all:
            print(f"left out: a block that needs {' '.join(missing)}")
        else:
            yield block


def main(page, *options):
    with open(page, encoding="utf-8") as file:
        source = "\n".join(wanted(file.read(), "--need-all" in options))
    test = doctest.DocTestParser().get_doctest(source, {}, os.path.basename(page), page, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        runner.run(test)
        os.chdir("/")
    done = runner.summarize()
    print(f"{done.attempted} statements, {done.failed} not as the page says")
    return 1 if done.failed or not done.attempted else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
