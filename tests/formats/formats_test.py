#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/FORMATS.md is enough for another reader: what the program wrote is read by scripts that know the page alone, and
they agree with each other and with the program; a byte that is changed is found.

    formats_test.py PROGRAM MAKE_CLINIC CLINIC_SCHEMA
"""
import hashlib
import json
import math
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, MAKE_CLINIC, SCHEMA = sys.argv[1:4]
HERE = Path(__file__).parent
READERS = ("ledger", "release", "plan", "certificate", "model")


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def reader(kind, path):
    return json.loads(run(sys.executable, HERE / f"read_{kind}.py", path))


def check(condition, words):
    if not condition:
        sys.exit(f"formats: {words}")


def refused(kind, path, folder):
    """Every reader but that of the plan, whose file is a release, sees a changed byte."""
    data = bytearray(Path(path).read_bytes())
    place = data.index(b"rid") + 7 if kind == "certificate" else len(data) // 2
    data[place] = data[place] ^ 1
    changed = folder / "changed"
    changed.write_bytes(data)
    result = subprocess.run([sys.executable, HERE / f"read_{kind}.py", changed], capture_output=True, text=True)
    check(result.returncode != 0, f"the reader of a {kind} did not see a changed byte")


def one_run(folder, method):
    table, output, model = folder / "t.csv", folder / f"{method}.csv", folder / f"{method}.model"
    ledger = folder / f"{method}.ledger"
    run(PROGRAM, "ledger", "init", ledger, "--epsilon", "8")
    run(PROGRAM, "synth", table, "--schema", SCHEMA, "-o", output, "--model", model, "--method", method, "--epsilon", "2",
        "--ledger", ledger, "--threads", "1", "--title", "Visits of 2025", "--by", "A. Officer")
    book, stated = reader("ledger", ledger), reader("certificate", f"{output}.certificate.json")
    shown = json.loads(run(PROGRAM, "ledger", "show", ledger, "--json"))
    check(book["id"] == shown["id"] == stated["ledger"], "the ledger has another id")
    check(math.isclose(book["mu"], shown["totals"]["mu"], rel_tol=1e-9), "the ledger has another mu")
    check(math.isclose(book["mu"], float(stated["mu"]), rel_tol=1e-9), "the certificate has another mu")
    for number, mechanism in enumerate(stated["mechanisms"], 1):
        path = f"{output}.release" + (f".{number}" if number > 1 else "")
        release, plan = reader("release", path), reader("plan", path)
        check(release["sha256"] == mechanism["out"] == book["releases"][mechanism["rid"]]["out"], "another release")
        check(release["plan_hash"] == plan["plan_hash"] == mechanism["plan"], "another plan")
        check(plan["method"] == method and plan["round"] == number, "a plan of another round")
        check(plan["schema"] == stated["schema"]["sha256"], "another schema")
        check(all(any(name in of for name in plan["columns"]) or "column" in of or "number of rows" in of
                  for of in mechanism["of"]), "a block without its columns")
        check(release["n"] == 300 and str(stated["n"]) == "300", "another number of rows")
    check(stated["about"]["title"] == "Visits of 2025" and stated["about"]["by"] == "A. Officer", "another title")
    check({release["title"] for release in book["releases"].values()} == {"Visits of 2025"}, "another title in the ledger")
    check(f" t={stated['about']['date']} h=" in ledger.read_text().splitlines()[-1], "another date than the ledger's")
    model_facts = reader("model", model)
    check(model_facts["plan_hash"] == stated["mechanisms"][-1]["plan"], "the model has another plan")
    check(("model", hashlib.sha256(model.read_bytes()).hexdigest()) in map(tuple, stated["files"]), "another model")
    paths = {"ledger": ledger, "release": f"{output}.release", "certificate": f"{output}.certificate.json", "model": model}
    for kind, path in paths.items():
        refused(kind, path, folder)
    return len(stated["mechanisms"])


def main():
    for kind in READERS:
        lines = sum("SPDX" not in line for line in (HERE / f"read_{kind}.py").read_text().splitlines())
        check(lines <= 60, f"read_{kind}.py has {lines} lines: the page should be enough for 60")
    folder = Path(tempfile.mkdtemp())
    try:
        (folder / "t.csv").write_text(run(MAKE_CLINIC, 300, 1))
        counts = [one_run(folder, method) for method in ("pairs", "marginals")]
        check(counts[0] > 1, "pairs made one release only")
    finally:
        shutil.rmtree(folder)
    print("five readers agree")


if __name__ == "__main__":
    main()
