#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Linked tables from files in headless Chromium on the page of `semblance serve`.

    browser_package_serve.py SEMBLANCE OUTPUT_FOLDER

The files of a small hospital are dropped together: keys are found, lines and proposals accepted, and a run makes a package of
synthetic tables. The same files are ticked in the list and opened again; the kept package is edited. Bounds by category and a hierarchy are
typed, and refusals lead to their control. Files that do not belong together
are refused, and nothing is left. Exit code 77: there is no Chromium here."""
import json
import os
import sys

sys.dont_write_bytecode = True
from browser_data_serve import fill, open_set, verified  # noqa: E402
from browser_serve import Visitor, by_text, chromium  # noqa: E402
from data_sets import write_hospital  # noqa: E402
from serving import Checks, Server  # noqa: E402

TEXT = "document.querySelector('main').innerText"


def drop(page, files):
    """Files, by name and text, dropped on the page at the same time."""
    page.evaluate(f"""(d => {{ for (const [name, text] of {json.dumps(files)}) d.items.add(new File([text], name));
        document.querySelector('.drop').dispatchEvent(new DragEvent('drop', {{dataTransfer: d}})); }})(new DataTransfer())""")


def texts_of(folder, names):
    found = []
    for name in names:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            found.append([name, file.read()])
    return found


def check_dropped(browser, server, checks, folder):
    place = os.path.join(server.root, "hospital")
    files = texts_of(place, write_hospital(place, 400))
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url)
    tab.at("Choose your data")
    drop(page, files)
    tab.at("Describe the tables")
    checks.that("patients.csv, visits.csv, labs.csv" in page.evaluate(TEXT), "which files")
    tab.survey("package-files", picture=False)
    tab.click("Read it from the records")
    page.wait("document.querySelectorAll('[data-table]').length === 3", "the tables")
    words = page.evaluate(TEXT)
    checks.that("labs.visit refers to visits.visit: every row holds one of its keys" in words and "NOT PRIVATE" in words, f"keys, and why: {words[:900]}")
    checks.that("key of visits" in page.evaluate("document.querySelector('[data-table=labs]').innerText"), "a key is shown as one")
    checks.that(page.evaluate(f"{by_text('Keep and continue')} === undefined"), "lines wait")
    tab.survey("package")
    tab.click("Accept all 6 lines")
    checks.that(page.evaluate("[...document.querySelectorAll('.not-private')].every(e => e.getClientRects().length === 0)"), "none waits")
    page.click("[...document.querySelectorAll('button')].find(e => e.getAttribute('aria-label') === 'Edit born')")
    fill(page, "Smallest", "1920")
    fill(page, "Largest", "nothing")
    tab.click("Keep and continue")
    page.wait("!!" + by_text("Open column born"), "the failure leads to its column")
    fill(page, "Largest", "2020")
    tab.click("Tick all")
    tab.click("Keep and continue")
    tab.at("Set the privacy budget")
    checks.that("Rows of patients, about" in page.evaluate(TEXT), "what is protected")
    tab.click("Make the synthetic tables")
    tab.at("Make the synthetic data")
    page.wait("(document.querySelector('[data-run]') || {dataset: {}}).dataset.state === 'done'", "the end of the run")
    page.click("document.querySelector('[data-run] a')")
    tab.at("Look at the synthetic tables")
    page.wait("document.querySelectorAll('table.cells').length === 3", "all tables")
    links = page.evaluate("[...document.querySelectorAll('a[download]')].map(e => e.textContent)")
    checks.that(all(one in links for one in ("patients.csv", "visits.csv", "labs.csv", "datapackage.json")), f"{links}")
    with open(os.path.join(server.folder, "datapackage.json"), encoding="utf-8") as file:
        package = json.load(file)
    value = package["resources"][2]["schema"]["fields"][2]
    checks.that(value["semblance"]["by"] == "test" and package["resources"][0]["schema"]["fields"][2]["constraints"]["minimum"] == 1920, f"what was ticked and typed: {value}")
    verified(tab)
    tab.quiet("dropped files", refused="422")
    page.close()


def check_kept(browser, server, checks, folder):
    """The package is opened again, changed, and the change undone; the same files, ticked in the list, get a package of another name."""
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    open_set(tab, "datapackage.json")
    tab.at("Describe the tables")
    page.wait("!!" + by_text("Continue"), "nothing is to be kept")
    page.click("document.querySelector('[data-table=visits] summary')")
    page.click("[...document.querySelectorAll('button')].find(e => e.getAttribute('aria-label') === 'Edit ward')")
    fill(page, "Category for any other value", "skin")
    page.wait("!!" + by_text("Keep and continue"), "a change")
    tab.click("Undo")
    page.wait("!!" + by_text("Continue"), "no change")
    page.visit(server.url + "#")
    tab.at("Choose your data")
    for name in ("patients.csv", "visits.csv"):
        page.click(f"document.querySelector('input[aria-label=\"Link {name}\"]')")
    tab.survey("link", picture=False)
    tab.click("Open the 2 ticked tables as linked tables")
    tab.at("Describe the tables")
    tab.click("Read it from the records")
    page.wait("document.querySelectorAll('[data-table]').length === 2", "two tables")
    tab.click("Accept all 5 lines")
    tab.click("Keep and continue")
    tab.at("Set the privacy budget")
    checks.that(os.path.exists(os.path.join(server.folder, "patients.datapackage.json")), "another name")
    tab.quiet("a kept package")
    page.close()


def check_fields(browser, server, checks, folder):
    """Bounds by category and a hierarchy are typed in the form of a column; what the schema reader refuses leads to the control."""
    codes = [f"{letter}{i:02}" for letter in "ABC" for i in range(20)]
    with open(os.path.join(server.folder, "lab.csv"), "w", encoding="utf-8") as file:
        file.write("test,value,code\n" + "".join(f"{'K' if i % 2 else 'Na'},{4 + i % 3 if i % 2 else 130 + i % 20},{codes[i % 60]}\n" for i in range(600)))
    schema = {"fields": [{"name": "test", "type": "string", "constraints": {"enum": ["K", "Na"], "required": True}},
                         {"name": "value", "type": "number", "constraints": {"minimum": 0, "maximum": 200, "required": True}},
                         {"name": "code", "type": "string", "constraints": {"enum": codes, "required": True}}]}
    checks.that(server.post("api/schema", {"path": "lab.csv", "schema": schema})[0] == 200, "the schema")

    def kept():
        return {one["name"]: one.get("semblance", {}) for one in server.get("api/schema?path=lab.csv")[1]["schema"]["fields"]}

    def refused(column, label, words):
        tab.click("Keep and continue")
        page.wait("!!" + by_text(f"Open column {column}"), f"refused: {label}")
        checks.that(words in page.evaluate("document.querySelector('.failure').innerText"), page.evaluate("document.querySelector('.failure').innerText"))
        tab.click(f"Open column {column}")
        focus = page.evaluate("document.activeElement.labels[0].textContent")
        checks.that(focus == label and page.evaluate("document.activeElement.getClientRects().length > 0"), f"leads to {label}: {focus}")

    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url + "#columns/lab.csv")
    tab.at("Describe the columns")
    for name in ("value", "code"):
        page.click(f"[...document.querySelectorAll('button')].find(e => e.getAttribute('aria-label') === 'Edit {name}')")
    fill(page, "Its bounds depend on", "test")
    refused("value", "Its bounds depend on", "needs semblance.bounds")
    fill(page, "Bounds for each category of test, one per line", "K: 2 to 8, decimals 1, log\nNo: 100 to 180")
    refused("value", "Bounds for each category of test, one per line", "for 'No', which is not a category of 'test'")
    fill(page, "Bounds for each category of test, one per line", "K: 2 to 8, decimals 1, log\nNa: 100")
    refused("value", "Bounds for each category of test, one per line", "needs a minimum and a maximum")
    fill(page, "Bounds for each category of test, one per line", "K: 2 to 8, decimals 1, log\nNa: 100 to 180")
    fill(page, "Hierarchy of the categories", "prefix")
    fill(page, "Numbers of first characters", "2, 1")
    refused("code", "Numbers of first characters", "ascending")
    fill(page, "Numbers of first characters", "1, 2")
    tab.survey("field-advanced", picture=False)
    checks.that("bounds by test" in page.evaluate(TEXT) and "with a hierarchy" in page.evaluate(TEXT), "both are facts of the line")
    tab.click("Keep and continue")
    tab.at("Set the privacy budget")
    checks.that(kept() == {"test": {}, "value": {"by": "test", "bounds": {"K": {"minimum": 2, "maximum": 8, "decimals": 1, "transform": "log"}, "Na": {"minimum": 100, "maximum": 180}}},
                           "code": {"hierarchy": {"prefix": [1, 2]}}}, f"{kept()}")
    page.visit(server.url + "#columns/lab.csv/column=code")
    page.wait("document.querySelectorAll('.editor').length === 1", "the form")
    fill(page, "Hierarchy of the categories", "parents")
    fill(page, "Parents, one per line", "\n".join(f"{one}: {one[0]}" for one in codes[1:]))
    refused("code", "Parents, one per line", "has no parent for 'A00'")
    fill(page, "Parents, one per line", "\n".join(f"{one}: {one[0]}" for one in codes))
    page.click("[...document.querySelectorAll('button')].find(e => e.getAttribute('aria-label') === 'Edit value')")
    checks.that(page.evaluate("[...document.querySelectorAll('textarea')].some(e => e.value === 'K: 2 to 8, decimals 1, log\\nNa: 100 to 180')"), "the lines are shown again")
    fill(page, "Its bounds depend on", "")
    tab.click("Keep and continue")
    tab.at("Set the privacy budget")
    checks.that(kept() == {"test": {}, "value": {}, "code": {"hierarchy": {"parents": {one: one[0] for one in codes}}}}, f"{kept()}")
    tab.quiet("forms", refused="422")
    page.close()


def check_strangers(browser, server, checks, folder):
    """Tables without a common key, and a spreadsheet among files."""
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url)
    tab.at("Choose your data")
    drop(page, [["a.csv", "x\n1\n"], ["b.xlsx", "x"]])
    page.wait("(document.querySelector('.failure') || {innerText: ''}).innerText.includes('b.xlsx is a spreadsheet')", "which of them")
    checks.that(not any("api/upload" in one for one in page.requests()), "nothing was sent")
    drop(page, [[f"{name}.csv", f"{name}\n" + "".join(f"{name}{i * 7919 % 1000}\n" for i in range(300))] for name in ("left", "right")])
    tab.at("Describe the tables")
    tab.click("Read it from the records")
    page.wait("!!document.querySelector('.failure')", "the failure")
    words = page.evaluate("document.querySelector('.failure').innerText")
    checks.that("left.csv: no column of it holds the keys of another file" in words, f"no keys: {words}")
    checks.that(not [one for one in os.listdir(server.folder) if one.endswith(".part") or one.startswith(("left.data", "right.data"))], f"{os.listdir(server.folder)}")
    tab.quiet("strangers", refused="422")
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
        for check in (check_dropped, check_kept, check_fields, check_strangers):
            check(browser, server, checks, folder)
    return checks.result()


if __name__ == "__main__":
    sys.exit(main())
