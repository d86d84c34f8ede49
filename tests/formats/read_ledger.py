#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A reader of ledgers, from docs/FORMATS.md alone: read_ledger.py LEDGER prints its facts as JSON."""
import hashlib
import json
import math
import sys
import urllib.parse

SUMS = ("mu2", "eps0", "delta", "draws")


def fields(line):
    words = line.split(" ")
    return words[0], dict(word.split("=", 1) for word in words if "=" in word)


def read(path):
    text = open(path, "rb").read().decode("ascii")
    if not text.endswith("\n"):
        raise ValueError("the last line is torn")
    previous, lines = "0" * 64, []
    for number, line in enumerate(text[:-1].split("\n")):
        before, _, own = line.rpartition(" h=")
        if hashlib.sha256((previous + before).encode()).hexdigest() != own:
            raise ValueError(f"line {number} is not as it was written")
        previous = own
        first, entry = fields(line)
        if number == 0 and (first != "semblance-ledger" or entry["v"] not in ("2", "3")):
            raise ValueError("no ledger of version 2 or 3")
        if number > 0 and int(entry["seq"]) != number:
            raise ValueError(f"line {number} has another number")
        lines.append(entry)
    return lines


def unquote(text):
    return "" if text == "-" else urllib.parse.unquote(text, errors="strict")


def facts(lines):
    head, totals, state = lines[0], {"mu2": 0, "eps0": 0, "releases": 0}, {}
    for line in lines[1:]:
        if line["op"] in ("RESERVE", "REPAIR"):
            totals["mu2"] += int(line["mu2"])
            totals["eps0"] += int(line["eps0"])
            totals["releases"] += 1
            if (int(line["sum_mu2"]), int(line["sum_releases"])) != (totals["mu2"], totals["releases"]):
                raise ValueError(f"line {line['seq']}: the running totals are not the sums")
        if line["op"] == "RESERVE":
            state[line["rid"]] = {"name": line["name"], "title": unquote(line.get("title", "-")), "plan": line["plan"], "n": line["n"],
                                  "out": None}
        if line["op"] == "COMMIT":
            state[line["rid"]]["out"] = line["out"]
    # Charges are mu^2 times 2^96.
    return {"id": head["id"], "neighbours": head["rel"], "budget": head["budget_eps"], "releases": state,
            "mu": math.sqrt(totals["mu2"] / 2 ** 96), "pure_epsilon": totals["eps0"] / 2 ** 96}


if __name__ == "__main__":
    print(json.dumps(facts(read(sys.argv[1])), indent=1))
