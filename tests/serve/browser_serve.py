#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The whole job in headless Chromium on the page of `semblance serve`.

    browser_serve.py SEMBLANCE OUTPUT_FOLDER

On the demo: from the first page to a verified certificate, by clicks, which are counted; the page is loaded again in the
middle of the run, and open twice. The same without a schema. With a table whose names, cells and rules are hostile, and which nobody has described: each
line is accepted. With 200 columns. With a server that goes away. Each step: nothing in the console, no request to anybody else,
headings in order, every control and picture labelled, a contrast of 4.5 in light and dark, no sideways scrolling on a phone.
Pictures of the steps stay in OUTPUT_FOLDER; those of docs/SERVE.md are in its folder docs. Exit code 77: there is no Chromium here."""
import os
import shutil
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "browser"))
import chromium  # noqa: E402
import palette  # noqa: E402
from serving import Checks, Server  # noqa: E402

MOST_CLICKS = 12
# Pictures of docs/SERVE.md, by step and look: OUTPUT_FOLDER/docs holds them as they stand there.
DOCUMENTED = {"open-wide": "serve-open.png", "columns-wide": "serve-columns.png", "columns-phone": "serve-columns-phone.png", "budget-wide": "serve-budget.png",
              "budget-dark": "serve-budget-dark.png", "run-wide": "serve-run.png", "look-wide": "serve-look.png", "ledgers-wide": "serve-ledgers.png"}
MOST_PICTURE_BYTES, MOST_PICTURE_HEIGHT = 60000, 1500

# What is wrong with what is shown, as texts. Contrast: WCAG 2.1, relative luminance.
SURVEY = r"""
(() => {
  const all = s => [...document.querySelectorAll(s)], seen = e => e.getClientRects().length > 0, faults = [];
  const rgb = text => (text.match(/[\d.]+/g) || []).map(Number);
  const light = c => { const f = c.slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2]; };
  const ground = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0) return c; } return [255, 255, 255]; };
  for (const e of all('body *').filter(e => seen(e) && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()))) {
    const a = light(rgb(getComputedStyle(e).color)), b = light(ground(e)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5 && !e.disabled) faults.push(`contrast ${ratio.toFixed(2)}: ${e.tagName} ${e.textContent.slice(0, 40)}`);
  }
  const name = e => e.getAttribute('aria-label') || (e.labels && [...e.labels].map(l => l.textContent).join('')) || (['BUTTON', 'A', 'SUMMARY'].includes(e.tagName) ? e.textContent : '');
  for (const e of all('input, select, textarea, button, a[href], summary, progress').filter(seen)) if (!name(e).trim()) faults.push('no label: ' + e.outerHTML.slice(0, 80));
  for (const e of all('svg')) if (e.getAttribute('aria-hidden') !== 'true' && !(e.getAttribute('role') === 'img' && e.getAttribute('aria-label'))) faults.push('a picture without words');
  for (const e of all('th')) if (!e.getAttribute('scope')) faults.push('th without scope');
  const levels = all('h1,h2,h3,h4').filter(seen).map(h => Number(h.tagName[1]));
  if (levels.filter(l => l === 1).length !== 1 || levels[0] !== 1) faults.push('not one h1, first: ' + levels);
  levels.forEach((l, i) => { if (i && l > levels[i - 1] + 1) faults.push('a level of headings is left out: ' + levels); });
  const ids = all('[id]').map(e => e.id);
  if (new Set(ids).size !== ids.length) faults.push('an id twice');
  if (document.documentElement.lang !== 'en' || !document.title) faults.push('no language or title');
  if (document.documentElement.scrollWidth > innerWidth) faults.push('sideways: ' + document.documentElement.scrollWidth);
  for (const e of all('iframe, object, embed, form, base, [style]')) faults.push('markup that is not ours: ' + e.outerHTML.slice(0, 80));
  for (const e of all('img')) if (!e.alt || !(e.src.startsWith('data:image/') || e.src.startsWith(location.origin + location.pathname + 'api/'))) faults.push('an image that is not ours: ' + e.outerHTML.slice(0, 80));
  for (const e of all('canvas')) if (e.getAttribute('role') !== 'img' || !e.getAttribute('aria-label')) faults.push('a canvas without words');
  if (all('*').some(e => [...e.attributes].some(a => /^on/i.test(a.name)))) faults.push('a handler in markup');
  return faults;
})()
"""


def by_text(text, tag="button, a"):
    """JavaScript that finds a control by all of its text."""
    return f"[...document.querySelectorAll('{tag}')].find(e => e.textContent.trim() === {text!r} && e.getClientRects().length && !e.disabled)"


class Visitor:
    """A tab, its clicks, and what is wrong with each step that it shows."""

    documented = DOCUMENTED  # pictures of docs/SERVE.md

    def __init__(self, browser, server, checks, folder):
        self.page = chromium.Page(browser, 1000)
        self.server, self.checks, self.folder = server, checks, folder
        self.clicks = []

    def click(self, text):
        self.page.wait("!!" + by_text(text), text)
        self.page.click(by_text(text))
        self.clicks.append(text)

    def unfold(self, text):
        """Opens the details whose summary begins so."""
        summary = f"[...document.querySelectorAll('summary')].find(e => e.textContent.startsWith({text!r}))"
        self.page.wait("!!" + summary, text)
        self.page.evaluate(f"(d => {{ d.open = true; }})({summary}.parentElement)")

    def at(self, title):
        """Until the step of this title is drawn."""
        self.page.wait(f"document.activeElement.tagName === 'H1' && document.querySelector('h1').textContent === {title!r}", title)

    def survey(self, name, picture=True):
        for mode, width, scheme in (("wide", 1000, "light"), ("dark", 1000, "dark"), ("phone", 360, "light")):
            self.page.resize(width)
            self.page.scheme(scheme)
            faults = self.page.evaluate(SURVEY)
            self.checks.that(not faults, f"{name}, {mode}: {faults[:5]}")
            if picture:
                self.page.screenshot(os.path.join(self.folder, f"serve-{name}-{mode}.png"))
            if picture and f"{name}-{mode}" in self.documented:
                self.page.screenshot(os.path.join(self.folder, f"small-{name}-{mode}.png"), 0.6, MOST_PICTURE_HEIGHT)
        self.page.resize(1000)
        self.page.scheme("light")

    def quiet(self, name, refused=""):
        """refused: the status of answers that were asked for."""
        complaints = [c for c in self.page.complaints() if not refused or f"a status of {refused}" not in c]
        self.checks.that(not complaints, f"{name}: {complaints[:3]}")
        origin = f"http://127.0.0.1:{self.server.port}/{self.server.token}/"
        strangers = [u for u in self.page.requests() if not u.startswith(origin)]
        self.checks.that(not strangers, f"{name}: asks {strangers[:3]}")


def check_demo(browser, server, checks, folder):
    """The whole path, by clicks."""
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url)
    tab.at("Choose your data")
    tab.survey("open")
    tab.click("Try the demo")
    tab.at("Describe the columns")
    page.wait("document.querySelectorAll('tbody tr').length === 10 && !!document.querySelector('.state .good')", "ten columns")
    checks.that(page.evaluate("document.querySelectorAll('.histogram').length") == 0, "no picture of real records unasked")
    tab.click("Show histograms of the real records")
    tab.clicks.pop()  # not on the way
    page.wait("document.querySelectorAll('td .histogram').length === 10", "a histogram of each column")
    checks.that("NOT PRIVATE" in page.evaluate("document.querySelector('thead').innerText"), "which are marked")
    tab.survey("columns")
    tab.click("Keep and continue")
    tab.at("Set the privacy budget")
    page.wait("document.querySelectorAll('tbody tr').length > 3 && document.body.innerText.match(/About .* of memory/)", "the plan, and how long it takes")
    words = page.evaluate("document.querySelector('.expected').innerText")
    checks.that("Two columns together: " in words and "label: up to" in words and "may be lost" in words, f"what is to be expected: {words}")
    tab.survey("budget")
    tab.click("Make the synthetic table")
    tab.at("Make the synthetic data")
    page.call("Page.reload")  # in the middle of the run
    page.wait("!!document.querySelector('[data-run]')", "the run, again")
    tab.survey("run", picture=False)
    second = Visitor(browser, server, checks, folder)
    second.page.visit(server.url + "#run")
    second.page.wait("!!document.querySelector('[data-state=done]')", "the end of the run, in another tab")
    second.quiet("the second tab")
    second.page.close()
    page.wait("!!" + by_text("Look at the result"), "the end of the run")
    tab.survey("run")
    tab.click("Look at the result")
    tab.at("Look at the synthetic table")
    page.wait("document.querySelectorAll('tbody tr').length === 20", "synthetic rows")
    check_pictures(page, checks)
    tab.survey("look")
    report = page.evaluate(by_text("Open the report") + ".href")
    tab.click("Verify the certificate")
    tab.at("Check what was spent")
    page.wait("!!" + by_text("Verify"), "a certificate")
    tab.click("Verify")
    page.wait("(document.querySelector('pre') || {textContent: ''}).textContent.startsWith('GUARANTEE')", "the statement")
    tab.survey("ledgers")
    checks.that(len(tab.clicks) <= MOST_CLICKS, f"{len(tab.clicks)} clicks: {tab.clicks}")
    print(f"{len(tab.clicks)} clicks: {', '.join(tab.clicks)}")
    tab.quiet("the demo")
    page.pdf(os.path.join(folder, "serve-ledgers.pdf"))
    check_real_rows(tab, checks)
    page.close()
    shown = chromium.Page(browser, 1000)
    shown.visit(report)
    checks.that("differential privacy" in shown.evaluate("document.body.innerText") and not shown.complaints(), f"the report: {shown.complaints()}")
    checks.that(shown.evaluate("self.origin") == "null", "the report is of no origin")
    shown.close()


def check_pictures(page, checks):
    """A histogram of each synthetic column, with an interval on each bar."""
    page.wait("document.querySelectorAll('figure .histogram').length === 10", "a histogram of each column")
    shown = page.evaluate("[...document.querySelectorAll('figure')].map(e => [e.dataset.column, !!e.querySelector('.whisker')])")
    checks.that(all(bars for _, bars in shown), f"every column has error bars: {shown}")
    checks.that("95 % intervals for the population" in page.evaluate("document.body.innerText"), "the page says what they are")


def check_real_rows(tab, checks):
    """Hidden until they are asked for, marked, not printed, and gone again."""
    page = tab.page
    page.evaluate("history.back()")
    tab.at("Look at the synthetic table")
    checks.that(page.evaluate("document.querySelectorAll('.real-rows table, .not-private').length") == 0, "no real row at first")
    tab.unfold("Compare")
    tab.click("Compare with the real table")
    page.wait("!!" + by_text("Open the comparison"), "the comparison")
    checks.that(page.evaluate("document.querySelector('.not-private').innerText.startsWith('NOT PRIVATE')"), "which is marked")
    tab.unfold("Real rows")
    tab.click("Show real rows")
    page.wait("!!document.querySelector('.real-rows table')", "real rows")
    tab.survey("real-rows", picture=False)
    checks.that("NOT PRIVATE" in page.evaluate("document.querySelector('.real-rows:has(table)').innerText"), "marked")
    page.call("Emulation.setEmulatedMedia", media="print")
    checks.that(page.evaluate("[...document.querySelectorAll('.real-rows')].every(e => e.getClientRects().length === 0)"), "not printed")
    page.call("Emulation.setEmulatedMedia", media="")
    tab.click("Hide real rows")
    checks.that(page.evaluate("document.querySelectorAll('.real-rows table').length") == 0, "gone")


HOSTILE = "<img src=x onerror=alert(1)>"
HOSTILE_FILE = "'><svg onload=alert(2)>.csv"


def hostile_table():
    """Latin-1 with semicolons, and names and cells that would like to be markup."""
    lines = [f"{HOSTILE};\"</script><script>alert(3)</script>\";größe;javascript:alert(4)"]
    for i in range(400):
        lines.append(f"{['<b>a</b>', 'café', '{{7*7}}'][i % 3]};{'<script>alert(5)</script>' if i % 2 else '&lt'};{i % 37};{i % 11}")
    return "\r\n".join(lines).encode("latin-1")


def choose_file(page, path):
    root = page.call("DOM.getDocument")["root"]["nodeId"]
    node = page.call("DOM.querySelector", nodeId=root, selector="input[type=file]")["nodeId"]
    page.call("DOM.setFileInputFiles", nodeId=node, files=[path])


def check_hostile(browser, server, checks, folder):
    path = os.path.join(server.root, HOSTILE_FILE)
    with open(path, "wb") as file:
        file.write(hostile_table())
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url)
    tab.at("Choose your data")
    choose_file(page, path)
    tab.at("Describe the columns")
    tab.click("Read it from the records")
    page.wait("document.querySelectorAll('[data-accept]').length === 4", "four lines that wait")
    checks.that(page.evaluate("!(" + by_text("Keep and continue") + ")"), "nothing goes on before they are accepted")
    checks.that(HOSTILE in page.evaluate("document.querySelector('tbody').innerText"), "a hostile name is text")
    checks.that("Semicolons between cells, windows-1252, names in line 1, 4 columns" in page.evaluate("document.body.innerText"), "how the file is written")
    tab.survey("inspect")
    for column in (0, 2):
        page.click(f"document.querySelectorAll('[data-edit]')[{column}]")
        page.wait("!!document.querySelector('.editor')", "the form of a column")
        if column == 0:  # its role: the first select
            page.evaluate("(s => { s.value = 'label'; s.dispatchEvent(new Event('change')); })(document.querySelector('.editor select'))")
            page.wait("document.querySelector('tbody').innerText.includes('label, predicted')", "a label")
        tab.survey("edit", picture=column == 2)
        page.click(f"document.querySelectorAll('[data-edit]')[{column}]")
    page.wait("document.querySelectorAll('td .histogram').length === 4", "the draft has a histogram of each column")
    page.click("document.querySelector('[data-accept]')")
    page.wait("document.querySelectorAll('[data-accept]').length === 3", "three lines wait")
    tab.click("Accept all 3 lines")
    page.wait("document.querySelectorAll('[data-accept]').length === 0 && document.activeElement.textContent === 'Keep and continue'", "all are accepted")
    tab.unfold("Advanced")
    page.click("document.querySelector('textarea')")
    page.call("Input.insertText", text="<script>alert(6)</script> > > 1")
    page.wait("!!document.querySelector('p.bad')", "an invalid rule")
    tab.survey("rule", picture=False)
    tab.click("Undo")
    page.wait("!!document.querySelector('p[role=status].good')", "the schema without it")
    tab.click("Count cells and rows that do not fit")
    page.wait("!!document.querySelector('pre')", "counts")
    checks.that("NOT PRIVATE" in page.evaluate("document.querySelector('.not-private').innerText"), "which are marked")
    tab.click("Keep and continue")
    tab.at("Set the privacy budget")
    page.wait("document.querySelectorAll('tbody tr').length > 1", "the plan")
    words = page.evaluate("document.querySelector('.epsilon .hint').textContent + document.querySelector('input[type=range]').getAttribute('aria-valuetext')")
    page.evaluate("document.querySelector('input[type=range]').focus()")
    for _ in range(3):
        page.press("PageUp", 33)
    changed = page.evaluate("document.querySelector('.epsilon .hint').textContent + document.querySelector('input[type=range]').getAttribute('aria-valuetext')")
    checks.that(words != changed, f"the slider hears the keyboard: {changed}")
    page.evaluate("document.querySelector('input[maxlength]').value = '<script>alert(7)</script>'")
    tab.click("Make the synthetic table")
    tab.at("Make the synthetic data")
    page.wait("document.querySelector('[data-run]').dataset.state === 'done'", "the end of the run, which is the first of two")
    tab.survey("hostile-run", picture=False)
    tab.click("Look at the result")
    tab.at("Look at the synthetic table")
    page.wait("document.querySelectorAll('tbody tr').length === 20", "synthetic rows")
    text = page.evaluate("document.querySelector('table').innerText")
    checks.that("größe" in text and ("<b>a</b>" in text or "café" in text), f"names and cells are text: {text[:200]}")
    tab.survey("hostile-look", picture=False)
    tab.click("Verify the certificate")
    tab.at("Check what was spent")
    tab.survey("hostile-ledgers", picture=False)
    tab.quiet("a hostile table", refused="422")  # the rule that was none
    page.close()


def check_discover(browser, server, checks, folder):
    """A CSV and no schema: a part of the budget describes it."""
    shutil.copy(os.path.join(server.folder, "demo-clinic", "patients.csv"), os.path.join(server.folder, "bare.csv"))
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url)
    tab.at("Choose your data")
    page.click("[...document.querySelectorAll('button')].find(e => e.getAttribute('aria-label') === 'Open bare.csv')")
    tab.clicks.append("Open")
    tab.at("Describe the columns")
    tab.survey("choice", picture=False)
    tab.click("Discover it with a part of the budget")
    page.wait("document.body.innerText.includes('Commas between cells, utf-8, names in line 1, 10 columns')", "how the file is read, before anything is charged")
    checks.that("blood_pressure" in page.evaluate("document.body.innerText"), "with the names of its columns")
    checks.that(not os.path.exists(os.path.join(server.folder, "bare.csv.ledger")), "nothing is charged yet")
    tab.survey("dialect", picture=False)
    tab.click("This is right, continue")
    tab.at("Set the privacy budget")
    page.wait("document.body.innerText.includes('right at most')", "the promise")
    tab.survey("discover", picture=False)
    page.evaluate("(n => { n.value = 3; n.dispatchEvent(new Event('change')); })(document.querySelector('input[type=number]'))")  # typed, not clicked
    tab.click("Make the synthetic table")
    tab.at("Make the synthetic data")
    page.wait("document.querySelector('[data-run]').dataset.state === 'done'", "the end of the run, which is the first")
    page.click("document.querySelector('[data-run] a')")
    tab.clicks.append("Look at the result")
    tab.at("Look at the synthetic table")
    page.wait("document.querySelectorAll('tbody tr').length === 20", "synthetic rows")
    tab.click("Verify the certificate")
    tab.at("Check what was spent")
    tab.click("Verify")
    page.wait("(document.querySelector('pre') || {textContent: ''}).textContent.startsWith('GUARANTEE')", "the statement")
    checks.that(len(tab.clicks) <= MOST_CLICKS, f"{len(tab.clicks)} clicks: {tab.clicks}")
    tab.quiet("a table without a schema")
    page.close()


def check_wide(browser, server, checks, folder):
    """200 columns: not all are drawn at once."""
    with open(os.path.join(server.folder, "wide.csv"), "w", encoding="utf-8") as file:
        file.write(",".join(f"c{i}" for i in range(200)) + "\n")
        for row in range(50):
            file.write(",".join(str((row * 7 + i) % 13) for i in range(200)) + "\n")
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url + "#columns/wide.csv")
    tab.click("Read it from the records")
    page.wait("document.querySelectorAll('tbody tr').length === 100", "the first hundred columns")
    tab.click("Show 100 more columns")
    page.wait("document.querySelectorAll('tbody tr').length === 200", "all columns")
    checks.that(page.evaluate("document.querySelectorAll('*').length") < 6000, "few elements")
    tab.quiet("200 columns")
    page.close()


def write_pictures(browser, checks, folder):
    """Few colours, and small files."""
    blank = chromium.Page(browser)
    os.makedirs(os.path.join(folder, "docs"), exist_ok=True)
    for source, name in Visitor.documented.items():
        path = os.path.join(folder, "docs", name)
        palette.reduce(blank, os.path.join(folder, f"small-{source}.png"), path)
        checks.that(0 < os.path.getsize(path) < MOST_PICTURE_BYTES, f"{name}: {os.path.getsize(path)} bytes")
    blank.close()


def check_gone(browser, server, checks, folder):
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url)
    tab.at("Choose your data")
    server.process.send_signal(signal.SIGKILL)
    server.process.communicate()
    tab.click("Try the demo")
    said = page.wait("(document.querySelector('[role=alert]') || {}).textContent", "a word on it")
    checks.that("does not answer" in said, f"a server that went away is said: {said}")
    page.close()


def main():
    program = chromium.find()
    if program is None:
        print("skipped: no chromium here")
        return 77
    folder = sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    checks = Checks()
    with Server(sys.argv[1]) as server, chromium.Browser(program) as browser:
        for check in (check_demo, check_discover, check_hostile, check_wide, check_gone):
            check(browser, server, checks, folder)
        write_pictures(browser, checks, folder)
    return checks.result()


if __name__ == "__main__":
    sys.exit(main())
