#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A reader of certificates, from docs/FORMATS.md alone: read_certificate.py CERTIFICATE prints its facts as JSON."""
import hashlib
import json
import math
import sys

import canonical


def read(path):
    document = canonical.loads(open(path, encoding="utf-8").read())
    if document["format"] != "semblance-certificate" or document["version"] not in (4, 5, 6, 7, 8):
        raise ValueError("no certificate of version 4 to 8")
    rest = {name: value for name, value in document.items() if name != "digest"}
    if hashlib.sha256(canonical.dumps(rest).encode()).hexdigest() != document["digest"]:
        raise ValueError("the digest is another one")
    return document


def check_totals(document):
    """Charges of all releases are those of the mechanisms and of the others; mu is the root of the sum of mu^2."""
    for field in ("mu2", "eps0", "delta"):
        parts = sum(int(mechanism[field]) for mechanism in document["mechanisms"])
        if int(document["totals"][field]) != int(document["others"][field]) + parts:
            raise ValueError(f"totals.{field} is not the sum of its parts")
    mu = document["guarantee"]["mu"]
    if mu != "inf" and not math.isclose(float(mu), math.sqrt(int(document["totals"]["mu2"]) / 2 ** 96), rel_tol=1e-9):
        raise ValueError("mu does not follow from the totals")


def facts(document):
    stated = document["guarantee"]
    return {"about": document["about"], "schema": document["schema"], "kind": stated["kind"], "epsilon": stated["epsilon"], "delta": stated["delta"], "mu": stated["mu"],
            "neighbours": stated["neighbours"], "n": stated["n"], "scope": stated["scope"], "data": document["data"], "trained_on": document.get("trained_on"),
            "ledger": document["ledger"]["id"], "files": [(f["kind"], f["sha256"]) for f in document["files"]],
            "mechanisms": [{**{key: m[key] for key in ("name", "rid", "plan", "out", "draws")},
                            "of": [block.get("of") for block in m["blocks"]]} for m in document["mechanisms"]]}


if __name__ == "__main__":
    certificate = read(sys.argv[1])
    check_totals(certificate)
    print(json.dumps(facts(certificate), indent=1))
