#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens reports in headless Chromium and reads what was rendered.

    check_report.py MAKE_REPORT OUTPUT_FOLDER [SEMBLANCE MAKE_CLINIC SCHEMA]

MAKE_REPORT writes reports of made-up evaluations (tests/report/make_report.c); with the program and
the generator of the demo's table, a whole run of `synth --report --evaluate` is opened too. Checked
for each: nothing in the console,
no request leaves the page, headings in order, every figure and table is labelled, all text has a
contrast of 4.5 at least in light and dark, and at phone width nothing needs sideways scrolling but
tables. Pages with planted faults must be caught, or the checks mean nothing. Screenshots (wide,
phone, dark, print) stay in OUTPUT_FOLDER. Exit code 77: there is no Chromium here."""

import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chromium  # noqa: E402

# What is on the page, as one object. Contrast: WCAG 2.1, relative luminance.
SURVEY = r"""
(() => {
  const all = s => [...document.querySelectorAll(s)];
  for (const d of all('details')) d.open = true;
  const rgb = text => (text.match(/[\d.]+/g) || []).map(Number);
  const light = c => { const f = c.slice(0, 3).map(v => v / 255)
      .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2]; };
  const ground = e => { for (; e; e = e.parentElement) {
      const c = rgb(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] > 0) return c; }
    return [255, 255, 255]; };
  const contrast = e => { const s = getComputedStyle(e);
    const a = light(rgb(e instanceof SVGElement ? s.fill : s.color)), b = light(ground(e));
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); };
  const texts = all('body *').filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())
    && !['STYLE', 'SCRIPT', 'title', 'desc'].includes(e.tagName) && e.getClientRects().length);
  let worst = { ratio: 99, where: '' };
  for (const e of texts) { const ratio = contrast(e);
    if (ratio < worst.ratio) worst = { ratio, where: e.tagName + ': ' + e.textContent.slice(0, 40) }; }
  return {
    lang: document.documentElement.lang, title: document.title,
    headings: all('h1,h2,h3,h4,h5,h6').map(h => [Number(h.tagName[1]), h.textContent]),
    banners: all('.banner').map(b => b.textContent),
    tags: all('h2 .tag').length, sections: all('section').map(s => s.id),
    figures: all('figure').length, images: all('img').length,
    brokenImages: all('img').filter(i => !i.naturalWidth || !i.alt).length,
    /* The names of a grid's rows are one list as high as the picture, or they name other rows. */
    misplacedNames: all('.preview').filter(p => { const names = p.querySelector('ul');
      return names && Math.abs(names.getBoundingClientRect().height -
        p.querySelector('img').getBoundingClientRect().height) > 2; }).length,
    unlabelled: all('svg').filter(s => !(s.getAttribute('aria-hidden') === 'true' ||
      (s.getAttribute('role') === 'img' && s.querySelector('title')?.textContent))).length,
    emptyCharts: all('svg[role=img]').filter(s => s.getBoundingClientRect().height < 10).length,
    tables: all('table').length,
    badTables: all('table').filter(t => !t.querySelector('caption')?.textContent ||
      [...t.querySelectorAll('th')].some(h => !h.getAttribute('scope'))).length,
    scripts: all('script,iframe,object,embed,form,base').length,
    handlers: all('*').filter(e => [...e.attributes].some(a => /^on/i.test(a.name))).length,
    links: all('[href]').map(e => e.getAttribute('href')).filter(h => h[0] !== '#' && h !== 'data:,'),
    deadLinks: all('a').filter(a => !document.getElementById(a.getAttribute('href').slice(1))).length,
    duplicateIds: all('[id]').length - new Set(all('[id]').map(e => e.id)).size,
    overflow: document.documentElement.scrollWidth - window.innerWidth,
    text: document.body.innerText, worst };
})()
"""


class Checks:
    """Counts what fails, and says it."""

    def __init__(self):
        self.failures = 0
        self.done = 0

    def that(self, good, what):
        self.done += 1
        if not good:
            self.failures += 1
            print(f"FAILED: {what}")


def faults_of(page, survey):
    """Everything that must not be on any report, as texts."""
    faults = [f"console: {c}" for c in page.complaints()]
    faults += [f"request: {r}" for r in page.requests()]
    levels = [level for level, _ in survey["headings"]]
    if levels.count(1) != 1 or levels[:1] != [1]:
        faults.append("heading: not one h1, first")
    if any(b > a + 1 for a, b in zip(levels, levels[1:])):
        faults.append("heading: a level is left out")
    if survey["lang"] != "en" or not survey["title"]:
        faults.append("no language or title")
    for name in ("brokenImages", "misplacedNames", "unlabelled", "emptyCharts", "badTables", "scripts", "handlers",
                 "deadLinks", "duplicateIds"):
        if survey[name]:
            faults.append(f"{name}: {survey[name]}")
    if survey["links"]:
        faults.append(f"links: {survey['links']}")
    if survey["worst"]["ratio"] < 4.5:
        faults.append(f"contrast: {survey['worst']}")
    if survey["overflow"] > 0:
        faults.append(f"overflow: {survey['overflow']}")
    return faults


def look(browser, path, checks, name, shots=None):
    """Opens a report wide, dark and on a phone; returns the wide survey."""
    page = chromium.Page(browser, 1280)
    page.open(path)
    wide = page.evaluate(SURVEY)
    for mode, width, scheme in (("wide", 1280, "light"), ("dark", 1280, "dark"),
                                ("phone", 360, "light")):
        page.resize(width)
        page.scheme(scheme)
        faults = faults_of(page, page.evaluate(SURVEY))
        checks.that(not faults, f"{name}, {mode}: {faults}")
        page.evaluate("for (const d of document.querySelectorAll('details')) d.open = false")
        if shots:
            page.screenshot(os.path.join(shots, f"{name}-{mode}.png"))
    if shots:
        page.resize(1280)
        page.pdf(os.path.join(shots, f"{name}-print.pdf"))
        with open(os.path.join(shots, f"{name}-print.pdf"), "rb") as file:
            checks.that(file.read(5) == b"%PDF-", f"{name}: prints")
    page.close()
    return wide


# Of a table, with a certificate: the verdict and pictures, the guarantee, the measures.
SECTIONS = ["glance", "columns", "pairs", "histories", "guarantee", "marginals", "association", "utility", "disclosure"]


def check_table(browser, path, checks, shots):
    seen = look(browser, path, checks, "table", shots)
    checks.that(seen["sections"] == SECTIONS, f"sections: {seen['sections']}")
    # 14 histograms, 3 pairs, 2 persons, errors, 3 heat maps, 2 legends, 5 ROC curves, 1 interval
    checks.that(seen["figures"] == 31, f"figures: {seen['figures']}")
    checks.that(len(seen["banners"]) == 2 and
                all(b.startswith("NOT PRIVATE") for b in seen["banners"]),
                f"banners: {seen['banners']}")
    checks.that(seen["tags"] == 8, "every section but the guarantee says NOT PRIVATE")
    checks.that("right at most" in seen["text"] and "epsilon" in seen["text"], "guarantee in words")


def check_hostile(browser, path, checks, shots):
    seen = look(browser, path, checks, "hostile", shots)
    checks.that(seen["headings"][0][1] == "</title></style></svg><script>x()</script>",
                f"a hostile title is shown as text: {seen['headings'][0]}")
    checks.that("<script>alert(1)</script>" in seen["text"], "a hostile name is shown as text")


def check_others(browser, make, folder, checks):
    seen = look(browser, make("public"), checks, "public", folder)
    checks.that(seen["sections"] == ["guarantee"] and seen["figures"] == 0 and
                "NOT PRIVATE" not in seen["text"], "the public report is public")
    checks.that([b[:6] for b in seen["banners"]] == ["PUBLIC"], f"banners: {seen['banners']}")
    seen = look(browser, make("wide"), checks, "wide")
    checks.that("48 columns that differ most of 500" in seen["text"], "the wide report says its cap")
    seen = look(browser, make("images"), checks, "images", folder)
    checks.that(seen["images"] == 3, f"images: {seen['images']}")
    order = seen["sections"]
    checks.that(order[0] == "preview" and order.index("images") < order.index("guarantee"), f"sections: {order}")
    seen = look(browser, make("gallery"), checks, "gallery", folder)
    checks.that(seen["sections"] == ["preview", "guarantee"] and seen["images"] == 1 and
                "NOT PRIVATE" not in seen["text"], "the public report shows synthetic images")
    checks.that("40 of 50 classes are shown; 10 are left out" in seen["text"] and
                "<script>alert(1)</script>" in seen["text"], "classes, with names as text")
    seen = look(browser, make("none"), checks, "none")
    checks.that(any(b.startswith("NO GUARANTEE") for b in seen["banners"]), "no guarantee is said")


def check_program(browser, tools, checks, folder):
    """The report that the program itself writes for a generated table."""
    semblance, make_clinic, schema = tools
    paths = {name: os.path.join(folder, f"clinic-{name}") for name in
             ("train.csv", "test.csv", "synthetic.csv", "report.html")}
    table = subprocess.run([make_clinic, "3000"], check=True, capture_output=True).stdout
    lines = table.splitlines(keepends=True)
    for name, part in (("train.csv", lines[1:2001]), ("test.csv", lines[2001:])):
        with open(paths[name], "wb") as file:
            file.writelines([lines[0], *part])
    # What an earlier run left would be charged together with this one.
    for left in (paths["train.csv"] + ".ledger", paths["synthetic.csv"]):
        if os.path.exists(left):
            os.remove(left)
    subprocess.run([semblance, "synth", paths["train.csv"], "--schema", schema, "--epsilon", "1",
                    "-o", paths["synthetic.csv"], "--report",
                    paths["report.html"], "--evaluate", paths["test.csv"], "--overwrite", "--quiet"],
                   check=True)
    seen = look(browser, paths["report.html"], checks, "clinic", folder)
    without = [name for name in SECTIONS if name != "histories"]  # its schema has no unit
    checks.that(seen["sections"] == without, f"sections: {seen['sections']}")
    checks.that("(epsilon 1, delta 1e-05)-differential privacy" in seen["text"], "the guarantee")
    checks.that("2000 records" in seen["text"] and "1000 records" in seen["text"], "the tables")


PLANTED = {
    "request": '<img alt="x" src="http://127.0.0.1:9/x.png">',
    "exception": "<script>throw new Error('planted')</script>",
    "console: console": "<script>console.error('planted')</script>",
    "contrast": '<p style="color:#999;background:#fff">pale</p>',
    "misplacedNames": '<div class="preview"><ul><li>x</li></ul><img alt="x" src="data:image/png;'
                      'base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAAAAABX3VL4AAAADklEQVR42mNgYGD4DwABBA'
                      'EAH4l8ngAAAABJRU5ErkJggg=="></div>',
    "unlabelled": '<svg width="9" height="20"></svg>',
    "badTables": "<table><tr><th>x</th></tr></table>",
    "heading": "<h4>deep</h4>",
    "overflow": '<div style="width:2000px">wide</div>',
    "handlers": '<p onclick="x()">x</p>',
    "links": '<a href="https://example.org/">x</a>',
    "deadLinks": '<a href="#nowhere">x</a>',
}


def check_planted(browser, folder, checks):
    """Each planted fault is found, and a page without one has none."""
    start = '<!DOCTYPE html><html lang="en"><title>x</title><link rel="icon" href="data:,"><h1>x</h1>'
    for name, fault in [("", "<p>x</p>"), *PLANTED.items()]:
        path = os.path.join(folder, "planted.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(start + fault)
        page = chromium.Page(browser)
        page.open(path)
        faults = faults_of(page, page.evaluate(SURVEY))
        page.close()
        os.remove(path)
        if name:
            checks.that(any(name in f for f in faults), f"planted {name} was not found: {faults}")
        else:
            checks.that(not faults, f"a clean page has faults: {faults}")


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    program = chromium.find()
    if program is None:
        print("skipped: no chromium here")
        return 77
    make_report, folder = sys.argv[1], sys.argv[2]
    os.makedirs(folder, exist_ok=True)

    def make(kind):
        path = os.path.join(folder, f"{kind}.html")
        subprocess.run([make_report, kind, path], check=True)
        return path

    checks = Checks()
    with chromium.Browser(program) as browser:
        check_planted(browser, folder, checks)
        check_table(browser, make("table"), checks, folder)
        check_hostile(browser, make("hostile"), checks, folder)
        check_others(browser, make, folder, checks)
        if len(sys.argv) == 6:
            check_program(browser, sys.argv[3:], checks, folder)
    print(f"{checks.done - checks.failures} checks passed, {checks.failures} failed; "
          f"screenshots in {folder}")
    return 1 if checks.failures else 0


if __name__ == "__main__":
    sys.exit(main())
