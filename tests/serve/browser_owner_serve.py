#!/usr/bin/env python3
"""The page of `semblance serve` as a data owner uses it who has no mouse, a long table, or second thoughts.

    browser_owner_serve.py SEMBLANCE OUTPUT_FOLDER

All six steps on the demo by keyboard alone. An inspection and a count of a long table are cancelled. What an inspection says of a column
stands beside it. A change is undone, and what is undone is no longer shown. 10,000 columns. Files that cannot be kept are
refused in words. Exit code 77: there is no
Chromium here."""
import json
import os
import resource
import shutil
import signal
import sys

from browser_serve import Visitor, by_text, choose_file
import chromium
from serving import Checks, Server

TAB, ENTER = ("Tab", 9), ("Enter", 13)
MOST_TABS = 80


def tab_to(page, checks, text):
    """Presses Tab until the control of this text has the focus, which must be seen."""
    for _ in range(MOST_TABS):
        page.press(*TAB)
        if page.evaluate("document.activeElement.textContent.trim()") == text:
            checks.that(page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none", f"{text}: the focus is seen")
            return
    raise RuntimeError(f"no way to {text!r} by Tab")


def check_keyboard(browser, server, checks, folder):
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url)
    steps = (("Open a table", "Try the demo"), ("What is publicly known of the columns", "Keep and continue"), ("How much may be known", "Make the synthetic table"),
             ("Runs", "Look at the result"), ("The synthetic table", "Verify the certificate"), ("Ledgers and certificates", "Verify"))
    for title, control in steps:
        tab.at(title)
        page.wait("!!" + by_text(control), control)
        tab_to(page, checks, control)
        page.press(*ENTER)
    page.wait("(document.querySelector('pre') || {textContent: ''}).textContent.startsWith('GUARANTEE')", "the statement")
    page.evaluate("location.hash = 'columns/demo-clinic%2Fpatients.csv'")
    tab.at("What is publicly known of the columns")
    page.wait("!!document.querySelector('[data-edit]')", "columns")
    tab_to(page, checks, "Edit")
    page.press(*ENTER)
    page.wait("!!document.querySelector('.editor') && document.activeElement.textContent === 'Close'", "the form, and the focus where it was")
    page.press(*TAB)
    checks.that(page.evaluate("document.activeElement.tagName") == "SELECT", "the next stop is the form")
    tab.quiet("by keyboard")
    page.close()


def check_cancel(browser, server, checks, folder):
    """Long readings end when they are not wanted any more."""
    with open(os.path.join(server.folder, "long.csv"), "w", encoding="utf-8") as file:
        file.write("age,town,note\n")
        for i in range(25):
            file.write("".join(f"{(i * 40000 + k) % 90},{'abcdefg'[k % 7]},{k % 1000}\n" for k in range(40000)))
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url + "#columns/long.csv")
    tab.click("Read it from the records")
    tab.click("Cancel")
    page.wait("document.querySelector('main').innerText.includes('Cancelled.')", "a word on it")
    while server.get("api/progress")[1]["reads"]:
        pass  # until the server has heard it
    checks.that(page.evaluate("!!" + by_text("Read it from the records")), "it can be asked for again")
    tab.click("Read it from the records")
    page.wait("document.querySelector('main').innerText.includes('rows so far')", "how far it is")
    tab.survey("waiting")
    page.wait("document.querySelectorAll('[data-accept]').length === 3", "the inspection")
    tab.click("Count cells and rows that do not fit")
    tab.click("Cancel")
    page.wait("document.querySelector('main').innerText.includes('Cancelled.')", "a word on it")
    checks.that(page.evaluate("document.querySelectorAll('.waiting, pre').length") == 0, "nothing is left of it")
    page.click("document.querySelector('[data-accept]')")
    tab.click("Undo")
    page.wait("document.querySelectorAll('[data-accept]').length === 3", "undo works as before")
    tab.quiet("what was cancelled")
    page.close()


def check_notes(browser, server, checks, folder):
    """What an inspection warns of is said where it is accepted."""
    with open(os.path.join(server.folder, "notes.csv"), "w", encoding="utf-8") as file:
        file.write("name,age,remark\n" + "".join(f"P{i} {i * 7919 % 1000},{20 + i % 60},{'saw ' + 'xyz'[i % 3] * (i % 9) if i % 40 == 0 else ''}\n" for i in range(900)))
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url + "#columns/notes.csv")
    tab.click("Read it from the records")
    page.wait("document.querySelectorAll('[data-accept]').length === 2", "the inspection")
    rows = page.evaluate("[...document.querySelectorAll('tbody tr')].map(row => row.innerText)")
    checks.that("ignored" in rows[0] and "not used" in rows[0] and "declared" not in rows[0], f"names are not used, and why: {rows[0]}")
    checks.that("few people" in rows[2], f"rare remarks are a fact about few people: {rows[2]}")
    tab.survey("notes")
    page.click("document.querySelector('textarea')")
    page.call("Input.insertText", text="age > > 1")
    page.wait("!!document.querySelector('p.bad')", "a rule that is none")
    tab.click("Undo")
    page.wait("document.querySelector('textarea').value === ''", "what was undone is not shown")
    page.wait("!!document.querySelector('p[role=status].good')", "the schema without it")
    tab.quiet("notes", refused="422")
    page.close()


def check_many_columns(browser, server, checks, folder):
    """10,000 columns: a hundred are drawn, and a change draws no more."""
    names = [f"c{i}" for i in range(10000)]
    with open(os.path.join(server.folder, "many.csv"), "w", encoding="utf-8") as file:
        file.write(",".join(names) + "\n" + ("1," * 9999 + "1\n") * 3)
    fields = [{"name": name, "type": "integer", "constraints": {"minimum": 0, "maximum": 9}} for name in names]
    with open(os.path.join(server.folder, "many.csv.schema.json"), "w", encoding="utf-8") as file:
        json.dump({"fields": fields}, file)
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url + "#columns/many.csv")
    page.wait("document.querySelectorAll('tbody tr').length === 100", "the first hundred columns")
    page.click("document.querySelector('[data-edit]')")
    page.wait("!!document.querySelector('.editor')", "the form")
    change = "(box => { const began = performance.now(); box.click(); return performance.now() - began; })([...document.querySelectorAll('.editor input[type=checkbox]')][0])"
    took = page.evaluate(change)
    page.wait("document.querySelector('tbody').innerText.includes('never missing') && document.querySelector('main').innerText.includes('Changed since it was kept: c0')", "the change, and the difference")
    print(f"a change among 10,000 columns: {took:.0f} ms")
    checks.that(page.evaluate("document.querySelectorAll('*').length") < 3000, "few elements")
    tab.click("Undo")
    page.wait("document.querySelector('main').innerText.includes('As it is kept.')", "undone")
    tab.quiet("10,000 columns")
    page.close()


def check_too_little(browser, server, checks, folder):
    """An epsilon that discovers nothing: the run says so, and leads back."""
    shutil.copy(os.path.join(server.folder, "demo-clinic", "patients.csv"), os.path.join(server.folder, "little.csv"))
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url + "#budget/little.csv/discover")
    tab.at("How much may be known")
    page.evaluate("(n => { n.value = 0.01; n.dispatchEvent(new Event('change')); })(document.querySelector('input[type=number]'))")
    tab.click("Make the synthetic table")
    tab.at("Runs")
    page.wait("!!" + by_text("Back to the budget"), "a way back")
    checks.that("spend more" in page.evaluate("document.querySelector('[data-state=failed]').innerText"), "and why")
    tab.survey("failed")
    tab.click("Back to the budget")
    tab.at("How much may be known")
    tab.quiet("too little")
    page.close()


def limit_files():
    """A disk that is full after 4 MB."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, 4 << 20))


def check_refused_files(browser, program, checks, folder):
    """A file that cannot be kept: the page says why, not that the server is gone."""
    with Server(program, before=limit_files) as server:
        for name, size, words in (("large.csv", 24 << 20, "was not kept"), ("huge.csv", 17 << 30, "put it into the folder yourself"), ("notes.txt", 10, "plain name")):
            path = os.path.join(server.root, name)
            with open(path, "wb") as file:
                file.truncate(size)
            tab = Visitor(browser, server, checks, folder)
            tab.page.visit(server.url)
            tab.at("Open a table")
            choose_file(tab.page, path)
            said = tab.page.wait("(document.querySelector('[role=alert]') || {}).textContent", name)
            checks.that(words in said, f"{name}: {said}")
            checks.that(os.listdir(server.folder) == [], f"nothing is left: {os.listdir(server.folder)}")
            tab.page.close()


def main():
    program = chromium.find()
    if program is None:
        print("skipped: no chromium here")
        return 77
    os.makedirs(sys.argv[2], exist_ok=True)
    checks = Checks()
    with Server(sys.argv[1]) as server, chromium.Browser(program) as browser:
        for check in (check_keyboard, check_cancel, check_notes, check_many_columns, check_too_little):
            check(browser, server, checks, sys.argv[2])
        check_refused_files(browser, sys.argv[1], checks, sys.argv[2])
    return checks.result()


if __name__ == "__main__":
    sys.exit(main())
