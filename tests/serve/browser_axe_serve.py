#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""axe-core on every step of the page of `semblance serve`, in light, in dark and on a phone.

    browser_axe_serve.py SEMBLANCE OUTPUT_FOLDER AXE

AXE is axe.min.js, which tools/axe.sh fetches. All of axe's rules hold: contrast, labels, names, roles, structure. A page with planted
faults must be caught, or the rules mean nothing. Exit code 77: there is no Chromium or no axe-core here."""
import os
import sys

from browser_serve import Visitor
import chromium
from serving import Checks, Server

TABLE, RUN = "demo-clinic/patients.csv", "demo-clinic%2Fpatients.csv.runs%2F1"
STEPS = {"data": ("", "document.querySelectorAll('tbody tr').length > 0"),
         "columns": ("#columns/demo-clinic%2Fpatients.csv", "document.querySelectorAll('tbody tr').length === 10"),
         "draft": ("#columns/bare.csv", "!!document.querySelector('.choice')"),
         "privacy": ("#budget/demo-clinic%2Fpatients.csv", "document.querySelectorAll('tbody tr').length > 3"),
         "run": ("#run", "!!document.querySelector('[data-state=done]')"),
         "result": (f"#look/{RUN}", "document.querySelectorAll('figure').length === 10"),
         "ledger": (f"#ledgers/{RUN}", "!!document.querySelector('[data-certificate]')")}
PLANTED = """{ const [input, pale, image] = ['input', 'p', 'img'].map(name => document.createElement(name));
  pale.textContent = 'pale'; pale.style.color = '#999'; pale.style.background = '#fff'; image.src = 'data:,';
  document.querySelector('main').append(input, pale, image); }"""


def faults(page, script):
    """Rules that do not hold, each with the first element that breaks it."""
    page.evaluate("window.axe === undefined && (() => { " + script + "\n})()")
    return page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 120)}`))")


def check_step(tab, script, name, where, ready):
    page = tab.page
    page.visit(tab.server.url + where)
    page.wait(ready, name)
    page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
    for mode, width, scheme in (("wide", 1000, "light"), ("dark", 1000, "dark"), ("phone", 360, "light")):
        page.resize(width)
        page.scheme(scheme)
        found = faults(page, script)
        tab.checks.that(not found, f"{name}, {mode}: {found[:5]}")


def check_inspected(tab, script):
    """The draft of an inspection, with a column's form open."""
    page = tab.page
    page.visit(tab.server.url + "#columns/bare.csv")
    tab.click("Read it from the records")
    page.wait("document.querySelectorAll('td .histogram').length > 0", "the inspection")
    page.click("document.querySelector('[data-edit]')")
    page.wait("!!document.querySelector('.editor')", "a form")
    found = faults(page, script)
    tab.checks.that(not found, f"an inspection: {found[:5]}")


def check_planted(tab, script):
    page = tab.page
    page.visit(tab.server.url)
    page.wait("!!document.querySelector('.drop')", "the page")
    page.evaluate(PLANTED)
    found = " ".join(faults(page, script))
    for rule in ("color-contrast", "label", "image-alt"):
        tab.checks.that(rule + ":" in found, f"planted {rule} was not found: {found}")


def main():
    program = chromium.find()
    if program is None or not os.path.exists(sys.argv[3]):
        print("skipped: no chromium here" if program is None else "skipped: axe-core is not here (make axe)")
        return 77
    with open(sys.argv[3], encoding="utf-8") as file:
        script = file.read()
    checks = Checks()
    with Server(sys.argv[1]) as server, chromium.Browser(program) as browser:
        server.post("api/demo", {})
        server.wait_for(server.post("api/run", {"path": TABLE, "epsilon": 1})[1]["run"], ("done",))
        os.link(os.path.join(server.folder, TABLE), os.path.join(server.folder, "bare.csv"))
        tab = Visitor(browser, server, checks, sys.argv[2])
        for name, (where, ready) in STEPS.items():
            check_step(tab, script, name, where, ready)
        check_inspected(tab, script)
        check_planted(tab, script)
        tab.page.close()
    return checks.result()


if __name__ == "__main__":
    sys.exit(main())
