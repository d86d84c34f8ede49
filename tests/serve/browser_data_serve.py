#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other data than the demo's in headless Chromium on the page of `semblance serve`.

    browser_data_serve.py SEMBLANCE OUTPUT_FOLDER

Images: from the list to a verified certificate; the page is loaded again in the middle of the run;
synthetic images are shown, real ones only when they are asked for, not printed, and gone again. A folder of PNG files. The hospital's
messy table (bench/hospital) without a schema: it is inspected, lines are corrected and accepted one by one, and every cell that is made
is within its domain. Linked tables: all of them can be kept. A table of a database, which is compared with rows
that were held out, and one that must be told how it is written.
Each step is looked at as browser_serve.py does. Exit code 77: there is no Chromium here."""
import os
import random
import sqlite3
import subprocess
import sys

sys.dont_write_bytecode = True
from browser_serve import Visitor, by_text, choose_file, chromium, write_pictures  # noqa: E402
from data_sets import PEOPLE, people, write_idx, write_pngs, write_shop  # noqa: E402
from serving import Checks, Server  # noqa: E402


def open_set(tab, path):
    tab.page.visit(tab.server.url)
    tab.at("Choose your data")
    tab.page.click(f"[...document.querySelectorAll('button')].find(e => e.getAttribute('aria-label') === 'Open {path}')")


def fill(page, label, value):
    """What a person types or chooses under a label; the page hears of it when they go on."""
    page.evaluate(f"""(() => {{ const l = [...document.querySelectorAll('label')].find(e => e.textContent.trim() === {label!r});
        const e = document.getElementById(l.htmlFor) || l.querySelector('input'); e.value = {value!r}; e.dispatchEvent(new Event('change', {{bubbles: true}})); }})()""")


def verified(tab):
    tab.click("Verify the certificate")
    tab.at("Check what was spent")
    tab.click("Verify")
    tab.page.wait("(document.querySelector('pre') || {textContent: ''}).textContent.startsWith('GUARANTEE')", "the statement")
    stands = tab.page.evaluate("document.body.innerText.includes('and was not rolled back')")
    tab.checks.that(stands, "the certificate is held against its ledger")


def check_real_images(tab, checks, expression):
    page = tab.page
    checks.that(page.evaluate("document.querySelectorAll('.real-rows canvas, .real-rows img, .not-private').length") == 0, "no real image at first")
    tab.unfold("Real images")
    tab.click("Show real images")
    page.wait(f"document.querySelectorAll('.real-rows {expression}').length > 0", "real images")
    checks.that("NOT PRIVATE" in page.evaluate("document.querySelector('.real-rows:has(.pictures)').innerText"), "marked")
    tab.survey("real-images", picture=False)
    page.call("Emulation.setEmulatedMedia", media="print")
    checks.that(page.evaluate("[...document.querySelectorAll('.real-rows')].every(e => e.getClientRects().length === 0)"), "not printed")
    page.call("Emulation.setEmulatedMedia", media="")


def check_images(browser, server, checks, folder):
    name = "digits/" + write_idx(os.path.join(server.folder, "digits"), 300)
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    open_set(tab, name)
    tab.at("Describe the images")
    page.wait("document.querySelector('.facts').innerText.includes('12 × 12')", "the header")
    checks.that(page.evaluate("document.querySelector('input[list]').value") == "digits/train-labels-idx1-ubyte.gz", "labels are found by their name")
    fill(page, "Number of classes", "3")
    page.wait("document.querySelector('.facts').innerText.match(/Classes\\s+3/)", "three classes")
    checks.that("300" in page.evaluate("document.querySelector('.facts').innerText"), "how many there are")
    tab.survey("images")
    tab.click("Keep and continue")
    tab.at("Set the privacy budget")
    page.wait("document.querySelectorAll('tbody tr').length >= 2", "the plan")
    page.wait("document.body.innerText.match(/About .* of memory/)", "and, after it, how long it takes")
    fill(page, "Name of the data set", "CIFAR-10")
    page.wait("document.body.innerText.includes('was trained on CIFAR-10')", "a network that saw a set of that name")
    fill(page, "Name of the data set", "")
    page.wait("document.body.innerText.match(/About .* of memory/)", "the plan, again")
    tab.unfold("What is released")
    tab.unfold("Advanced")
    fill(page, "Method", "merf")
    page.wait("document.body.innerText.includes('by the method merf')", "the plan of another method")
    fill(page, "Random features", "200")
    fill(page, "Training steps", "60")
    page.wait("document.body.innerText.match(/About .* of memory/)", "how long that takes")
    tab.survey("images-budget")
    fill(page, "Epsilon of this run", "5")
    tab.click("Make the synthetic images")
    tab.at("Make the synthetic data")
    page.call("Page.reload")  # in the middle of the run
    page.wait("!!document.querySelector('[data-run]')", "the run, again")
    page.wait("!!" + by_text("Look at the result"), "the end of the run")
    tab.click("Look at the result")
    tab.at("Look at the synthetic images")
    page.wait("(e => e && e.complete && e.naturalWidth > 0)(document.querySelector('img.preview'))", "synthetic images")
    page.wait("document.querySelectorAll('.real-rows').length === 2", "all of it")
    tab.survey("images-look")
    links = page.evaluate("[...document.querySelectorAll('a[download]')].map(e => e.textContent)")
    checks.that(all(one in links for one in ("images-idx3-ubyte.gz", "labels-idx1-ubyte.gz", "Certificate", "Model", "Report")), f"{links}")
    tab.unfold("Draw more")
    fill(page, "Class", "1")
    tab.click("Draw images")
    page.wait("document.querySelectorAll('img.preview').length === 2 && [...document.querySelectorAll('img.preview')].every(e => e.complete && e.naturalWidth > 0)", "more images")
    check_real_images(tab, checks, "canvas")
    ink = page.evaluate("(c => { const p = c.getContext('2d').getImageData(0, 0, 12, 12).data; return [p[4 * (12 * 1 + 4)], p[4 * (12 * 1 + 9)]]; })(document.querySelector('.real-rows canvas'))")
    checks.that(ink[0] > 150 and ink[1] < 100, f"an upright bar stands where it is: {ink}")
    tab.click("Hide real images")
    checks.that(page.evaluate("document.querySelectorAll('.real-rows canvas').length") == 0, "gone")
    ledger = server.get(f"api/ledger?path={name}.ledger")[1]["ledger"]
    checks.that(ledger["releases"] == 1, f"one release was paid for: {ledger['releases']}")
    verified(tab)
    tab.quiet("images", refused="422")  # the network that saw them
    page.close()


def check_pngs(browser, server, checks, folder):
    """A folder, whose classes are called as their folders are."""
    write_pngs(os.path.join(server.folder, "photos"), 120)
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    open_set(tab, "photos")
    tab.at("Describe the images")
    page.wait("document.querySelector('.facts').innerText.includes('2: left, right')", "the classes")
    checks.that("red, green, blue" in page.evaluate("document.querySelector('.facts').innerText"), "colour unless it is said")
    page.click("[...document.querySelectorAll('label.inline')].find(e => e.textContent === 'Read as grey').querySelector('input')")
    page.wait("document.querySelector('.facts').innerText.includes('grey')", "grey")
    tab.click("Keep and continue")
    tab.at("Set the privacy budget")
    tab.unfold("Advanced")
    fill(page, "Method", "merf")
    fill(page, "Random features", "200")
    fill(page, "Training steps", "20")
    fill(page, "Output format", "png")
    tab.click("Make the synthetic images")
    tab.at("Make the synthetic data")
    page.wait("document.querySelector('[data-run]').dataset.state === 'done'", "the end of the run, which is the first")
    page.click("document.querySelector('[data-run] a')")
    tab.at("Look at the synthetic images")
    checks.that("photos.runs/1/synthetic" in page.evaluate("document.body.innerText"), "where the files are")
    checks.that(sorted(os.listdir(os.path.join(server.folder, "photos.runs/1/synthetic"))) == ["left", "right"], "a folder for each class")
    check_real_images(tab, checks, "img")
    tab.quiet("PNG files")
    page.close()


HOSPITAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bench", "hospital")


def edit(page, name, **values):
    """Open the line of a column, say what is known of it, close it."""
    toggle = f"[...document.querySelectorAll('[data-edit]')].find(e => e.getAttribute('aria-label').endsWith(' {name}'))"
    page.click(toggle)
    page.wait("!!document.querySelector('.editor')", f"the form of {name}")
    for label, value in values.items():
        fill(page, label, value)
    page.click(toggle)
    page.wait("!document.querySelector('.editor')", "the form closed")


def check_hospital(browser, server, checks, folder):
    """Semicolons, Windows-1252, decimal commas, German dates, a comment above, ids, names, remarks: dropped on the page, nothing typed elsewhere."""
    path = os.path.join(server.root, "hospital.csv")
    with open(path, "wb") as file:
        subprocess.run([sys.executable, os.path.join(HOSPITAL, "make_hospital.py"), "800", "1"], stdout=file, check=True)
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url)
    tab.at("Choose your data")
    choose_file(page, path)
    tab.at("Describe the columns")
    tab.click("Read it from the records")
    page.wait("document.querySelectorAll('tbody [data-edit]').length === 25", "25 columns")
    checks.that("Semicolons between cells, windows-1252, decimal comma, names in the first line that does not begin with #, 25 columns" in page.evaluate("document.body.innerText"), "how it is written")
    tab.survey("hospital-inspect", picture=False)
    checks.that("by the column patient_id" in page.evaluate("document.querySelector('fieldset').innerText"), "the page asks who a person is")
    page.click("document.querySelector('fieldset input[value=no]')")
    edit(page, "age", Smallest="0", Largest="110")
    edit(page, "cost", Smallest="0", Largest="200000")
    edit(page, "visit_id", Role="ignore")
    edit(page, "patient_id", Role="ignore")
    edit(page, "readmitted", Role="label")
    waiting = page.evaluate("document.querySelectorAll('.proposal').length")
    page.click("[...document.querySelectorAll('.proposal')].find(e => e.querySelector('span').textContent.startsWith('hours_icu')).querySelector('button')")
    page.wait(f"document.querySelectorAll('.proposal').length === {waiting} - 1", "a proposal that is accepted")
    page.click("[...document.querySelectorAll('button')].find(e => e.textContent.startsWith('Accept all') && e.textContent.endsWith('lines'))")
    page.wait("!document.querySelector('[data-accept]')", "all lines are accepted")
    tab.unfold("Advanced")
    tab.click("Count cells and rows that do not fit")
    counted = page.wait("(document.querySelector('pre') || {}).textContent", "counts")
    checks.that("NOT PRIVATE" in page.evaluate("document.querySelector('.not-private').innerText") and "cost" in counted, f"{counted[:300]}")
    tab.click("Keep and continue")
    tab.at("Set the privacy budget")
    page.wait("document.querySelectorAll('tbody tr').length > 5", "the plan")
    fill(page, "Epsilon of this run", "3")
    tab.click("Make the synthetic table")
    tab.at("Make the synthetic data")
    page.call("Page.reload")  # in the middle of the run
    page.wait("(document.querySelector('[data-run]') || {dataset: {}}).dataset.state === 'done'", "the end of the run, which is the first")
    page.click("document.querySelector('[data-run] a')")
    tab.at("Look at the synthetic table")
    page.wait("document.querySelectorAll('tbody tr').length === 20", "synthetic rows")
    shown = page.evaluate("document.querySelector('table').innerText")
    checks.that("weight_kg" in shown and "patient_id" not in shown, f"{shown[:200]}")
    tab.survey("hospital-look", picture=False)
    tab.unfold("Real rows")
    tab.click("Show real rows")
    page.wait("!!document.querySelector('.real-rows table')", "real rows")
    checks.that(page.evaluate("document.querySelector('.real-rows thead').innerText").startswith("visit_id"), "with their header, which stands behind a comment")
    verified(tab)
    tab.quiet("the hospital's table")
    page.close()
    run = os.path.join(server.folder, "hospital.csv.runs", "1")
    domain = subprocess.run([sys.executable, os.path.join(HOSPITAL, "check_domain.py"), os.path.join(run, "schema.json"), os.path.join(run, "synthetic.csv")],
                            capture_output=True, text=True, check=False)
    checks.that(domain.returncode == 0, f"every cell is within its domain: {domain.stdout} {domain.stderr}")


def check_linked(browser, server, checks, folder):
    name = "shop/" + write_shop(os.path.join(server.folder, "shop"), 1500)
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    open_set(tab, name)
    tab.at("Describe the tables")
    tables = page.evaluate("[...document.querySelectorAll('[data-table]')].map(e => e.dataset.table)")
    checks.that(tables == ["regions", "customers", "orders"], f"{tables}")
    page.click("document.querySelector('[data-table=orders] summary')")
    checks.that("key of customers" in page.evaluate("document.querySelector('[data-table=orders]').innerText"), "which table refers to which")
    tab.survey("linked")
    tab.click("Count cells and rows that do not fit")
    page.wait("!!document.querySelector('pre')", "counts")
    checks.that("NOT PRIVATE" in page.evaluate("document.querySelector('.not-private').innerText"), "which are marked")
    tab.click("Continue")
    tab.at("Set the privacy budget")
    page.wait("document.querySelectorAll('tbody tr').length > 2", "the plan")
    words = page.evaluate("document.querySelector('main').innerText")
    checks.that("everything but one row of customers and all rows that refer to it" in words and "Rows of customers, about" in words, f"what is protected: {words[:600]}")
    tab.survey("linked-budget", picture=False)
    tab.click("Make the synthetic tables")
    tab.at("Make the synthetic data")
    page.call("Page.reload")
    page.wait("(document.querySelector('[data-run]') || {dataset: {}}).dataset.state === 'done'", "the end of the run, which is the first")
    page.click("document.querySelector('[data-run] a')")
    tab.at("Look at the synthetic tables")
    page.wait("document.querySelectorAll('table.cells').length === 3", "all tables")
    links = page.evaluate("[...document.querySelectorAll('a[download]')].map(e => e.textContent)")
    checks.that(all(one in links for one in ("customers.csv", "orders.csv", "regions.csv", "datapackage.json", "Certificate")), f"{links}")
    tab.survey("linked-look")
    tab.unfold("Draw more")
    tab.click("Draw more")
    page.wait("[...document.querySelectorAll('a[download]')].filter(e => e.textContent === 'orders.csv').length === 2", "more persons")
    tab.unfold("Compare")
    tab.click("Compare with the real tables")
    page.wait("!!" + by_text("Open the comparison"), "the comparison")
    verified(tab)
    tab.quiet("linked tables")
    page.close()


def check_persons(browser, server, checks, folder):
    """A table with several rows of a person: what is protected, what is public and what conditions mean are said as they are."""
    draw = random.Random(5)
    with open(os.path.join(server.folder, "visits.csv"), "w", encoding="utf-8") as file:
        file.write("who,sex,ward\n")
        for who in range(900):
            sex = draw.choice("fm")
            file.writelines(f"{who},{sex},{draw.choice(['skin', 'eyes', 'heart'])}\n" for _ in range(1 + draw.randrange(4)))
    schema = {"fields": [{"name": "who"}, {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"], "required": True}, "semblance": {"per": "unit"}},
                         {"name": "ward", "type": "string", "constraints": {"enum": ["skin", "eyes", "heart"], "required": True}}],
              "semblance": {"unit": "who", "max_rows_per_unit": 4}}
    checks.that(server.post("api/schema", {"path": "visits.csv", "schema": schema})[0] == 200, "the schema")
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url + "#budget/visits.csv")
    tab.at("Set the privacy budget")
    page.wait("document.querySelectorAll('tbody tr').length > 1", "the plan")
    words = page.evaluate("document.querySelector('main').innerText")
    checks.that("all rows of everyone but one person" in words and "all but one record" not in words, f"persons are protected: {words[:600]}")
    checks.that("keeps the number of rows private" in words and "number is public" not in words and "number as public" not in words, "their number is private")
    checks.that(page.evaluate("document.querySelector('.not-private').innerText").startswith("NOT PRIVATE: the number of rows was estimated"), "which the page was computed with")
    tab.survey("persons-budget", picture=False)
    fill(page, "Rows, about", "2000")
    page.wait("!document.querySelector('.not-private')", "what is typed is no estimate")
    checks.that(page.evaluate("document.querySelectorAll('svg.bar rect').length") == 1 and "stays empty because no limit" in words, "the bar of no limit is empty")
    tab.unfold("Set a limit")
    fill(page, "Limit for epsilon", "4")
    tab.click("Set the limit")
    page.wait("document.querySelectorAll('svg.bar rect.fill-run').length === 1", "a bar with a limit is filled")
    fill(page, "Epsilon of this run", "2")
    tab.click("Make the synthetic table")
    tab.at("Make the synthetic data")
    page.wait("(document.querySelector('[data-run]') || {dataset: {}}).dataset.state === 'done'", "the end of the run")
    page.click("document.querySelector('[data-run] a')")
    tab.at("Look at the synthetic table")
    page.wait("document.querySelectorAll('tbody tr').length === 20", "synthetic rows")
    tab.unfold("Draw more")
    words = page.evaluate("document.querySelector('main').innerText")
    checks.that("Only persons with" in words and "Only rows with" not in words and "may be different rows" in words, f"what conditions mean: {words}")
    fill(page, "Only persons with", "ward = skin; ward = eyes")
    tab.click("Draw rows")
    page.wait("!!" + by_text("Save these rows (CSV)"), "persons with rows in both wards")
    tab.survey("persons-look", picture=False)
    tab.quiet("persons")
    page.close()


def check_warnings(browser, server, checks, folder):
    """What the plan warns of stands beside the budget, at the run and at its result."""
    with open(os.path.join(server.folder, "few.csv"), "w", encoding="utf-8") as file:
        file.write("region,born,paid\n" + "".join(f"{region},{born},{paid}\n" for region, born, paid in people(90)))
    checks.that(server.post("api/schema", {"path": "few.csv", "schema": PEOPLE})[0] == 200, "the schema")
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    page.visit(server.url + "#budget/few.csv")
    tab.at("Set the privacy budget")
    fill(page, "Epsilon of this run", "0.1")
    told = "[...document.querySelectorAll('.failure')].map(e => e.textContent)"
    page.wait(f"{told}.some(e => e.startsWith('Take care: ') && e.includes('are few'))", "what the plan warns of")
    tab.click("Make the synthetic table")
    tab.at("Make the synthetic data")
    page.wait("(document.querySelector('[data-run]') || {dataset: {}}).dataset.state === 'done'", "the end of the run")
    warned = page.evaluate(told.replace("document.", "document.querySelector('[data-run]').", 1))  # other runs warn of something else
    checks.that(warned and all(one.startswith("Take care: ") and "WARNING" not in one for one in warned), f"the run says so, too: {warned}")
    page.click("document.querySelector('[data-run] a')")
    tab.at("Look at the synthetic table")
    page.wait("document.querySelectorAll('tbody tr').length === 20", "synthetic rows")
    checks.that(page.evaluate(told) == warned, "and so does its result")
    tab.survey("warnings", picture=False)
    tab.quiet("warnings")
    page.close()


def check_formats(browser, server, checks, folder):
    rows = people(300)
    with sqlite3.connect(os.path.join(server.folder, "shop.sqlite")) as base:
        base.execute("CREATE TABLE people(region TEXT, born INTEGER, paid REAL)")
        base.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
    base.close()
    with open(os.path.join(server.folder, "held-out.csv"), "w", encoding="utf-8") as file:
        file.writelines(["region,born,paid\n", *(f"{region},{born},{paid}\n" for region, born, paid in people(200, 4))])
    with open(os.path.join(server.folder, "odd.csv"), "w", encoding="utf-8") as file:
        file.writelines(f"{region}~{born}~{paid}\n" for region, born, paid in rows)
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    open_set(tab, "shop.sqlite")
    tab.at("Choose a table of the database")
    page.wait("!!document.querySelector('button[aria-label=\"Open the table people\"]')", "its tables")
    tab.survey("database", picture=False)
    page.click("document.querySelector('button[aria-label=\"Open the table people\"]')")
    tab.at("Describe the columns")
    tab.click("Read it from the records")
    tab.click("Accept all 3 lines")
    tab.click("Keep and continue")
    tab.at("Set the privacy budget")
    page.wait("document.querySelectorAll('tbody tr').length > 1", "the plan")
    tab.click("Make the synthetic table")
    tab.at("Make the synthetic data")
    page.wait("document.querySelector('[data-run]').dataset.state === 'done'", "the end of the run, which is the first")
    page.click("document.querySelector('[data-run] a')")
    tab.at("Look at the synthetic table")
    page.wait("document.querySelectorAll('tbody tr').length === 20", "synthetic rows")
    tab.unfold("Compare")
    tab.unfold("Advanced: held-out")
    fill(page, "Held-out records", "held-out.csv")
    tab.survey("compare", picture=False)
    tab.click("Compare in full")
    page.wait("!!" + by_text("Open the comparison"), "the comparison")
    checks.that(page.evaluate(by_text("Open the comparison") + ".href").endswith("comparison-1-NOT-PRIVATE.html"), "a page of its own")
    verified(tab)
    tab.quiet("a table of a database")
    page.close()
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    open_set(tab, "odd.csv")
    tab.at("Describe the columns")
    page.click("document.querySelector('details summary')")
    fill(page, "Sign between cells", "~")
    fill(page, "First line has the names", "no")
    tab.survey("reading", picture=False)
    tab.click("Keep")
    page.wait("!!document.querySelector('p.good')", "it is kept")
    tab.click("Read it from the records")
    page.wait("document.querySelectorAll('tbody [data-edit]').length === 3", "three columns")
    checks.that("no names above the columns" in page.evaluate("document.body.innerText"), "as was said")
    tab.quiet("an odd table")
    page.close()


def main():
    program = chromium.find()
    if program is None:
        print("skipped: no chromium here")
        return 77
    folder = sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    checks = Checks()
    Visitor.documented = {"images-look-wide": "serve-images.png", "linked-wide": "serve-linked.png"}
    with Server(sys.argv[1]) as server, chromium.Browser(program) as browser:
        for check in (check_images, check_pngs, check_hospital, check_linked, check_persons, check_warnings, check_formats):
            check(browser, server, checks, folder)
        write_pictures(browser, checks, folder)
    return checks.result()


if __name__ == "__main__":
    sys.exit(main())
