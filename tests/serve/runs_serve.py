#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The whole job by the API of `semblance serve`, as a script would do it.

    runs_serve.py SEMBLANCE

Runs are stopped, killed, resumed and verified; an inspection must be accepted line by line; a budget is kept."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from serving import Checks, Server

PATIENTS = "demo-clinic/patients.csv"


def verify(server, checks, run):
    """Its certificate holds, by the server's word and by the program's."""
    certificate = f"{run}/synthetic.csv.certificate.json"
    status, found = server.post("api/verify", {"certificate": certificate, "ledger": PATIENTS + ".ledger"})
    checks.that(status == 200 and found["holds"] and "GUARANTEE" in found["statement"], f"verify: {status} {found}")
    done = subprocess.run([server.program, "verify", certificate, "--ledger", PATIENTS + ".ledger", "--output", f"{run}/synthetic.csv",
                           "--model", f"{run}/model.safetensors", "--quiet"], cwd=server.folder, capture_output=True, text=True, check=False)
    checks.that(done.returncode == 0, f"semblance verify: {done.stderr}")
    return found


def releases(server):
    ledger = server.get(f"api/ledger?path={PATIENTS}.ledger")[1]["ledger"]
    return ledger["releases"] if ledger else 0


def check_job(server, checks):
    status, found = server.get(f"api/schema?path={PATIENTS}")
    checks.that(status == 200 and not found["inspected"] and found["rows_about"] == {"rows": 4000, "label": "NOT PRIVATE"}, f"the demo brings its schema: {found}")
    sizes = [one for one in server.get("api/files")[1]["tables"] if set(one) != {"path", "changed"}]
    checks.that(sizes == [], f"the size of a file depends on its records: {sizes}")
    status, answer = server.post("api/plan", {"schema": found["schema"], "rows": 4000, "epsilon": 1})
    checks.that(status == 200 and 0.5 < answer["right_at_most"] < 0.6 and answer["plan"]["blocks"], f"plan: {status}")
    error = answer["plan"]["expected_error"]
    checks.that(0 < error["column"] < error["label"] < error["pair"] < 0.5 and 0 < error["pair_least"] < error["pair"], f"expected error: {error}")
    few = server.post("api/plan", {"schema": found["schema"], "rows": 50, "epsilon": 0.1})[1]["plan"]["warnings"]
    checks.that(answer["plan"]["warnings"] == [] and any("are few" in line for line in few), f"what speaks against a plan: {few}")
    less = server.post("api/plan", {"schema": found["schema"], "rows": 4000, "epsilon": 4})[1]["plan"]["expected_error"]
    checks.that(all(less[name] < error[name] for name in error), f"less at a larger epsilon: {less}")
    for delta in (-1, 0, "1e-6", True, []):
        status, refused = server.post("api/run", {"path": PATIENTS, "epsilon": 1, "delta": delta})
        checks.that(status == 400 and "'delta'" in refused["error"], f"delta {delta!r}: {status} {refused}")
    status, answer = server.post("api/run", {"path": PATIENTS, "epsilon": 1, "title": "clinic <b>", "by": "an officer"})
    checks.that(status == 200, f"run: {answer}")
    run = answer["run"]
    facts = server.wait_for(run, ("done", "failed"))
    checks.that(facts["state"] == "done" and facts["title"] == "clinic <b>", f"{facts}")
    verify(server, checks, run)
    status, headers, page = server.request(f"api/result?run={run}&name=report.html")
    checks.that(status == 200 and b"epsilon" in page and headers["content-security-policy"].startswith("sandbox;"), "the report is in a sandbox")
    checks.that(b"NOT PRIVATE" not in page and b"<script" not in page, "and public")
    status, headers, table = server.request(f"api/result?run={run}&name=synthetic.csv")
    checks.that(status == 200 and table.count(b"\n") == 4001 and headers["content-disposition"] == 'attachment; filename="patients-1-synthetic.csv"', f"{headers}")
    status, _, head = server.request(f"api/result?run={run}&name=synthetic.csv&head=1")
    checks.that(table.startswith(head) and len(head) <= 65536 and head.endswith(b"\n"), "its first rows")
    status, drawn = server.post("api/sample", {"run": run, "rows": 30, "where": "ward = surgery\nage > 50"})
    checks.that(status == 200 and drawn["name"] == "rows-1.csv", f"rows by condition: {drawn}")
    rows = server.request(f"api/result?run={run}&name=rows-1.csv")[2].decode().splitlines()[1:]
    checks.that(len(rows) == 30 and all(",surgery," in row and int(row.split(",")[2]) > 50 for row in rows), f"{rows[:2]}")
    checks.that(server.post("api/sample", {"run": run, "rows": 30, "where": "nothing = 1"})[0] == 400, "no such column")
    checks.that(server.post("api/sample", {"run": run, "rows": 1e9})[0] == 400, "too many rows")
    checks.that(server.post("api/compare", {"run": run})[0] == 400, "a comparison is asked for by its label")
    while not server.post("api/compare", {"run": run, "label": "NOT PRIVATE"})[1]["done"]:
        time.sleep(0.1)
    page = server.request(f"api/result?run={run}&name=comparison-NOT-PRIVATE.html")[2]
    mode = os.stat(os.path.join(server.folder, run, "comparison-NOT-PRIVATE.html")).st_mode & 0o777
    checks.that(b"NOT PRIVATE" in page and mode == 0o600, f"and says what it is: {mode:o}")
    checks.that(server.post("api/real-rows", {"path": PATIENTS})[0] == 400, "real rows are asked for by their label")
    status, rows = server.post("api/real-rows", {"path": PATIENTS, "label": "NOT PRIVATE"})
    checks.that(status == 200 and rows.startswith(b"admitted,"), "and are then shown")
    return run


def files_of(folder):
    return sorted(os.path.join(place, name) for place, folders, names in os.walk(folder) for name in folders + names)


def check_refused(server, checks, done):
    """While a run goes on others of the table are refused, however often, and leave nothing. More than a table may have runs."""
    answer = {}
    while "run" not in answer:  # the process of the comparison may still be ending after its page is there
        answer = server.post("api/run", {"path": PATIENTS, "epsilon": 0.1, "method": "merf", "options": {"steps": 100000000, "features": 50}})[1]
        time.sleep(0.1)
    run = answer["run"]
    before, statuses = [path for path in files_of(server.folder) if run not in path], set()
    for _ in range(1100):
        statuses.add(server.post("api/run", {"path": PATIENTS, "epsilon": 0.5})[0])
    for number in range(110):  # a comparison of another question each time, more than a run may have
        held_out = os.path.join(server.folder, f"held-out-{number}.csv")
        shutil.copy(os.path.join(server.folder, PATIENTS), held_out)
        statuses.add(server.post("api/compare", {"run": done, "label": "NOT PRIVATE", "held_out": f"held-out-{number}.csv"})[0])
        os.remove(held_out)
    checks.that(statuses == {409}, f"refused: {statuses}")
    after = [path for path in files_of(server.folder) if run not in path]
    checks.that(after == before, f"left: {sorted(set(after) ^ set(before))[:5]}")
    server.post("api/stop", {"run": run})
    checks.that(server.wait_for(run, ("stopped", "done"))["state"] == "stopped", "it was running all the time")


def check_warnings(server, checks):
    schema = server.get(f"api/schema?path={PATIENTS}")[1]["schema"]
    planned = server.post("api/plan", {"schema": schema, "rows": 4000, "epsilon": 0.02})[1]["plan"]["warnings"]
    run = server.post("api/run", {"path": PATIENTS, "epsilon": 0.02})[1]["run"]
    facts = server.wait_for(run, ("done", "failed"))
    told = [line.removeprefix("WARNING: ") for line in facts["advice"].splitlines() if line.startswith("WARNING: ")]
    checks.that(any("independent of each other" in line for line in planned) and told == planned, f"a run says what its plan warns of: {told} {planned}")


def check_one_at_a_time(server, checks):
    status, answer = server.post("api/run", {"path": PATIENTS, "epsilon": 0.5})
    run = answer["run"]
    checks.that(status == 200, f"another run: {answer}")
    status, refused = server.post("api/run", {"path": PATIENTS, "epsilon": 0.5})
    checks.that(status == 409, f"one at a time: {status} {refused}")
    checks.that(server.post("api/resume", {"run": run})[0] == 409, "nor twice the same")
    checks.that(server.post("api/stop", {"run": run})[0] == 200, "it is stopped")
    facts = server.wait_for(run, ("stopped", "done"))
    checks.that(facts["state"] == "stopped", f"before its end: {facts}")
    checks.that(server.post("api/stop", {"run": run})[0] == 400, "and stands still")
    return run


def check_resume(server, checks, run):
    checks.that(server.post("api/resume", {"run": run})[0] == 200, "it is resumed")
    facts = server.wait_for(run, ("done", "failed"))
    checks.that(facts["state"] == "done", f"to its end: {facts}")
    checks.that("THIS RUN: eps=0.5;" in verify(server, checks, run)["statement"], "and paid for once")


def check_reported(server, checks, run):
    """A run that was stopped before its report draws and reports again, and pays nothing."""
    before = releases(server)
    os.remove(os.path.join(server.folder, run, "report.html"))
    checks.that(server.get(f"api/runs?run={run}")[1]["runs"][0]["state"] == "stopped", "without a report it is not finished")
    checks.that(server.post("api/resume", {"run": run})[0] == 200, "it is resumed")
    facts = server.wait_for(run, ("done", "failed"))
    checks.that(facts["state"] == "done" and releases(server) == before, f"{facts}")
    verify(server, checks, run)


def check_killed(server, checks):
    before = releases(server)
    run = server.post("api/run", {"path": PATIENTS, "epsilon": 0.25})[1]["run"]
    while releases(server) == before:
        pass  # until the release is charged
    server.process.send_signal(signal.SIGKILL)
    server.process.communicate()
    old = server.url
    server.start()
    checks.that(server.url != old, "another start has another token")
    facts = server.wait_for(run, ("stopped", "done"))
    checks.that(facts["state"] == "stopped", f"a killed server leaves a run to be resumed: {facts}")
    # The same by the program, from the job file in the run's folder.
    done = subprocess.run([server.program, "resume", "--job", f"{run}/job.json", "--quiet"], cwd=server.folder, capture_output=True, text=True, check=False)
    checks.that(done.returncode == 0 or "no release" in done.stderr, f"semblance resume: {done.stderr}")
    if done.returncode != 0:
        server.post("api/resume", {"run": run})
    facts = server.wait_for(run, ("done", "failed"))
    checks.that(facts["state"] == "done", f"{facts}")
    checks.that("THIS RUN: eps=0.25;" in verify(server, checks, run)["statement"], "what was released is not paid for again")


def child_of(server):
    """The process of the one run that is going on; None: there is none."""
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                state, parent = file.read().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(parent) == server.process.pid and state != "Z":
            return int(name)
    return None


def check_crashed(server, checks):
    """A run that crashes is a failed run, and the server goes on. Its process knows nothing of the server's."""
    run = server.post("api/run", {"path": PATIENTS, "epsilon": 0.1, "method": "merf", "options": {"steps": 100000000, "features": 50}})[1]["run"]
    while server.get(f"api/runs?run={run}")[1]["runs"][0]["steps"] == 0:
        time.sleep(0.05)
    child = child_of(server)
    if not checks.that(child is not None, "a run has a process of its own"):
        return
    with open(f"/proc/{child}/cmdline", "rb") as file:
        words = file.read().split(b"\0")
    with open(f"/proc/{child}/environ", "rb") as file:
        environment = file.read()
    checks.that(words[1] == b"synth" and server.token.encode() not in b" ".join(words), f"its command line: {words}")
    checks.that(b"PASSWORD" not in environment and server.token.encode() not in environment, "its environment is not ours")
    files = {number: os.readlink(f"/proc/{child}/fd/{number}") for number in os.listdir(f"/proc/{child}/fd")}
    checks.that(not any(place.startswith("socket:") for place in files.values()) and files["3"].endswith(f"{run}/job.json"), f"its files: {files}")
    os.kill(child, signal.SIGABRT)  # a sanitizer catches SIGSEGV and exits with a status of its own
    facts = server.wait_for(run, ("failed", "done", "stopped"))
    checks.that(facts["state"] == "failed" and "ended unexpectedly" in facts["message"] and "resumed" in facts["message"], f"{facts}")
    checks.that(server.is_alive() and server.post("api/resume", {"run": run})[0] == 200, "and the run can be resumed")
    server.post("api/stop", {"run": run})
    checks.that(server.wait_for(run, ("failed", "done", "stopped"))["state"] == "stopped", "and stopped")


def check_interrupted(server, checks):
    run = server.post("api/run", {"path": PATIENTS, "epsilon": 0.25})[1]["run"]
    status, said = server.end(signal.SIGTERM)
    checks.that(status == 0 and "resumed" in said, f"a signal ends it cleanly: {status} {said}")
    server.start()
    checks.that(server.wait_for(run, ("stopped", "done"))["state"] == "stopped", "in the middle of a run")
    server.post("api/resume", {"run": run})
    checks.that(server.wait_for(run, ("done", "failed"))["state"] == "done", "which goes on")
    verify(server, checks, run)


def check_inspection(server, checks):
    """A table that nobody has described: the inspection is marked, and a run waits for every line."""
    shutil.copy(os.path.join(server.folder, PATIENTS), os.path.join(server.folder, "plain.csv"))
    checks.that(server.get("api/schema?path=plain.csv")[1]["schema"] is None, "no schema yet")
    status, found = server.post("api/inspect", {"path": "plain.csv"})
    schema = found["schema"]
    checks.that(status == 200 and found["label"] == "NOT PRIVATE" and schema["fields"][0]["semblance"]["origin"], "an inspection")
    status, answer = server.post("api/schema", {"path": "plain.csv", "schema": schema, "take": "none"})
    checks.that(status == 400 and "admitted" in answer["error"], f"no line is accepted yet: {answer}")
    with open(os.path.join(server.folder, "plain.csv.schema.json"), "w", encoding="utf-8") as file:
        json.dump(schema, file)
    status, answer = server.post("api/run", {"path": "plain.csv", "epsilon": 1})
    checks.that(status == 422 and "accept" in answer["error"], f"an inspection is not run: {answer}")
    for field in schema["fields"]:
        del field["semblance"]["origin"]
    status, answer = server.post("api/schema", {"path": "plain.csv", "schema": schema})
    checks.that(status == 400, f"proposals must be decided: {status} {answer}")
    status, answer = server.post("api/schema", {"path": "plain.csv", "schema": schema, "take": "constraint"})
    checks.that(status == 200 and answer["schema"]["semblance"]["constraints"] and "proposals" not in answer["schema"]["semblance"], f"{answer}")
    accepted = answer["schema"]
    checks.that(not server.get("api/schema?path=plain.csv")[1]["inspected"], "nothing of it waits")
    status, answer = server.post("api/check", {"schema": accepted, "path": "plain.csv"})
    checks.that(status == 200 and answer["label"] == "NOT PRIVATE" and "4000 rows" in answer["text"], f"{answer}")
    accepted["semblance"]["constraints"] = ["age > > 3"]
    status, answer = server.post("api/check", {"schema": accepted})
    checks.that(status == 422, f"a rule that is none: {status} {answer}")


def check_budget(server, checks):
    """A limit holds, and can only be lowered."""
    status, answer = server.post("api/limit", {"path": "plain.csv", "epsilon": 1.5})
    checks.that(status == 200 and answer["ledger"]["limit"] == "1.5" and answer["ledger"]["mu_left"] > 0, f"{answer}")
    checks.that(server.post("api/limit", {"path": "plain.csv", "epsilon": 2})[0] == 400, "it is not raised")
    run = server.post("api/run", {"path": "plain.csv", "epsilon": 3})[1]["run"]
    facts = server.wait_for(run, ("failed", "done"))
    checks.that(facts["state"] == "failed" and "budget" in facts["message"], f"over the limit: {facts}")
    checks.that(server.get("api/ledger?path=plain.csv.ledger")[1]["ledger"]["releases"] == 0, "nothing was released")
    run = server.post("api/run", {"path": "plain.csv", "epsilon": 1.4, "discover": True})[1]["run"]
    facts = server.wait_for(run, ("failed", "done"))
    checks.that(facts["state"] == "done" and facts["discovers"], f"a schema is discovered: {facts}")


def check_killed_upload(server, checks):
    """What a killed upload left is no data, and is removed by the next start, unless a server still receives it."""
    def begin(to, name):
        connection = to.connect()
        head = f"POST /{to.token}/api/upload?name={name} HTTP/1.1\r\nHost: {to.host}\r\nContent-Length: 1000000\r\n\r\n"
        connection.sendall(head.encode() + b"a,b\n1,2\n" * 100)
        part = os.path.join(to.folder, name + ".upload.part")
        while not (os.path.exists(part) and os.path.getsize(part) > 0):
            time.sleep(0.01)
        return connection, part

    def upload(to, name):
        return to.request(f"api/upload?name={name}", "POST", b"a,b\n1,2\n", {"Content-Type": "application/octet-stream"})

    os.makedirs(os.path.join(server.folder, "theirs.part"))
    for name in ("theirs.csv.part", "theirs.part/in.csv", "theirs.upload.part.csv"):
        with open(os.path.join(server.folder, name), "w", encoding="utf-8") as file:
            file.write("a,b\n1,2\n")
    with begin(server, "killed.csv")[0]:
        status, _, body = upload(server, "killed.csv")
        checks.that(status == 409 and body.count(b"killed.csv.upload.part") == 2, f"it is being received: {status} {body}")
        server.process.send_signal(signal.SIGKILL)
        server.process.communicate()
    checks.that(os.path.exists(os.path.join(server.folder, "killed.csv.upload.part")), "a killed server leaves it")
    server.start()
    checks.that(not os.path.exists(os.path.join(server.folder, "killed.csv.upload.part")), "the next start removes it")
    checks.that(upload(server, "killed.csv")[0] == 200, "and the file is received")
    connection, part = begin(server, "slow.csv")
    with connection, Server(server.program, server.root) as other:
        checks.that(os.path.exists(part), "one that is being received is left alone")
        found = json.dumps(other.get("api/files")[1])
        checks.that("theirs.csv.part" not in found and "theirs.part/" not in found and "slow" not in found and "theirs.upload.part.csv" in found, f"{found}")
        for path in ("theirs.csv.part", "theirs.part", "theirs.part/in.csv", "slow.csv.upload.part"):
            for status, answer in (other.get(f"api/data?path={path}"), other.post("api/inspect", {"path": path}), other.post("api/run", {"path": path, "epsilon": 1, "discover": True})):
                checks.that(status == 422 and path in answer["error"] and "not received whole" in answer["error"], f"{path}: {status} {answer}")
    checks.that(os.path.exists(os.path.join(server.folder, "theirs.csv.part")), "what others receive is not ours to remove")


def check_place(server, checks):
    """The folder of the data is not the working directory, and no file or message names its place on this machine."""
    place = os.readlink(f"/proc/{server.process.pid}/cwd")
    checks.that(place == os.path.realpath(server.elsewhere), f"the working directory: {place}")
    named = []
    for folder, _, names in os.walk(server.folder):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                if server.root.encode() in file.read():
                    named.append(name)
    checks.that(named == [], f"files that name the folder's place: {named}")
    with open(os.path.join(server.folder, "torn.csv"), "w", encoding="utf-8") as file:
        file.write("a,b\n1,2\n")
    with open(os.path.join(server.folder, "torn.csv.ledger"), "w", encoding="utf-8") as file:
        file.write("no ledger\n")
    status, answer = server.get("api/ledger?path=torn.csv.ledger")
    checks.that(400 <= status < 500 and "torn.csv.ledger" in answer["error"] and server.root not in answer["error"], f"{status} {answer}")


def check_browser(program, checks):
    """The page is opened by a file for this user alone: the command line of the browser holds no token."""
    with tempfile.TemporaryDirectory() as folder:
        runtime, seen = os.path.join(folder, "runtime"), os.path.join(folder, "seen")
        os.mkdir(runtime, 0o700)
        with open(os.path.join(folder, "xdg-open"), "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nstat -c %a "$1" >"$SEEN.new"; echo "$@" >>"$SEEN.new"; cat "$1" >>"$SEEN.new"; mv "$SEEN.new" "$SEEN"\n')
        os.chmod(os.path.join(folder, "xdg-open"), 0o700)
        environment = {"DISPLAY": ":0", "XDG_RUNTIME_DIR": runtime, "SEEN": seen, "PATH": folder + ":" + os.environ["PATH"]}
        with Server(program, environment=environment) as server:
            while not os.path.exists(seen):
                time.sleep(0.05)
            with open(seen, encoding="utf-8") as file:
                mode, arguments, page = file.read().split("\n", 2)
            checks.that(mode == "600" and arguments.startswith(runtime) and server.token not in arguments, f"{mode} {arguments}")
            checks.that(server.url in page and "<script" not in page, "the file leads to the page")
            checks.that(server.end()[0] == 0 and os.listdir(runtime) == [], "and is removed")
        with Server(program, options=["--no-open"], environment={**environment, "SEEN": seen + "2"}) as server:
            checks.that(server.get("api/files")[0] == 200 and os.listdir(runtime) == [] and not os.path.exists(seen + "2"), "--no-open opens nothing")


def check_policy(program, checks):
    """A server with a policy: what it does not allow is charged nothing, what it allows is under its author and title."""
    with tempfile.TemporaryDirectory() as rules:
        policy = os.path.join(rules, "policy.json")
        with open(policy, "w", encoding="utf-8") as file:
            file.write('{"format": "semblance-policy", "version": 1, "title_required": true, "epsilon_per_period": 1.5}')
        with Server(program, options=("--policy", policy)) as server:
            server.post("api/demo", {})
            run = server.post("api/run", {"path": PATIENTS, "epsilon": 1})[1]["run"]
            facts = server.wait_for(run, ("done", "failed"))
            checks.that(facts["state"] == "failed" and "requires a title" in str(facts), f"a run without a title: {facts}")
            checks.that(releases(server) == 0, "a run that the policy refused was charged")
            run = server.post("api/run", {"path": PATIENTS, "epsilon": 1, "title": "clinic"})[1]["run"]
            facts = server.wait_for(run, ("done", "failed"))
            ledger = server.get(f"api/ledger?path={PATIENTS}.ledger")[1]["ledger"]
            charged = [line for line in ledger["lines"] if line["op"] == "RESERVE"]
            checks.that(facts["state"] == "done" and charged and all(line["title"] == "clinic" and line["who"] for line in charged),
                        f"a run that it allows: {facts} {ledger}")
            checks.that(ledger["periods"] == 1 and ledger["successor"] == "" and ledger["epsilon_left"] is None, f"no limit: {ledger}")


def main():
    checks = Checks()
    check_policy(sys.argv[1], checks)
    check_browser(sys.argv[1], checks)
    with Server(sys.argv[1], environment={"PGPASSWORD": "secret"}) as server:
        server.post("api/demo", {})
        check_refused(server, checks, check_job(server, checks))
        check_warnings(server, checks)
        run = check_one_at_a_time(server, checks)
        check_resume(server, checks, run)
        check_reported(server, checks, run)
        check_crashed(server, checks)
        check_killed(server, checks)
        check_interrupted(server, checks)
        check_inspection(server, checks)
        check_budget(server, checks)
        check_killed_upload(server, checks)
        check_place(server, checks)
    return checks.result()


if __name__ == "__main__":
    sys.exit(main())
