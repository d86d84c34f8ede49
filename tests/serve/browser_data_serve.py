#!/usr/bin/env python3
"""Other data than the demo's in headless Chromium on the page of `semblance serve`.

    browser_data_serve.py SEMBLANCE OUTPUT_FOLDER

Images: from the list to a verified certificate; the page is loaded again in the middle of the run;
synthetic images are shown, real ones only when they are asked for, not printed, and gone again. A folder of PNG files.
Each step is looked at as browser_serve.py does. Exit code 77: there is no Chromium here."""
import os
import sys

sys.dont_write_bytecode = True
from browser_serve import Visitor, by_text, chromium  # noqa: E402
from data_sets import write_idx, write_pngs  # noqa: E402
from serving import Checks, Server  # noqa: E402


def open_set(tab, path):
    tab.page.visit(tab.server.url)
    tab.at("Open a table")
    tab.page.click(f"[...document.querySelectorAll('button')].find(e => e.getAttribute('aria-label') === 'Open {path}')")


def fill(page, label, value):
    """What a person types or chooses under a label; the page hears of it when they go on."""
    page.evaluate(f"""(() => {{ const l = [...document.querySelectorAll('label')].find(e => e.textContent.trim() === {label!r});
        const e = document.getElementById(l.htmlFor) || l.querySelector('input'); e.value = {value!r}; e.dispatchEvent(new Event('change', {{bubbles: true}})); }})()""")


def verified(tab):
    tab.click("Verify the certificate")
    tab.at("Ledgers and certificates")
    tab.click("Verify")
    tab.page.wait("(document.querySelector('pre') || {textContent: ''}).textContent.startsWith('GUARANTEE')", "the statement")
    stands = tab.page.evaluate("document.body.innerText.includes('which was not rolled back')")
    tab.checks.that(stands, "the certificate is held against its ledger")


def check_real_images(tab, checks, expression):
    page = tab.page
    checks.that(page.evaluate("document.querySelectorAll('.real-rows canvas, .real-rows img, .not-private').length") == 0, "no real image at first")
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
    tab.at("What is publicly known of the images")
    page.wait("document.querySelector('.facts').innerText.includes('12 × 12')", "the header")
    checks.that(page.evaluate("document.querySelector('input[list]').value") == "digits/train-labels-idx1-ubyte.gz", "labels are found by their name")
    fill(page, "Number of classes", "3")
    page.wait("document.querySelector('.facts').innerText.match(/Classes\\s+3/)", "three classes")
    checks.that("300" in page.evaluate("document.querySelector('.facts').innerText"), "how many there are")
    tab.survey("images")
    tab.click("Keep and continue")
    tab.at("How much may be known")
    page.wait("document.querySelectorAll('tbody tr').length >= 2", "the plan")
    page.click("document.querySelector('details:has(select) summary')")
    fill(page, "Method", "merf")
    page.wait("document.body.innerText.includes('by the method merf')", "the plan of another method")
    fill(page, "features", "200")
    fill(page, "steps", "60")
    tab.survey("images-budget")
    fill(page, "Epsilon of this run", "5")
    tab.click("Make the synthetic images")
    tab.at("Runs")
    page.call("Page.reload")  # in the middle of the run
    page.wait("!!document.querySelector('[data-run]')", "the run, again")
    page.wait("!!" + by_text("Look at the result"), "the end of the run")
    tab.click("Look at the result")
    tab.at("The synthetic images")
    page.wait("(e => e && e.complete && e.naturalWidth > 0)(document.querySelector('img.preview'))", "synthetic images")
    tab.survey("images-look")
    links = page.evaluate("[...document.querySelectorAll('a[download]')].map(e => e.textContent)")
    checks.that(all(one in links for one in ("images-idx3-ubyte.gz", "labels-idx1-ubyte.gz", "Certificate", "Model", "Report")), f"{links}")
    check_real_images(tab, checks, "canvas")
    ink = page.evaluate("(c => { const p = c.getContext('2d').getImageData(0, 0, 12, 12).data; return [p[4 * (12 * 1 + 4)], p[4 * (12 * 1 + 9)]]; })(document.querySelector('.real-rows canvas'))")
    checks.that(ink[0] > 150 and ink[1] < 100, f"an upright bar stands where it is: {ink}")
    tab.click("Hide real images")
    checks.that(page.evaluate("document.querySelectorAll('.real-rows canvas').length") == 0, "gone")
    ledger = server.get(f"api/ledger?path={name}.ledger")[1]["ledger"]
    checks.that(ledger["releases"] == 1, f"one release was paid for: {ledger['releases']}")
    verified(tab)
    tab.quiet("images")
    page.close()


def check_pngs(browser, server, checks, folder):
    """A folder, whose classes are called as their folders are."""
    write_pngs(os.path.join(server.folder, "photos"), 120)
    tab = Visitor(browser, server, checks, folder)
    page = tab.page
    open_set(tab, "photos")
    tab.at("What is publicly known of the images")
    page.wait("document.querySelector('.facts').innerText.includes('2: left, right')", "the classes")
    checks.that("red, green, blue" in page.evaluate("document.querySelector('.facts').innerText"), "colour unless it is said")
    page.click("[...document.querySelectorAll('label.inline')].find(e => e.textContent === 'Read as grey').querySelector('input')")
    page.wait("document.querySelector('.facts').innerText.includes('grey')", "grey")
    tab.click("Keep and continue")
    tab.at("How much may be known")
    page.click("document.querySelector('details:has(select) summary')")
    fill(page, "Method", "merf")
    fill(page, "features", "200")
    fill(page, "steps", "20")
    fill(page, "Written as", "png")
    tab.click("Make the synthetic images")
    tab.at("Runs")
    page.wait("document.querySelector('[data-run]').dataset.state === 'done'", "the end of the run, which is the first")
    page.click("document.querySelector('[data-run] a')")
    tab.at("The synthetic images")
    checks.that("photos.runs/1/synthetic" in page.evaluate("document.body.innerText"), "where the files are")
    checks.that(sorted(os.listdir(os.path.join(server.folder, "photos.runs/1/synthetic"))) == ["left", "right"], "a folder for each class")
    check_real_images(tab, checks, "img")
    tab.quiet("PNG files")
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
        for check in (check_images, check_pngs):
            check(browser, server, checks, folder)
    return checks.result()


if __name__ == "__main__":
    sys.exit(main())
