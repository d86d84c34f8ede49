#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/REPORT.md, from the report that `make demo` left.

    tools/make_report_pictures.py [DEMO_FOLDER [OUTPUT_FOLDER]]     # build/demo, docs

report-evaluation.png: the top of the page, to the end of the pairs of columns. report-guarantee.png: the guarantee. Needs Chromium.
"""
import base64
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "tests/browser"))
import chromium  # noqa: E402

WIDTH = 900  # of the page; the pictures are three quarters as wide
PICTURES = {"report-evaluation": ("body", "#pairs"), "report-guarantee": ("#guarantee", "#guarantee")}


def shoot(page, first, last, path):
    """From the top of one element to the foot of another, over the whole width."""
    top, foot = (page.evaluate(f"document.querySelector('{name}').getBoundingClientRect().{edge} + scrollY")
                 for name, edge in ((first, "top"), (last, "bottom")))
    start = max(top - 12, 0)
    clip = {"x": 0, "y": start, "width": WIDTH, "height": foot + 12 - start, "scale": 0.75}
    data = page.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
    path.write_bytes(base64.b64decode(data))


def main(demo="build/demo", output=root / "docs"):
    program = chromium.find()
    if program is None:
        sys.exit("make_report_pictures: there is no chromium here")
    with chromium.Browser(program) as browser:
        page = chromium.Page(browser, WIDTH)
        page.open(Path(demo) / "report.html")
        for name, (first, last) in PICTURES.items():
            shoot(page, first, last, Path(output) / f"{name}.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
