#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Other data than one CSV table by the API of `semblance serve`: images, linked tables, JSON, databases, and tables
that must be told how they are written.

    data_serve.py SEMBLANCE

What is read is said and kept; a run is stopped, resumed and verified, also by the program; what lies outside the folder, or behind a
link in it, is not read."""
import gzip
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time

from data_sets import PEOPLE, SHOP, people, write_idx, write_pngs, write_shop
from serving import SANITIZED, Checks, Server

SECRET = "the secret outside"
# Networks are slow in an instrumented program: fewer images, and a smaller one of the same kind.
IMAGES, SMALL = (60, {"hidden": "16,8,4"}) if SANITIZED else (240, {})


def verify(server, checks, run, ledger, outputs, records="synthetic"):
    """Its certificate holds, by the server's word and by the program's."""
    certificate = f"{run}/{records}.certificate.json"
    status, found = server.post("api/verify", {"certificate": certificate, "ledger": ledger})
    checks.that(status == 200 and found["holds"], f"verify: {status} {found}")
    done = subprocess.run([server.program, "verify", certificate, "--ledger", ledger, "--output", ",".join(f"{run}/{one}" for one in outputs), "--model",
                           f"{run}/model.safetensors", "--quiet"], cwd=server.folder, capture_output=True, text=True, check=False)
    checks.that(done.returncode == 0, f"semblance verify: {done.stderr}")


def compared(server, checks, run, **more):
    """The name of the comparison, when it is there."""
    while True:
        status, found = server.post("api/compare", {"run": run, "label": "NOT PRIVATE", **more})
        if not checks.that(status == 200, f"compare: {status} {found}") or found["done"]:
            break
        time.sleep(0.1)
    page = server.request(f"api/result?run={run}&name={found['name']}")[2]
    checks.that(b"NOT PRIVATE" in page and os.stat(os.path.join(server.folder, run, found["name"])).st_mode & 0o777 == 0o600, "a comparison says what it is")
    return page


def check_images(server, checks):
    path = "digits/" + write_idx(os.path.join(server.folder, "digits"), IMAGES)
    labels = "digits/train-labels-idx1-ubyte.gz"
    found = server.get("api/files")[1]
    checks.that([one["path"] for one in found["images"]] == [path] and [one["path"] for one in found["labels"]] == [labels] and not found["tables"], f"{found}")
    status, data = server.get(f"api/data?path={path}")
    facts = {"height": 12, "width": 12, "channels": 1, "classes": 0, "names": [], "images": IMAGES}
    checks.that(status == 200 and data["kind"] == "images" and data["facts"] == facts and data["ledger"] == path + ".ledger", f"{data}")
    said = {"labels": labels, "classes": 3}
    status, data = server.post("api/data", {"path": path, "reading": said, "try": True})
    checks.that(status == 200 and data["facts"]["classes"] == 3 and server.get(f"api/data?path={path}")[1]["facts"] == facts, "what is tried is not kept")
    status, data = server.post("api/data", {"path": path, "reading": said})
    checks.that(status == 200 and server.get(f"api/data?path={path}")[1]["facts"]["classes"] == 3, "what is said is kept")
    for bad in ({"labels": "../secret"}, {"labels": "nothing"}, {"classes": "many"}, {"classes": 0}, {"size": "12"}, {"size": "5x5"}, {"delimiter": ";"}, {"duckdb": "/x.so"}, {"grey": "yes"}, 5):
        status, answer = server.post("api/data", {"path": path, "reading": bad})
        checks.that(400 <= status < 500, f"{bad}: {status} {answer}")
    status, plan = server.post("api/plan", {"path": path, "epsilon": 1, "method": "merf", "options": {"features": 200, "steps": 400, **SMALL}})
    checks.that(status == 200 and plan["plan"]["n"] == IMAGES and plan["plan"]["blocks"][0]["values"] == 600, f"plan: {status} {str(plan)[:300]}")
    checks.that(plan["plan"]["estimate"]["fitting_seconds"] > 0 and plan["plan"]["training"]["device"], f"what a run takes: {plan['plan']}")
    status, quick = server.post("api/plan", {"path": path, "epsilon": 1, "method": "merf", "options": {"features": 200, "steps": 400, **SMALL}, "estimate": False})
    left = {"estimate", "training"}
    checks.that(status == 200 and quick["plan"] == {name: plan["plan"][name] for name in plan["plan"] if name not in left}, f"the same without a rehearsal: {quick}")
    status, auto = server.post("api/plan", {"path": path, "epsilon": 1, "method": "merf", "options": {"features": "auto", **SMALL}, "estimate": False})
    checks.that(status == 200 and auto["plan"]["blocks"][0]["bounds"]["random_features"]["features"] == 128, f"features auto: {status} {str(auto)[:300]}")
    # The built-in network was trained on CIFAR-10: not for a set of that title, and nobody needs to begin a run to hear it.
    ask = {"path": path, "epsilon": 1, "method": "mepf", "estimate": False}
    status, answer = server.post("api/plan", {**ask, "title": "Cifar 10, a part"})
    checks.that(status == 422 and "was trained on CIFAR-10" in answer["error"], f"a network that saw them: {status} {answer}")
    for title in ("CIFAR-100", "", None):
        status, answer = server.post("api/plan", {**ask, "title": title})
        checks.that(status == 200 and answer["plan"]["method"] == "mepf", f"title {title}: {status} {answer}")
    methods = {one["name"]: [option["name"] for option in one["options"]] for one in server.get("api/methods?kind=images")[1]["methods"]}
    checks.that(set(methods) == {"auto", "mepf", "merf", "hp"} and "steps" in methods["merf"] and "encoder" not in methods["mepf"], f"{methods}")
    for bad in ({"encoder": "/etc/passwd"}, {"ledger": "x"}, {"epsilon": "9"}, {"steps": "x"}, {"seed": 5}, [], {"output": "x"}):
        status, answer = server.post("api/run", {"path": path, "epsilon": 1, "options": bad})
        checks.that(status == 400, f"option {bad}: {status} {answer}")
    checks.that(not os.path.exists(os.path.join(server.folder, path + ".runs")), "nothing was begun")
    return path


def check_image_run(server, checks, path):
    ask = {"path": path, "epsilon": 2, "method": "merf", "options": {"features": 200, "steps": 400, "batch": 50, **SMALL}}
    run = server.post("api/run", ask)[1]["run"]
    while server.get(f"api/runs?run={run}")[1]["runs"][0]["what"] != "training":
        time.sleep(0.02)
    checks.that(server.post("api/stop", {"run": run})[0] == 200, "it is stopped while it trains")
    facts = server.wait_for(run, ("stopped", "done", "failed"))
    checks.that(facts["state"] == "stopped" and facts["has_release"], f"{facts}")
    checks.that(server.post("api/resume", {"run": run})[0] == 200, "and goes on")
    facts = server.wait_for(run, ("done", "failed"))
    checks.that(facts["state"] == "done" and facts["kind"] == "images", f"{facts}")
    checks.that(server.get(f"api/ledger?path={path}.ledger")[1]["ledger"]["releases"] == 1, "nothing was paid for again")
    names = [one["name"] for one in server.get(f"api/results?run={run}")[1]["files"]]
    verify(server, checks, run, path + ".ledger", names[-2:])
    checks.that(names == ["model.safetensors", "preview.png", "report.html", "synthetic.certificate.json", "synthetic/images-idx3-ubyte.gz", "synthetic/labels-idx1-ubyte.gz"], f"{names}")
    status, headers, body = server.request(f"api/result?run={run}&name=preview.png")
    checks.that(status == 200 and body.startswith(b"\x89PNG") and headers["content-type"] == "image/png" and "content-disposition" not in headers, f"{headers}")
    status, headers, body = server.request(f"api/result?run={run}&name=synthetic/images-idx3-ubyte.gz")
    checks.that(status == 200 and body[:2] == b"\x1f\x8b" and "synthetic_images-idx3-ubyte.gz" in headers["content-disposition"], f"{headers}")
    for name in ("synthetic/../job.json", "synthetic/", "synthetic", "synthetic/a/b", "job.json", "synthetic.release"):
        checks.that(400 <= server.request(f"api/result?run={run}&name={name}")[0] < 500, f"{name} is no result")
    page = server.request(f"api/result?run={run}&name=report.html")[2]
    checks.that(b"data:image/png" in page and b"NOT PRIVATE" not in page, "the report shows synthetic images")
    checks.that(server.post("api/real-images", {"path": path})[0] == 400, "real images are asked for by their label")
    status, head = server.post("api/real-images", {"path": path, "label": "NOT PRIVATE"})
    checks.that(status == 200 and head[:4] == b"\0\0\x08\x03" and len(head) == 16 + IMAGES * 144, "and are then shown")
    status, head = server.post("api/real-images", {"path": path, "label": "NOT PRIVATE", "labels": True})
    checks.that(status == 200 and head[:2] == b"\x1f\x8b", "with their labels")
    status, drawn = server.post("api/sample", {"run": run, "rows": 6, "where": "label=2"})
    checks.that(status == 200 and drawn == {"run": run, "name": "images-1", "files": ["images-idx3-ubyte.gz", "labels-idx1-ubyte.gz"]}, f"more images: {drawn}")
    labels = gzip.decompress(server.request(f"api/result?run={run}&name=images-1/labels-idx1-ubyte.gz")[2])
    checks.that(labels[8:] == bytes([2] * 6) and server.request(f"api/result?run={run}&name=images-1.png")[2].startswith(b"\x89PNG"), "of the class that was asked for")
    checks.that(server.post("api/sample", {"run": run, "rows": 1e6})[0] == 400, "too many images")
    compared(server, checks, run)
    # The job file is the program's, too: another run of the same, begun there.
    with open(os.path.join(server.folder, run, "job.json"), encoding="utf-8") as file:
        job = json.load(file)
    checks.that(job["images"] == path and job["labels"] == "digits/train-labels-idx1-ubyte.gz" and job["steps"] == "400", f"{job}")
    done = subprocess.run([server.program, "resume", "--job", f"{run}/job.json", "--overwrite", "--quiet"], cwd=server.folder, capture_output=True, text=True, check=False)
    checks.that(done.returncode == 0, f"semblance resume: {done.stderr}")


def check_cifar(server, checks):
    """Records of another kind than usual: what is wrong is said, and what is known helps."""
    with open(os.path.join(server.folder, "fine.bin"), "wb") as file:
        file.write(b"".join(bytes([i % 20, i % 100]) + bytes(range(256)) * 12 for i in range(60)))
    status, data = server.get("api/data?path=fine.bin")
    checks.that(status == 200 and data["facts"] is None and "CIFAR" in data["problem"], f"{data}")
    status, data = server.post("api/data", {"path": "fine.bin", "reading": {"classes": 100}})
    checks.that(status == 200 and data["facts"]["channels"] == 3 and data["facts"]["images"] == 60, f"{data}")
    status, head = server.post("api/real-images", {"path": "fine.bin", "label": "NOT PRIVATE"})
    checks.that(status == 200 and len(head) == 60 * 3074, "and they can be looked at")


def check_folder(server, checks):
    folder = os.path.join(server.folder, "photos")
    write_pngs(folder, 40)
    found = server.get("api/files")[1]
    checks.that({"path": "photos"} in found["images"] and not any(one["path"].startswith("photos/") for one in found["images"]), f"{found['images']}")
    status, data = server.get("api/data?path=photos")
    checks.that(status == 200 and data["facts"]["names"] == ["left", "right"] and data["facts"]["images"] == 40, f"{data}")
    status, real = server.post("api/real-images", {"path": "photos", "label": "NOT PRIVATE"})
    checks.that(status == 200 and real["label"] == "NOT PRIVATE" and len(real["images"]) == 16 and {one["class"] for one in real["images"]} == {"left", "right"}, f"{str(real)[:200]}")
    with open(os.path.join(server.root, "secret.png"), "w", encoding="utf-8") as file:
        file.write(SECRET)
    os.symlink("../../../secret.png", os.path.join(folder, "left", "x.png"))
    status, data = server.get("api/data?path=photos")
    checks.that(status == 200 and data["facts"] is None and "links" in data["problem"], f"a link in a folder: {status} {data}")
    checks.that(server.post("api/run", {"path": "photos", "epsilon": 1})[0] == 404 and SECRET not in str(server.post("api/real-images", {"path": "photos", "label": "NOT PRIVATE"})), "is not followed")
    shutil.rmtree(folder)


def check_linked(server, checks):
    path = "shop/" + write_shop(os.path.join(server.folder, "shop"), 800)
    found = server.get("api/files")[1]
    checks.that([one["path"] for one in found["packages"]] == [path] and not any("json" in one["path"] for one in found["tables"]), f"{found}")
    status, data = server.get(f"api/data?path={path}")
    tables = [(one["name"], len(one["schema"]["fields"])) for one in data["facts"]["resources"]]
    checks.that(status == 200 and data["kind"] == "package" and tables == [("regions", 2), ("customers", 3), ("orders", 2)], f"{data}")
    status, plan = server.post("api/plan", {"path": path, "rows": 800, "epsilon": 1})
    checks.that(status == 200 and plan["plan"]["method"] == "histories", f"{status} {str(plan)[:200]}")
    status, words = server.post("api/check", {"path": path})
    checks.that(status == 200 and words["label"] == "NOT PRIVATE" and "orders" in words["text"], f"{words}")
    checks.that(server.post("api/limit", {"path": path, "epsilon": 3})[0] == 200, "a limit before the first run")
    status, table = server.get("api/data?path=shop/customers.csv")
    checks.that(status == 200 and table["ledger"] == path + ".ledger", f"a table has the ledger of its package: {table}")
    run = server.post("api/run", {"path": path, "epsilon": 1})[1]["run"]
    facts = server.wait_for(run, ("done", "failed"))
    checks.that(facts["state"] == "done" and not facts["discovers"], f"{facts}")
    names = [one["name"] for one in server.get(f"api/results?run={run}")[1]["files"]]
    checks.that(names[-4:] == ["synthetic/customers.csv", "synthetic/datapackage.json", "synthetic/orders.csv", "synthetic/regions.csv"], f"{names}")
    verify(server, checks, run, path + ".ledger", ["synthetic/customers.csv", "synthetic/orders.csv"])
    compared(server, checks, run)
    status, drawn = server.post("api/sample", {"run": run, "rows": 5})
    checks.that(status == 200 and drawn["name"] == "tables-1" and drawn["files"] == ["customers.csv", "datapackage.json", "orders.csv"], f"more persons: {drawn}")
    rows = server.request(f"api/result?run={run}&name=tables-1/customers.csv")[2].splitlines()
    checks.that(len(rows) == 6, f"so many: {rows}")
    checks.that(server.post("api/run", {"path": path, "epsilon": 3})[0] == 200, "another run")
    facts = server.wait_for(path + ".runs/2", ("done", "failed"))
    checks.that(facts["state"] == "failed" and "budget" in facts["message"], f"the limit holds: {facts}")


def check_strange_packages(server, checks):
    """A package names files. None of them is one outside."""
    os.makedirs(os.path.join(server.folder, "bad"), exist_ok=True)
    with open(os.path.join(server.root, "outside.csv"), "w", encoding="utf-8") as file:
        file.write(f"id,region,born\n1,{SECRET},1950\n")
    os.symlink("../../outside.csv", os.path.join(server.folder, "bad", "link.csv"))
    for member, value in (("path", "../../outside.csv"), ("path", server.root + "/outside.csv"), ("path", "link.csv"), ("path", ["link.csv"]), ("path", "file:///etc/passwd"),
                          ("path", "a\0b"), ("path", 5), ("path", "nothing.csv"), ("path", "*.csv"), ("path", None), ("schema", "../../outside.csv"), ("schema", "link.csv")):
        package = json.loads(json.dumps(SHOP))
        package["resources"] = package["resources"][:2]
        package["resources"][1][member] = value
        with open(os.path.join(server.folder, "bad", "datapackage.json"), "w", encoding="utf-8") as file:
            json.dump(package, file)
        for status, answer in (server.get("api/data?path=bad/datapackage.json"), server.post("api/run", {"path": "bad/datapackage.json", "epsilon": 1}),
                               server.post("api/check", {"path": "bad/datapackage.json"}), server.post("api/plan", {"path": "bad/datapackage.json", "epsilon": 1, "rows": 9})):
            checks.that(400 <= status < 500 and SECRET not in str(answer), f"{member} {value!r}: {status} {answer}")
    checks.that(not os.path.exists(os.path.join(server.folder, "bad", "datapackage.json.runs")), "nothing was begun")


def finish(server, checks, ask):
    """A run to its end; its rows as texts."""
    status, answer = server.post("api/run", ask)
    if not checks.that(status == 200, f"{ask}: {answer}"):
        return answer, []
    facts = server.wait_for(answer["run"], ("done", "failed"))
    checks.that(facts["state"] == "done", f"{facts}")
    rows = server.request(f"api/result?run={answer['run']}&name=synthetic.csv")[2].decode().splitlines()
    return answer["run"], rows


def fits(row):
    region, born, paid = row.split(",")
    return region in ("north", "south") and 1920 <= int(born) <= 2010 and 0 <= float(paid) <= 100


def check_json(server, checks):
    rows = [dict(zip(("region", "born", "paid"), one)) for one in people(400)]
    for name, text in (("p.json", json.dumps(rows)), ("p.ndjson", "\n".join(json.dumps(row) for row in rows))):
        with open(os.path.join(server.folder, name), "w", encoding="utf-8") as file:
            file.write(text)
        checks.that(name in [one["path"] for one in server.get("api/files")[1]["tables"]], f"{name} is listed")
        status, found = server.post("api/inspect", {"path": name})
        checks.that(status == 200 and [one["name"] for one in found["schema"]["fields"]] == ["region", "born", "paid"], f"{name}: {found}")
        checks.that(server.post("api/schema", {"path": name, "schema": PEOPLE})[0] == 200, "its schema is kept")
        run, made = finish(server, checks, {"path": name, "epsilon": 1, "method": "marginals"})
        checks.that(len(made) == 401 and all(fits(row) for row in made[1:]), f"{made[:3]}")
        verify(server, checks, run, name + ".ledger", ["synthetic.csv"], "synthetic.csv")
    # Without a schema the names must be known.
    shutil.copy(os.path.join(server.folder, "p.ndjson"), os.path.join(server.folder, "bare.ndjson"))
    checks.that(server.post("api/data", {"path": "bare.ndjson", "reading": {"columns": "region,born,paid"}})[0] == 200, "names are said")
    run, made = finish(server, checks, {"path": "bare.ndjson", "epsilon": 8, "discover": True, "method": "marginals"})
    checks.that(made and made[0] == "region,born,paid", f"{made[:2]}")
    status = server.post("api/real-rows", {"path": "p.json", "label": "NOT PRIVATE"})[0]
    checks.that(status == 400, "rows of plain CSV files alone are shown")


def check_database(server, checks):
    with sqlite3.connect(os.path.join(server.folder, "shop.sqlite")) as base:
        base.execute("CREATE TABLE people(region TEXT, born INTEGER, paid REAL)")
        base.execute('CREATE TABLE "2024"(a INTEGER)')
        base.execute("CREATE VIEW seen AS SELECT * FROM people")
        base.executemany("INSERT INTO people VALUES (?, ?, ?)", people(400))
    base.close()
    checks.that([one["path"] for one in server.get("api/files")[1]["databases"]] == ["shop.sqlite"], "it is listed")
    status, found = server.get("api/tables?path=shop.sqlite")
    checks.that(status == 200 and sorted(found["tables"]) == ["2024", "people"], f"its tables: {found}")
    checks.that(server.get("api/tables?path=p.json")[0] == 422 and server.get("api/tables?path=../x.sqlite")[0] == 404, "no database")
    name = "shop.sqlite::people"
    status, data = server.get(f"api/data?path={name}")
    checks.that(status == 200 and data["ledger"] == "shop.sqlite.ledger" and data["reading"]["table"] == "people", f"{data}")
    status, found = server.post("api/inspect", {"path": name})
    checks.that(status == 200 and [one["name"] for one in found["schema"]["fields"]] == ["region", "born", "paid"], f"{found}")
    for bad in ("shop.sqlite::nobody", "shop.sqlite::seen", "shop.sqlite::", "::people", "../x.sqlite::people", "shop.sqlite::a/b", "p.ndjson::people"):
        status, answer = server.post("api/inspect", {"path": bad})
        checks.that(400 <= status < 500, f"{bad}: {status} {answer}")
    checks.that(server.post("api/schema", {"path": name, "schema": PEOPLE})[0] == 200, "its schema is kept")
    run, made = finish(server, checks, {"path": name, "epsilon": 1, "method": "marginals"})
    checks.that(run == name + ".runs/1" and len(made) == 401 and all(fits(row) for row in made[1:]), f"{run} {made[:3]}")
    verify(server, checks, run, "shop.sqlite.ledger", ["synthetic.csv"], "synthetic.csv")
    compared(server, checks, run)
    checks.that(server.get("api/runs")[1]["runs"] != [], "its run is listed")


def check_comparisons(server, checks):
    """With rows that were held out, and with models: NOT PRIVATE, each on a page of its own."""
    for name, seed in (("fitted.csv", 3), ("held-out.csv", 4)):
        with open(os.path.join(server.folder, name), "w", encoding="utf-8") as file:
            file.write("region,born,paid\n" + "".join(f"{region},{born},{paid}\n" for region, born, paid in people(300, seed)))
    schema = {**PEOPLE, "semblance": {"label": "region"}}
    checks.that(server.post("api/schema", {"path": "fitted.csv", "schema": schema})[0] == 200, "a schema with a label")
    run, _ = finish(server, checks, {"path": "fitted.csv", "epsilon": 2, "method": "marginals"})
    ledger = server.get("api/ledger?path=fitted.csv.ledger")[1]
    plain = compared(server, checks, run)
    held_out = compared(server, checks, run, held_out="held-out.csv")
    models = compared(server, checks, run, held_out="held-out.csv", models=True)
    checks.that(b"membership" not in plain.lower() and b"membership" in held_out.lower(), "does it give anyone away?")
    checks.that(b"ROC" not in held_out and b"ROC" in models, "what models learn")
    names = sorted(name for name in os.listdir(os.path.join(server.folder, run)) if name.startswith("comparison"))
    checks.that(names == ["comparison-1-NOT-PRIVATE.html", "comparison-1.json", "comparison-2-NOT-PRIVATE.html", "comparison-2.json", "comparison-NOT-PRIVATE.html"], f"{names}")
    status, found = server.post("api/compare", {"run": run, "label": "NOT PRIVATE", "held_out": "held-out.csv"})
    checks.that(status == 200 and found["done"] and found["name"] == "comparison-1-NOT-PRIVATE.html", f"asked again it is there: {found}")
    for bad in ({"held_out": "../x.csv"}, {"held_out": "nothing.csv"}, {"held_out": "fitted.csv"}, {"held_out": "held-out.csv", "held_out_labels": "held-out.csv"}, {"held_out_labels": "x"}):
        status, answer = server.post("api/compare", {"run": run, "label": "NOT PRIVATE", **bad})
        checks.that(400 <= status < 500, f"{bad}: {status} {answer}")
    checks.that(server.get("api/ledger?path=fitted.csv.ledger")[1] == ledger, "the ledger hears nothing of it")


def check_options(server, checks):
    """Every option of data that the server lists is taken for data that it applies to, and refused by name for other data."""
    with open(os.path.join(server.folder, "walk.csv"), "w", encoding="utf-8") as file:
        file.write("age\n1\n")
    lists = {kind: server.post("api/data", {"path": "walk.csv", "kind": kind, "try": True})[1].get("options", []) for kind in ("table", "images")}
    checks.that(len(lists["table"]) >= 9 and len(lists["images"]) >= 6, f"the options: {lists}")
    for kind, rows in lists.items():
        other = "images" if kind == "table" else "table"
        for row in rows:
            value = {"choice": (row["choices"] or [None])[-1], "flag": True, "whole": 7, "size": "6x7"}.get(row["type"], "walk.csv")
            say = {"path": "walk.csv", "reading": {row["name"]: value}, "try": True}
            status, answer = server.post("api/data", {**say, "kind": kind})
            checks.that(status == 200, f"{kind}: {row['name']} is taken: {answer}")
            status, answer = server.post("api/data", {**say, "kind": other})
            checks.that(status == 400 and row["name"] in answer["error"], f"{other}: {row['name']} is refused: {status} {answer}")
            status, answer = server.post("api/data", {"path": "walk.csv", "kind": kind, "reading": {row["name"]: [1]}, "try": True})
            checks.that(status == 400, f"{row['name']} is a text, a number or true: {status}")
    for name in ("duckdb", "adbc-driver", "query", "one-row-per-person", "allow-outside"):
        for kind in lists:
            status, answer = server.post("api/data", {"path": "walk.csv", "kind": kind, "reading": {name: "x"}, "try": True})
            checks.that(status == 400 and name in answer["error"], f"{name} is not said on the page: {status} {answer}")


def check_written(server, checks):
    """A table of which nothing can be found out: no header, bars in place of quotes."""
    with open(os.path.join(server.folder, "odd.csv"), "w", encoding="utf-8") as file:
        file.writelines(f"{region}~{born}~{paid}\n" for region, born, paid in people(300))
    status, found = server.post("api/inspect", {"path": "odd.csv", "reading": {"delimiter": "~", "header": "no"}})
    checks.that(status == 200 and len(found["schema"]["fields"]) == 3 and found["schema"]["dialect"]["header"] is False, f"{found}")
    checks.that(server.post("api/inspect", {"path": "odd.csv", "reading": {"delimiter": "long"}})[0] == 400, "a sign that is none")
    checks.that(server.post("api/data", {"path": "odd.csv", "reading": {"delimiter": "~", "header": "no"}})[0] == 200, "it is kept")
    status, found = server.post("api/inspect", {"path": "odd.csv"})
    checks.that(status == 200 and len(found["schema"]["fields"]) == 3, "and holds for what comes later")


def check_histograms(server, checks):
    """A histogram of each column: of real records only for a caller who says NOT PRIVATE. Those of a run's rows are in its pictures, with intervals."""
    with open(os.path.join(server.folder, "bars.csv"), "w", encoding="utf-8") as file:
        file.writelines(["region,born,paid\n", *(f"{region},{born},{paid}\n" for region, born, paid in people(300))])
    ask = {"path": "bars.csv", "schema": PEOPLE}
    status, answer = server.post("api/histograms", ask)
    checks.that(status == 400 and "NOT PRIVATE" in answer["error"], f"real records are not shown unasked: {status} {answer}")
    status, answer = server.post("api/histograms", {**ask, "label": "NOT PRIVATE"})
    checks.that(status == 200 and answer["label"] == "NOT PRIVATE" and answer["rows"] == 300 and [one["name"] for one in answer["columns"]] == ["region", "born", "paid"], f"{answer}")
    checks.that(all(len(one["labels"]) == len(one["shares"]) and abs(sum(one["shares"]) - 1) < 1e-9 for one in answer["columns"]), "bars add up to all rows")
    checks.that(server.post("api/schema", ask)[0] == 200, "the schema")
    run = server.post("api/run", {"path": "bars.csv", "epsilon": 2})[1]["run"]
    server.wait_for(run, ("done",))
    pictures = json.loads(server.request(f"api/result?run={run}&name=pictures.json")[2])
    checks.that([one["name"] for one in pictures["columns"]] == ["region", "born", "paid"], f"a picture of each column: {pictures}")
    bars = [(low, share, high) for one in pictures["columns"] for low, share, high in zip(*(one["histogram"][part] for part in ("low", "synthetic", "high")))]
    checks.that(all(0 <= low < high <= 1 for low, _, high in bars), f"with an interval on each bar: {bars}")
    checks.that(all(one["told"] in (True, False) and len(one["low"]) == len(one["labels"][0]) for one in pictures["pairs"]), "and on each cell of a pair")
    status, answer = server.post("api/sample", {"run": run, "replicates": 3})
    drawn = server.request(f"api/result?run={run}&name={answer['name']}")[2].decode().splitlines()
    checks.that(status == 200 and drawn[0] == "replicate,region,born,paid" and {line.split(",")[0] for line in drawn[1:]} == {"1", "2", "3"}, f"replicates in one file: {drawn[:2]}")
    checks.that(server.post("api/sample", {"run": run, "replicates": 1})[0] == 400, "one replicate says nothing")
    status, answer = server.post("api/histograms", {"path": "../secret.csv", "schema": PEOPLE, "label": "NOT PRIVATE"})
    checks.that(status in (400, 404), f"nothing outside of the folder: {status} {answer}")


def check_dialect(server, checks):
    """How a file is written is found in its first lines, and charges nothing."""
    with open(os.path.join(server.folder, "german.csv"), "w", encoding="cp1252") as file:
        file.writelines(["größe;gewicht;ort\n", *(f"{150 + i % 50};{60 + i % 30},{i % 10};{'äöü'[i % 3]}\n" for i in range(30000))])
    status, found = server.post("api/dialect", {"path": "german.csv"})
    checks.that(status == 200 and found["label"] == "NOT PRIVATE", f"{status} {found}")
    schema = found["schema"]
    checks.that(schema["dialect"]["delimiter"] == ";" and schema["encoding"] == "windows-1252" and [one["name"] for one in schema["fields"]] == ["größe", "gewicht", "ort"], f"{schema}")
    checks.that(not os.path.exists(os.path.join(server.folder, "german.csv.ledger")), "nothing was charged")
    for bad in ("../secret.csv", "none.csv"):
        status, answer = server.post("api/dialect", {"path": bad})
        checks.that(status in (400, 404), f"{bad}: {status} {answer}")


def check_person(server, checks):
    """What an owner says of persons changes what an inspection proposes."""
    with open(os.path.join(server.folder, "visits.csv"), "w", encoding="utf-8") as file:
        file.write("who,sex,day\n" + "".join(f"{i // 3},{'fm'[i // 3 % 2]},{1 + i % 3 * 5}\n" for i in range(900)))
    kinds = {}
    for person in ("who", ""):
        status, found = server.post("api/inspect", {"path": "visits.csv", "person": person})
        kinds[person] = [one["kind"] for one in found["schema"]["semblance"].get("proposals", [])]
    checks.that({"unit", "per", "order"} <= set(kinds["who"]), f"person, constants and order: {kinds}")
    checks.that(not {"unit", "per", "order"} & set(kinds[""]), f"none of them where there is no person: {kinds}")
    status, answer = server.post("api/inspect", {"path": "visits.csv", "person": "nobody"})
    checks.that(status == 400 and "person" in answer["error"], f"{status} {answer}")


def check_failed_status(server, checks):
    """A run that fails says by its status which step mends it."""
    with open(os.path.join(server.folder, "other.csv"), "w", encoding="utf-8") as file:
        file.write("region,b\nnorth,2\n")
    checks.that(server.post("api/schema", {"path": "other.csv", "schema": PEOPLE})[0] == 200, "a schema of another table")
    run = server.post("api/run", {"path": "other.csv", "epsilon": 1})[1]["run"]
    found = server.wait_for(run, ("failed",))
    checks.that(found["status"] == 2 and "born" in found["message"], f"an input that is not acceptable: {found}")


def main():
    checks = Checks()
    with Server(sys.argv[1]) as server:
        path = check_images(server, checks)
        check_image_run(server, checks, path)
        check_cifar(server, checks)
        check_folder(server, checks)
        check_linked(server, checks)
        check_strange_packages(server, checks)
        check_json(server, checks)
        check_database(server, checks)
        check_comparisons(server, checks)
        check_options(server, checks)
        check_written(server, checks)
        check_histograms(server, checks)
        check_dialect(server, checks)
        check_person(server, checks)
        check_failed_status(server, checks)
    return checks.result()


if __name__ == "__main__":
    sys.exit(main())
