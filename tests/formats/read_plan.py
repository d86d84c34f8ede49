#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A reader of plans, from docs/FORMATS.md alone: read_plan.py RELEASE prints the facts of its plan as JSON."""
import hashlib
import json
import sys

import canonical
from read_release import read as read_release


def read(path):
    header, _, _ = read_release(path)
    text = header["plan"]
    plan = canonical.loads(text)
    if plan["version"] != 4:
        raise ValueError("no plan of version 4")
    if canonical.dumps(plan) != text:
        raise ValueError("the plan is not canonical JSON")
    shares = [float(share) for share in plan["method"]["shares"]]
    if not 0 < float(plan["share"]) <= shares[min(plan["round"], len(shares)) - 1] * (1 + 1e-12):
        raise ValueError("the round spends more than its share")
    return plan, hashlib.sha256(text.encode()).hexdigest()


def facts(plan):
    data = plan["data"]
    if data["kind"] == "table":
        known = {"columns": [field["name"] for field in data["schema"]["fields"]],
                 "schema": hashlib.sha256(canonical.dumps(data["schema"]).encode()).hexdigest()}
    else:
        known = {key: data["images"][key] for key in ("height", "width", "channels", "classes")}
    return {"method": plan["method"]["name"], "round": plan["round"], "share": float(plan["share"]),
            "kind": data["kind"], "features": [part["feature"] for part in plan["features"]],
            "counts": plan["counts"], **known}


if __name__ == "__main__":
    plan, digest = read(sys.argv[1])
    print(json.dumps({**facts(plan), "plan_hash": digest}, indent=1))
