#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page of `semblance serve` as a data owner uses it who has no mouse, a long table, or second thoughts.

    browser_owner_serve.py SEMBLANCE OUTPUT_FOLDER

All six steps on the demo by keyboard alone. An inspection and a count of a long table are cancelled. Notes of an inspection are next to
their column. The page asks who a person is, and proposes again what follows. A spreadsheet, a wide table, a failure that leads to the
field that mends it. A change is undone, and what is undone is no longer shown. 10,000 columns. Files that cannot be kept are refused
with a message. Exit code 77: there is no Chromium here."""
import json
import os
import resource
import shutil
import signal
import sys

from browser_serve import Visitor, by_text, choose_file
import chromium
from data_sets import PEOPLE
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
    steps = (("Choose your data", "Try the demo"), ("Describe the columns", "Keep and continue"), ("Set the privacy budget", "Make the synthetic table"),
             ("Make the synthetic data", "Look at the result"), ("Look at the synthetic table", "Verify the certificate"), ("Check what was spent", "Verify"))
    for title, control in steps:
        tab.at(title)
        page.wait("!!" + by_text(control), control)
        tab_to(page, checks, control)
        page.press(*ENTER)
    page.wait("(document.querySelector('pre') || {textContent: ''}).textContent.startsWith('GUARANTEE')", "the statement")
    page.evaluate("location.hash = 'columns/demo-clinic%2Fpatients.csv'")
    tab.at("Describe the columns")
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
        for i in range(75):
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
    tab.unfold("Advanced")
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
    tab.unfold("Advanced")
    page.click("document.querySelector('textarea')")
    page.call("Input.insertText", text="age > > 1")
    page.wait("!!document.querySelector('p.bad')", "an invalid rule")
    tab.click("Undo")
    page.wait("document.querySelector('textarea').value === ''", "what was undone is not shown")
    page.wait("!!document.querySelector('p[role=status].good')", "the schema without it")
    tab.quiet("notes", refused="422")
    page.close()


def write_visits(server, name):
    """Three rows of each person, in order; the person's column has a name that says nothing."""
    with open(os.path.join(server.folder, name), "w", encoding="utf-8") as file:
        file.write("a,b,sex,day\n" + "".join(f"{i // 3},{i % 7},{'fm'[i // 3 % 2]},{1 + i % 3 * 5}\n" for i in range(900)))


def check_person(browser, server, checks, folder):
    """The page asks who a person is. When the answer changes, so do the proposals for order and constants."""
    write_visits(server, "asked.csv")
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url + "#columns/asked.csv")
    tab.click("Read it from the records")
    page.wait("!!document.querySelector('[data-accept]')", "the inspection")
    answer = "[...document.querySelectorAll('fieldset input[type=radio]')]"
    choose = "(s => {{ s.value = {!r}; s.dispatchEvent(new Event('change')); }})(document.querySelector('fieldset select'))"
    proposals = "[...document.querySelectorAll('.proposal')].map(e => e.innerText).join()"
    page.click(f"{answer}.find(e => e.value === 'yes')")
    page.wait("document.querySelector('fieldset select').getClientRects().length > 0", "the column is there to be chosen")
    page.evaluate(choose.format("a"))
    page.wait(f"{proposals}.includes('sex: all rows of a person') && {proposals}.includes('day: may order')", "constants and an order")
    checks.that("says whose row it is" in page.evaluate("document.querySelector('tbody tr').innerText"), "the column is the person's")
    tab.survey("person")
    page.evaluate(choose.format("b"))
    page.wait(f"!{proposals}.includes('sex: all rows of a person')", "of another person other things hold")
    page.wait("document.querySelectorAll('tbody tr')[0].innerText.includes('whole number') && !!document.querySelector('[data-accept=\"0\"]')", "the former column waits to be accepted again")
    page.evaluate(choose.format("a"))
    page.wait(f"{proposals}.includes('sex: all rows of a person')", "as before")
    tab.click("Accept all 2 proposals")
    page.wait("!document.querySelector('.proposal') && document.querySelector('tbody').innerText.includes('orders the rows of a person')", "both are taken")
    page.click(f"{answer}.find(e => e.value === 'no')")
    page.wait("!document.querySelector('tbody').innerText.includes('of a person')", "without a person nothing is a person's")
    tab.click("Undo")
    page.wait("document.querySelector('tbody').innerText.includes('orders the rows of a person')", "undone")
    page.click("[...document.querySelectorAll('button')].find(e => e.textContent.startsWith('Accept all'))")
    page.wait("!document.querySelector('[data-accept]')", "all lines are accepted")
    tab.click("Keep and continue")
    tab.at("Set the privacy budget")
    page.wait("document.body.innerText.includes('everyone but one person')", "persons are protected")
    kept = server.get("api/schema?path=asked.csv")[1]["schema"]
    checks.that(kept["semblance"]["unit"] == "a" and kept["semblance"]["order"] == "day" and "proposals" not in kept["semblance"], f"{kept['semblance']}")
    tab.quiet("persons")
    page.close()


def check_unanswered(browser, server, checks, folder):
    """Records that suggest a person: the page goes on only when the question is answered."""
    with open(os.path.join(server.folder, "suggest.csv"), "w", encoding="utf-8") as file:
        file.write("patient_id,ward\n" + "".join(f"{i // 3},{'abc'[i % 3]}\n" for i in range(900)))
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url + "#columns/suggest.csv")
    tab.click("Read it from the records")
    page.wait("document.querySelectorAll('[data-accept]').length === 2", "the inspection")
    checks.that("by the column patient_id (NOT PRIVATE)" in page.evaluate("document.querySelector('fieldset').innerText"), "what the records suggest")
    tab.click("Accept all 2 lines")
    page.wait("document.querySelector('.state').innerText.includes('Answer')", "it asks for the answer")
    checks.that(page.evaluate("!(" + by_text("Keep and continue") + ")"), "and does not go on without it")
    page.click("document.querySelector('fieldset input[value=yes]')")
    page.wait("document.querySelector('tbody').innerText.includes('says whose row it is') && !!" + by_text("Keep and continue"), "answered, with the column that was suggested")
    tab.quiet("a suggestion")
    page.close()


def check_dialect(browser, server, checks, folder):
    """Discovery shows how the file will be read, and the owner confirms it before anything is charged."""
    with open(os.path.join(server.folder, "german.csv"), "w", encoding="cp1252") as file:
        file.writelines(["größe;gewicht\n", *(f"{150 + i % 50};{60 + i % 30},{i % 10}\n" for i in range(400))])
    with open(os.path.join(server.folder, "titled.csv"), "w", encoding="utf-8") as file:
        file.write("Ward list,\nof 2024,\nage,days\n" + "".join(f"{20 + i % 60},{i % 9}\n" for i in range(400)))
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url + "#columns/german.csv")
    tab.click("Discover it with a part of the budget")
    page.wait("document.body.innerText.includes('Semicolons between cells, windows-1252, decimal comma, names in line 1, 2 columns')", "how it is read")
    checks.that("NOT PRIVATE" in page.evaluate("document.querySelector('.not-private').innerText") and "größe, gewicht" in page.evaluate("document.body.innerText"), "marked, with the names")
    tab.survey("dialect")
    tab.click("This is right, continue")
    tab.at("Set the privacy budget")
    reading = server.get("api/data?path=german.csv")[1]["reading"]
    checks.that(reading == {**reading, "delimiter": ";", "encoding": "windows-1252", "decimal": ","}, f"it is kept: {reading}")
    checks.that(not os.path.exists(os.path.join(server.folder, "german.csv.ledger")), "nothing was charged")
    page.evaluate("location.hash = 'columns/titled.csv'")
    tab.click("Discover it with a part of the budget")
    said = page.wait("(document.querySelector('[role=alert]') || {}).textContent", "names that are too low")
    checks.that("line 3" in said and page.evaluate("!(" + by_text("This is right, continue") + ")"), f"a table that discovery cannot read is not charged: {said}")
    tab.quiet("file formats")
    page.close()


def check_spreadsheet(browser, server, checks, folder):
    """A spreadsheet is met with how to save it as CSV, and nothing is sent."""
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url)
    tab.at("Choose your data")
    page.evaluate("(d => { d.items.add(new File(['x'], 'patients.xlsx')); document.querySelector('.drop').dispatchEvent(new DragEvent('drop', {dataTransfer: d})); })(new DataTransfer())")
    said = page.wait("(document.querySelector('[role=alert]') || {}).textContent", "a word on it")
    checks.that("patients.xlsx" in said and "CSV UTF-8" in said and "\n" not in said, f"{said}")
    checks.that(not any("api/upload" in one for one in page.requests()), "nothing was sent")
    tab.quiet("a spreadsheet")
    page.close()


def check_cue(browser, server, checks, folder):
    """A table that is wider than the page says that it scrolls; one that fits does not."""
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url + "#look/demo-clinic%2Fpatients.csv.runs%2F1")
    page.wait("document.querySelectorAll('table.cells tbody tr').length === 20", "synthetic rows")
    cue = "document.querySelector('.wide:has(table.cells) .cue').getClientRects().length > 0"
    box = "document.querySelector('.tablebox:has(table.cells)')"
    page.resize(1000)
    page.wait(f"!({cue}) && {box}.tabIndex < 0", "no cue where all columns are seen")
    page.resize(360)
    page.wait(f"{cue} && {box}.tabIndex === 0 && {box}.getAttribute('role') === 'region'", "a cue, and the keyboard can scroll")
    page.evaluate(f"{box}.focus()")
    page.press("ArrowRight", 39)
    page.wait(f"{box}.scrollLeft > 0", "it scrolls")
    page.close()


def check_mend(browser, server, checks, folder):
    """A failure leads to the step and the field where it can be mended."""
    for name, head in (("mend.csv", "region,paid\nnorth,2\n"), ("bars.csv", "region|born|paid\nnorth|1950|2\n")):
        with open(os.path.join(server.folder, name), "w", encoding="utf-8") as file:
            file.write(head)
        checks.that(server.post("api/schema", {"path": name, "schema": PEOPLE})[0] == 200, "the schema")
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    for name, words, focus in (("mend.csv", "Open column born", "document.activeElement.tagName === 'SELECT' && document.querySelector('.editor').previousElementSibling.innerText.startsWith('born')"),
                               ("bars.csv", "Check the file format", "!!document.activeElement.closest('.reading')")):
        page.visit(f"{server.url}#run")
        run = server.post("api/run", {"path": name, "epsilon": 1})[1]["run"]
        server.wait_for(run, ("failed",))
        page.call("Page.reload")
        tab.click(words)
        page.wait(f"(document.querySelector('h1') || {{}}).textContent === 'Describe the columns' && {focus}", f"{name}: the field that mends it")
        tab.survey("mend", picture=False)
        server.post("api/schema", {"path": name, "schema": PEOPLE})
        shutil.rmtree(os.path.join(server.folder, name + ".runs"))
    checks.that(server.post("api/limit", {"path": "mend.csv", "epsilon": 0.5})[0] == 200, "a limit")
    page.visit(server.url + "#budget/mend.csv")
    tab.at("Set the privacy budget")
    page.wait("document.body.innerText.includes('choose a smaller epsilon')", "a run that the ledger would refuse")
    tab.quiet("failures")
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
    page.wait("document.querySelector('main').innerText.includes('No changes since it was kept.')", "undone")
    tab.quiet("10,000 columns")
    page.close()


def check_too_little(browser, server, checks, folder):
    """An epsilon that discovers nothing: the run says so, and leads back."""
    shutil.copy(os.path.join(server.folder, "demo-clinic", "patients.csv"), os.path.join(server.folder, "little.csv"))
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url + "#budget/little.csv/discover")
    tab.at("Set the privacy budget")
    page.evaluate("(n => { n.value = 0.01; n.dispatchEvent(new Event('change')); })(document.querySelector('input[type=number]'))")
    tab.click("Make the synthetic table")
    tab.at("Make the synthetic data")
    page.wait("!!" + by_text("Go to Privacy"), "a way back")
    checks.that("spend more" in page.evaluate("document.querySelector('[data-state=failed]').innerText"), "and why")
    tab.survey("failed")
    tab.click("Go to Privacy")
    tab.at("Set the privacy budget")
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
            tab.at("Choose your data")
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
        for check in (check_keyboard, check_cancel, check_notes, check_person, check_unanswered, check_dialect, check_spreadsheet, check_cue, check_mend, check_many_columns, check_too_little):
            check(browser, server, checks, sys.argv[2])
        check_refused_files(browser, sys.argv[1], checks, sys.argv[2])
    return checks.result()


if __name__ == "__main__":
    sys.exit(main())
