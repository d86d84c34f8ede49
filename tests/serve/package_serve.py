#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several files become a package by the API of `semblance serve`: inspected together, accepted, kept, planned and synthesised.

    package_serve.py SEMBLANCE
"""
import copy
import csv
import json
import os
import sys

sys.dont_write_bytecode = True
from data_sets import write_hospital  # noqa: E402
from serving import Checks, Server  # noqa: E402

SECRET = "secret-4711"
NAME = "datapackage.json"


def accepted(package):
    """Every line, as the page accepts it."""
    package = copy.deepcopy(package)
    for resource in package["resources"]:
        for field in resource["schema"]["fields"]:
            field.get("semblance", {}).pop("origin", None)
    return package


def files_of(server):
    return sorted(os.listdir(server.folder))


def check_inspection(server, checks, names):
    status, found = server.post("api/inspect", {"paths": names})
    checks.that(status == 200 and found["label"] == "NOT PRIVATE", f"{status} {str(found)[:300]}")
    tables = [(one["name"], one["path"]) for one in found["package"]["resources"]]
    checks.that(tables == [("patients", "patients.csv"), ("visits", "visits.csv"), ("labs", "labs.csv")], f"parents first, files by name: {tables}")
    checks.that("labs.visit refers to visits.visit: every row holds one of its keys" in found["notes"], f"why: {found['notes']}")
    words = [one["words"] for one in found["package"]["semblance"]["proposals"]]
    checks.that(words[-1].startswith("labs: the range of value depends on test"), f"what it proposes: {words}")
    checks.that(files_of(server) == sorted(names), f"nothing is written: {files_of(server)}")
    return found["package"]


def check_refusals(server, checks, names, package):
    before = files_of(server)
    os.makedirs(os.path.join(server.folder, "other"))
    write_hospital(os.path.join(server.folder, "other"), 50)
    with open(os.path.join(server.folder, "alone.csv"), "w", encoding="utf-8") as file:
        file.write("a,b\n" + "".join(f"x{i},{i * 0.5}\n" for i in range(50)))
    for paths, word in ((["patients.csv"], "2 to 32"), ("patients.csv", "2 to 32"), (["patients.csv", 5], "texts"), (["patients.csv", "other/visits.csv"], "another folder"),
                        (["patients.csv", "nothing.csv"], "no such file"), (["patients.csv", "../outside.csv"], ""), (["patients.csv", "patients.csv"], "patients"),
                        ([*names, "alone.csv"], "alone.csv")):
        status, answer = server.post("api/inspect", {"paths": paths})
        checks.that(400 <= status < 500 and word in answer["error"] and "\n" not in answer["error"], f"{paths}: {status} {answer}")
    status, answer = server.post("api/package", {"path": NAME, "package": package, "take": "all"})
    checks.that(status == 400 and "column 'sex' is not accepted" in answer["error"], f"lines that wait: {status} {answer}")
    good = accepted(package)
    status, answer = server.post("api/package", {"path": NAME, "package": good})
    checks.that(status == 400 and "proposals" in answer["error"] and "part" not in answer["error"], f"proposals that wait: {status} {answer}")
    for path in ("package.json", "../" + NAME, "/tmp/" + NAME, ".x/" + NAME):
        checks.that(server.post("api/package", {"path": path, "package": good, "take": "all"})[0] == 400, f"{path} is not a name for it")
    for member, value in (("path", "../../outside.csv"), ("path", server.root + "/outside.csv"), ("path", "nothing.csv"), ("schema", "../../outside.csv")):
        bad = copy.deepcopy(good)
        bad["resources"][0][member] = value
        status, answer = server.post("api/package", {"path": NAME, "package": bad, "take": "all"})
        checks.that(400 <= status < 500 and SECRET not in str(answer), f"{member} {value}: {status} {answer}")
    os.symlink("../outside.csv", os.path.join(server.folder, "link.csv"))
    for parents in ("../outside.csv", "link.csv", server.root + "/outside.csv", "nothing.csv"):
        bad = copy.deepcopy(good)
        bad["resources"][1]["schema"]["fields"][3]["semblance"] = {"hierarchy": {"parents": parents}}
        status, answer = server.post("api/package", {"path": NAME, "package": bad, "take": "none"})
        checks.that(status in (400, 404) and SECRET not in str(answer), f"{parents}: {status} {answer}")
    os.remove(os.path.join(server.folder, "link.csv"))
    bad = copy.deepcopy(good)
    bad["resources"][2]["schema"]["fields"][2]["constraints"] = {}
    status, answer = server.post("api/package", {"path": NAME, "package": bad, "take": "none"})
    checks.that(status == 422 and "'value'" in answer["error"] and answer["error"].startswith(NAME + ":"), f"which column: {status} {answer}")
    checks.that([one for one in files_of(server) if one not in ("other", "alone.csv")] == before, f"nothing is left: {files_of(server)}")
    os.remove(os.path.join(server.folder, "alone.csv"))


def check_run(server, checks, package):
    status, kept = server.post("api/package", {"path": NAME, "package": accepted(package), "take": "all"})
    value = kept["package"]["resources"][2]["schema"]["fields"][2]
    checks.that(status == 200 and kept["path"] == NAME and value["semblance"]["by"] == "test" and "semblance" not in kept["package"], f"{status} {str(kept)[:300]}")
    status, read = server.get(f"api/package?path={NAME}")
    checks.that(status == 200 and read["package"] == kept["package"], "and it is kept")
    checks.that(server.get("api/package?path=patients.csv")[0] == 400, "a table is not a package")
    status, plan = server.post("api/plan", {"path": NAME, "rows": 400, "epsilon": 2, "estimate": False})
    checks.that(status == 200 and plan["plan"]["method"] == "histories", f"{status} {str(plan)[:200]}")
    status, begun = server.post("api/run", {"path": NAME, "epsilon": 2})
    facts = server.wait_for(begun["run"], ("done", "failed"))
    checks.that(facts["state"] == "done", f"{facts}")
    rows = {}
    for table in ("patients", "visits", "labs"):
        text = server.request(f"api/result?run={begun['run']}&name=synthetic/{table}.csv")[2].decode()
        rows[table] = list(csv.DictReader(text.splitlines()))
    visits = {one["visit"] for one in rows["visits"]}
    checks.that({one["patient"] for one in rows["visits"]} <= {one["patient"] for one in rows["patients"]} and {one["visit"] for one in rows["labs"]} <= visits, "keys are linked")
    potassium = [float(one["value"]) for one in rows["labs"] if one["test"] == "K"]
    checks.that(potassium and max(potassium) <= 5, f"values fit their test: {potassium[:9]}")
    text = json.dumps(kept["package"])
    kept["package"]["resources"][0]["schema"]["fields"][2]["constraints"]["minimum"] = 1910
    checks.that(server.post("api/package", {"path": NAME, "package": kept["package"]})[0] == 200, "a change")
    with open(os.path.join(server.folder, NAME + ".1"), encoding="utf-8") as file:
        checks.that(json.load(file) == json.loads(text), "the former package gets a number")


def main():
    checks = Checks()
    with Server(sys.argv[1]) as server:
        with open(os.path.join(server.root, "outside.csv"), "w", encoding="utf-8") as file:
            file.write(f"patient,sex\n{SECRET},f\n")
        names = write_hospital(server.folder, 400)
        package = check_inspection(server, checks, names)
        check_refusals(server, checks, names, package)
        check_run(server, checks, package)
    return checks.result()


if __name__ == "__main__":
    sys.exit(main())
