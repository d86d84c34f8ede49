#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Attacks on `semblance serve` over sockets.

    attack_serve.py SEMBLANCE

Whoever lacks the token, comes from another page or by another name gets nothing; no path leads out of the folder; nothing
is overwritten; bodies, uploads and connections are bounded, and so is memory."""
import json
import os
import random
import resource
import shutil
import socket
import sys

from serving import Checks, Server, parse, read_all

SECRET = "the secret outside"
PATIENTS = "demo-clinic/patients.csv"


def check_token(server, checks):
    wrong = server.token[:-1] + ("0" if server.token[-1] != "0" else "1")
    for path in ("/", "/api/files", f"/{wrong}/", f"/{wrong}/api/files", f"/{server.token[:-1]}/", f"/{server.token}0/",
                 f"/{server.token}", f"//{server.token}/", f"/x/{server.token}/", f"/{server.token.upper()}/api/files"):
        status, headers, body = server.request(path, token=False)
        if path == f"/{server.token.upper()}/api/files" and server.token.upper() == server.token:
            continue
        checks.that(status == 403, f"{path}: {status}")
        checks.that(server.token.encode() not in body and "set-cookie" not in headers, f"{path}: gives nothing away")
    status, _, body = server.request("")
    checks.that(status == 200 and b"<title>" in body, "with the token there is a page")


def check_names(server, checks):
    port = server.port
    for host in ("evil.example", f"evil.example:{port}", f"localhost.evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}",
                 f"127.0.0.1:{port}@evil.example", f"0.0.0.0:{port}", f"127.1:{port}", "", f"[::1]:{port}"):
        status, _, _ = server.request("api/files", headers={"Host": host})
        checks.that(status in (400, 403), f"Host {host!r}: {status}")
    status, _, _ = server.request("api/files", headers={"Host": [server.host, "evil.example"]})
    checks.that(status in (400, 403), f"two hosts: {status}")
    status, _, _ = parse(server.raw(f"GET /{server.token}/api/files HTTP/1.0\r\n\r\n".encode()))
    checks.that(status in (400, 403), f"no host: {status}")
    status, _, _ = server.request("api/files", headers={"Host": f"localhost:{port}"})
    checks.that(status == 200, f"localhost: {status}")


def check_pages(server, checks):
    port = server.port
    for origin in ("http://evil.example", "null", f"https://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}", "http://127.0.0.1",
                   f"http://127.0.0.1:{port}.evil.example", "file://", ""):
        for path, method in (("api/files", "GET"), ("api/demo", "POST")):
            status, headers, _ = server.request(path, method, b"{}" if method == "POST" else b"", {"Origin": origin})
            checks.that(status == 403, f"Origin {origin!r} {path}: {status}")
            checks.that(not any(name.startswith("access-control") for name in headers), "no CORS")
    for site in ("cross-site", "same-site"):
        status, _, _ = server.request("api/files", headers={"Sec-Fetch-Site": site})
        checks.that(status == 403, f"Sec-Fetch-Site {site}: {status}")
    status, _, _ = server.request("", headers={"Sec-Fetch-Site": "cross-site"})
    checks.that(status == 200, "the page itself may be opened by a link")
    status, _, _ = server.request("api/files", headers={"Origin": f"http://127.0.0.1:{port}", "Sec-Fetch-Site": "same-origin"})
    checks.that(status == 200, "our own page is served")
    for kind in ("text/plain", "application/x-www-form-urlencoded", None):
        status, _, _ = server.request("api/demo", "POST", b"{}", {"Content-Type": kind})
        checks.that(status == 400, f"a form of another page: {kind} {status}")
    for method in ("OPTIONS", "PUT", "DELETE", "TRACE", "PATCH", "HEAD"):
        status, headers, _ = server.request("api/files", method)
        checks.that(status in (403, 404, 405, 501) and "access-control-allow-origin" not in headers, f"{method}: {status}")


def check_headers(server, checks):
    for path in ("", "main.js", "api/files", "nothing"):
        _, headers, _ = server.request(path)
        policy = headers.get("content-security-policy", "")
        checks.that("frame-ancestors 'none'" in policy and "default-src 'none'" in policy and "unsafe" not in policy, f"{path}: {policy}")
        checks.that(headers.get("x-content-type-options") == "nosniff" and headers.get("referrer-policy") == "no-referrer" and
                    headers.get("cache-control") == "no-store" and "set-cookie" not in headers, f"{path}: headers")


def check_escapes(server, checks):
    """Whatever names a file names one inside the folder, and no link leads out."""
    folder, root = server.folder, server.root
    for name in ("secret.csv", "secret.csv.ledger", "secret.certificate.json"):
        with open(os.path.join(root, name), "w", encoding="utf-8") as file:
            file.write(f"name,value\n{SECRET},1\nx,2\ny,3\n")
    os.makedirs(os.path.join(root, "outside.runs", "1"))
    with open(os.path.join(root, "outside.runs", "1", "report.html"), "w", encoding="utf-8") as file:
        file.write(SECRET)
    os.symlink("../secret.csv", os.path.join(folder, "link.csv"))
    os.symlink("..", os.path.join(folder, "up"))
    os.symlink(os.path.join(root, "outside.runs"), os.path.join(folder, "link.csv.runs"))
    os.mkfifo(os.path.join(folder, "pipe.csv"))
    with open(os.path.join(folder, ".hidden.csv"), "w", encoding="utf-8") as file:
        file.write(SECRET)
    os.mkdir(os.path.join(folder, "a-folder.csv"))
    paths = ["../secret.csv", root + "/secret.csv", "/etc/passwd", "demo-clinic/../../secret.csv", "link.csv", "up/secret.csv", "./link.csv",
             ".hidden.csv", "-", "", "a,../secret.csv", "*.csv", "../sec*.csv", "up/*.parquet", "demo-clinic//patients.csv", "a-folder.csv",
             "pipe.csv", "nothing.csv", "x" * 5000, "a\0b", "demo-clinic/patients.csv/..", "..", ".", "\u202ecsv.x", "a\nb", "/proc/self/environ",
             "demo-clinic/patients.csv/../../../secret.csv"]
    schema = server.get(f"api/schema?path={PATIENTS}")[1]["schema"]
    for path in paths:
        tries = [("inspect", {"path": path}), ("schema", {"path": path, "schema": schema}), ("check", {"path": path, "schema": schema}),
                 ("limit", {"path": path, "epsilon": 1}), ("run", {"path": path, "epsilon": 1}), ("run", {"path": path, "epsilon": 1, "discover": True}),
                 ("real-rows", {"path": path, "label": "NOT PRIVATE"}), ("verify", {"certificate": path}),
                 ("verify", {"certificate": path + "/secret.certificate.json"}), ("resume", {"run": path}), ("resume", {"run": path + ".runs/1"}),
                 ("stop", {"run": path}), ("sample", {"run": path, "rows": 1}), ("compare", {"run": path, "label": "NOT PRIVATE"}), ("sample", {"run": path + ".runs/1", "rows": 1})]
        for endpoint, body in tries:
            status, answer = server.post(f"api/{endpoint}", body)
            checks.that(400 <= status < 500 and SECRET not in str(answer), f"{endpoint} {path[:60]!r}: {status} {str(answer)[:200]}")
        quoted = "".join(f"%{byte:02x}" for byte in path.encode())
        for address in (f"schema?path={quoted}", f"ledger?path={quoted}", f"ledger?path={quoted}%2fsecret.csv.ledger", f"runs?run={quoted}",
                        f"result?run={quoted}&name=report.html", f"result?run={quoted}.runs%2f1&name=report.html", f"result?run={PATIENTS}.runs/1&name={quoted}"):
            status, _, body = server.request(f"api/{address}")
            checks.that((400 <= status < 500 and SECRET.encode() not in body) or body == b'{"ledger":null}', f"{address[:80]}: {status}")
    for address in ("../secret.csv", "%2e%2e/secret.csv", "..%2fsecret.csv", "up/secret.csv", "data/demo-clinic/patients.csv", PATIENTS, "api/../../secret.csv"):
        status, _, body = server.request(address)
        checks.that(status in (403, 404) and SECRET.encode() not in body, f"{address}: {status}")
    found = json.dumps(server.get("api/files")[1])
    checks.that("secret" not in found and "hidden" not in found and "link" not in found and "pipe" not in found, f"the list: {found}")
    left = sorted(os.listdir(root))
    checks.that(left == ["data", "outside.runs", "secret.certificate.json", "secret.csv", "secret.csv.ledger"], f"nothing was made outside: {left}")
    checks.that(os.listdir(os.path.join(root, "outside.runs", "1")) == ["report.html"], "nor behind a link")
    status, answer = server.post("api/check", {"schema": {"resources": [{"name": "a", "path": "../secret.csv", "schema": {"fields": []}}]}})
    checks.that(status == 400, f"a package names files: {status} {answer}")


def check_planted(server, checks):
    """Links, pipes and job files that somebody put into the folder: nothing outside is read, written or charged, and no code is named."""
    folder, root = server.folder, server.root
    victim, fresh = os.path.join(root, "victim"), os.path.join(root, "fresh")
    with open(os.path.join(folder, "p.csv"), "w", encoding="utf-8") as file:
        file.write("a,b\n" + "".join(f"{i % 9},{i % 5}\n" for i in range(100)))
    schema = {"fields": [{"name": name, "type": "integer", "constraints": {"minimum": 0, "maximum": 9, "required": True}} for name in "ab"]}
    checks.that(server.post("api/schema", {"path": "p.csv", "schema": schema})[0] == 200, "the schema")
    with open(victim, "w", encoding="utf-8") as file:
        file.write(SECRET)
    ledger, run = os.path.join(folder, "p.csv.ledger"), os.path.join(folder, "p.csv.runs", "1")

    def outside():
        with open(victim, encoding="utf-8") as file:
            return (file.read() == SECRET, os.path.exists(fresh), os.path.exists(victim + ".lock"))

    def ended(ask, body):
        status, answer = server.post(ask, body)
        if status != 200:
            return status, answer["error"]
        facts = server.wait_for(answer["run"], ("done", "failed", "stopped"))
        return facts["state"], facts["message"]

    for target in (victim, fresh, None):  # a file that is there, one that is not, a pipe
        if target is None:
            os.mkfifo(ledger)
        else:
            os.symlink(target, ledger)
        for ask, body in (("api/limit", {"epsilon": 1}), ("api/run", {"epsilon": 1, "method": "marginals"})):
            state, why = ended(ask, {"path": "p.csv", **body})
            checks.that(state not in (200, "done") and "p.csv.ledger" in why and SECRET not in why and root not in why, f"a ledger that is {target}: {ask} {state} {why}")
        checks.that(outside() == (True, False, False), f"a ledger that is {target}: {outside()}")
        os.remove(ledger)
        shutil.rmtree(os.path.join(folder, "p.csv.runs"), ignore_errors=True)
    job = {"input": "p.csv", "schema": "p.csv.runs/1/schema.json", "output": "p.csv.runs/1/synthetic.csv", "model": "m", "report": "r", "epsilon": "1", "method": "marginals"}
    for name in ("synthetic.csv", "model.safetensors", "report.html", "synthetic.csv.release", "synthetic.csv.certificate.json", "schema.json"):
        for target in (victim, fresh):
            os.makedirs(run)
            with open(os.path.join(run, "job.json"), "w", encoding="utf-8") as file:
                json.dump(job, file)
            shutil.copy(os.path.join(folder, "p.csv.schema.json"), os.path.join(run, "schema.json"))
            if name == "schema.json":
                os.remove(os.path.join(run, name))
            os.symlink(target, os.path.join(run, name))
            state, why = ended("api/resume", {"run": "p.csv.runs/1"})
            checks.that(state != "done" and SECRET not in why and outside() == (True, False, False), f"{name} to {target}: {state} {why} {outside()}")
            checks.that(not os.path.exists(ledger), f"{name} to {target}: nothing was charged")
            shutil.rmtree(run)
    os.makedirs(run)
    for member in ("duckdb", "adbc-driver", "device-path", "device-cache", "checkpoint", "encoder", "ledger", "release", "certificate", "query"):
        with open(os.path.join(run, "job.json"), "w", encoding="utf-8") as file:
            json.dump({**job, member: victim}, file)
        status, answer = server.post("api/resume", {"run": "p.csv.runs/1"})
        checks.that(status in (400, 422) and f"'{member}'" in answer["error"], f"a job file that names {member}: {status} {answer}")
    # A link inside the folder is how several files share a ledger: it is the ledger that is shown.
    shutil.rmtree(os.path.join(folder, "p.csv.runs"))
    checks.that(server.post("api/limit", {"path": "p.csv", "epsilon": 5})[0] == 200, "a ledger")
    shutil.copy(os.path.join(folder, "p.csv"), os.path.join(folder, "q.csv"))
    os.symlink("p.csv.ledger", os.path.join(folder, "q.csv.ledger"))
    status, data = server.get("api/data?path=q.csv")
    checks.that(status == 200 and data["ledger"] == "p.csv.ledger", f"{status} {data}")
    checks.that(server.post("api/limit", {"path": "q.csv", "epsilon": 4})[1]["ledger"]["limit"] == "4", "and the one that is limited")
    os.remove(victim)


def check_folder_names(program, checks):
    """The folder's own name is text on the page, whatever it is."""
    for name in (b"\xff\xfe", b"a\nb", b"<b>x", b"\x1b[31mx", b"a,b*[c]", b"-x"):
        with Server(program) as server:
            server.end()
            server.folder = os.path.join(server.root, os.fsdecode(name))
            os.mkdir(server.folder)
            server.start()
            status, found = server.get("api/files")
            checks.that(status == 200 and found["folder"].isprintable() and len(found["folder"]) == len(name), f"{name}: {status} {found}")
            checks.that(server.post("api/demo", {})[0] == 200 and server.post("api/limit", {"path": PATIENTS, "epsilon": 3})[0] == 200, f"{name}: files are found")
            status, said = server.end()
            checks.that(status == 0 and "\x1b" not in said and said.count("\n") == 2, f"{name}: {said!r}")


def check_overwrites(server, checks):
    def upload(name, body, headers=None):
        quoted = "".join(f"%{byte:02x}" for byte in name.encode())
        return server.request(f"api/upload?name={quoted}", "POST", body, {"Content-Type": "application/octet-stream", **(headers or {})})[0]

    def content(name):
        with open(os.path.join(server.folder, name), "rb") as file:
            return file.read()

    checks.that(upload("new.csv", b"a,b\n1,2\n") == 200 and content("new.csv") == b"a,b\n1,2\n", "a new file is kept")
    checks.that(upload("new.csv", b"other") == 400 and content("new.csv") == b"a,b\n1,2\n", "one that is there is not overwritten")
    before = content(PATIENTS)
    for name in ("../x.csv", "/tmp/x.csv", PATIENTS, "demo-clinic/new.csv", "x.ledger", "x.exe", ".x.csv", "link.csv", "pipe.csv", "", "x\0.csv", "a-folder.csv", "-x.csv", "x,y.csv", "x" * 300 + ".csv"):
        status = upload(name, b"other")
        checks.that(status == 400, f"upload {name[:40]!r}: {status}")
    checks.that(content(PATIENTS) == before and not os.path.exists(os.path.join(server.root, "x.csv")), "nothing else changed")
    # Half of it comes, then the client goes away.
    with server.connect() as connection:
        head = f"POST /{server.token}/api/upload?name=half.csv HTTP/1.1\r\nHost: {server.host}\r\nContent-Length: 1000000\r\n\r\n"
        connection.sendall(head.encode() + b"x" * 1000)
    checks.that(upload("other.csv", b"1") == 200, "others are served meanwhile")
    status, _, _ = server.request("api/upload?name=large.csv", "POST", b"", {"Content-Length": str(1 << 40)})
    checks.that(status == 413, f"too large: {status}")
    demo = server.post("api/demo", {})
    checks.that(demo == (200, {"path": PATIENTS}) and content(PATIENTS) == before, "the demo is written once")
    schema = server.get(f"api/schema?path={PATIENTS}")[1]["schema"]
    first = content(PATIENTS + ".schema.json")
    schema["fields"][2]["constraints"]["maximum"] = 120
    status, answer = server.post("api/schema", {"path": PATIENTS, "schema": schema})
    checks.that(status == 200 and content(PATIENTS + ".schema.json.1") == first, f"the schema before is kept: {status} {answer}")
    checks.that(server.post("api/schema", {"path": PATIENTS, "schema": {"fields": [{"name": "x", "type": "integer"}]}})[0] == 422, "no bad schema is kept")


def check_bodies(server, checks):
    def post(path, body):
        return server.request(path, "POST", body)[0]

    for body in (b"", b"[]", b"null", b"1", b'{"path":', b"{" * 100000, b"[" * 100000, b'{"a":' * 50000, b"\xff\xfe{}", b'{"path": "\xff"}', b'{"a":1,"a":2}',
                 b'{"path": "a\\u0000b"}', b'{"epsilon": 1e999, "path": 5}', b'{"schema": []}', b'{"schema": {"fields": {}}}'):
        for path in ("api/inspect", "api/check", "api/plan", "api/run", "api/schema"):
            status = post(path, body)
            checks.that(400 <= status < 500, f"{path} {body[:30]!r}: {status}")
    memory = server.memory()
    status = post("api/check", b" " * (5 << 20))
    checks.that(status == 413, f"a body of 5 MB: {status}")
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    head = f"POST /{server.token}/api/check HTTP/1.1\r\nHost: {server.host}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    server.raw(head + chunk * 1600)  # 100 MB that were not announced
    checks.that(server.memory() < memory + 40, f"memory {memory} -> {server.memory()} MB")
    checks.that(server.request("api/files")[0] == 200, "it goes on")
    status, _, _ = parse(server.raw(b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n"))
    checks.that(status in (0, 400, 403, 413, 414, 431), f"a long line: {status}")


def check_noise(server, checks):
    """Bodies of random pieces: each is answered, and the server goes on."""
    draw = random.Random(32)
    pieces = ["{", "}", "[", "]", ":", ",", '"path"', f'"{PATIENTS}"', '"schema"', '"fields"', '"name"', '"type"', '"integer"', '"epsilon"', "1", "-1e308",
              "null", "true", '"\\ud800"', '"\\u0000"', '"enum"', '"constraints"', '"minimum"', '"semblance"', '"rows"', "1e12", '"label"', '"NOT PRIVATE"']
    for endpoint in ("inspect", "schema", "check", "plan", "promise", "limit", "verify", "run", "resume", "stop", "sample", "compare", "real-rows", "demo"):
        for _ in range(25):
            body = "".join(draw.choice(pieces) for _ in range(draw.randrange(1, 30)))
            if draw.random() < 0.5:
                values = {draw.choice(["path", "epsilon", "schema", "rows", "run", "certificate", "label", "method", "delta", "title"]):
                          draw.choice([PATIENTS, 1, -1, 1e308, None, True, [], {}, {"fields": []}, {"fields": [{"name": "a", "type": "string", "constraints": {"enum": ["x"]}}]},
                                       "x" * 1000, "\ud800", "<script>", 0]) for _ in range(4)}
                if endpoint == "run" and values.get("path") == PATIENTS:
                    continue  # that is no attack: it would spend
                body = json.dumps(values)
            status, _, answer = server.request(f"api/{endpoint}", "POST", body.encode("utf-8", "surrogatepass"))
            checks.that(200 <= status < 500, f"{endpoint} {body[:80]!r}: {status} {answer[:100]!r}")
    draw_bytes = bytes(draw.randrange(256) for _ in range(2000))
    for i in range(0, 2000, 100):
        server.raw(draw_bytes[i:i + 100] + b"\r\n\r\n")
    checks.that(server.is_alive() and server.request("api/files")[0] == 200, "it goes on")


def check_crowd(server, checks):
    """More connections than it holds, which say nothing, or little: whoever has the token is served all the same."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2000
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, wanted + 200)), hard))
    count = min(wanted, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 200)
    memory = server.memory()
    held = []
    for i in range(count):
        connection = socket.socket()
        connection.settimeout(30)
        try:
            connection.connect(("127.0.0.1", server.port))
            if i % 2:
                connection.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
        except OSError:
            connection.close()
            continue
        held.append(connection)
        if i % 500 == 499:
            checks.that(server.request("api/files")[0] == 200, f"served beside {i + 1} silent connections")
    checks.that(server.request("")[0] == 200, "the page, too")
    checks.that(server.memory() < memory + 60, f"memory {memory} -> {server.memory()} MB")
    for connection in held:
        connection.close()
    checks.that(server.request("api/files")[0] == 200, "and afterwards")


def check_upload_memory(server, checks):
    memory, size, piece = server.memory(), 256 << 20, b"0123456,89012345\n" * 4096
    with server.connect() as connection:
        connection.sendall(f"POST /{server.token}/api/upload?name=huge.csv HTTP/1.1\r\nHost: {server.host}\r\nConnection: close\r\nContent-Length: {size}\r\n\r\n".encode())
        sent = 0
        while sent < size:
            sent += connection.send(piece[:min(len(piece), size - sent)])
        status, _, _ = parse(read_all(connection))
    checks.that(status == 200 and os.path.getsize(os.path.join(server.folder, "huge.csv")) == size, f"a large file: {status}")
    checks.that(server.memory() < memory + 16, f"memory {memory} -> {server.memory()} MB")
    os.remove(os.path.join(server.folder, "huge.csv"))


def main():
    checks = Checks()
    with Server(sys.argv[1]) as server:
        checks.that(server.post("api/demo", {}) == (200, {"path": PATIENTS}), "the demo")
        for check in (check_token, check_names, check_pages, check_headers, check_escapes, check_planted, check_overwrites, check_bodies, check_noise, check_crowd, check_upload_memory):
            check(server, checks)
            if not checks.that(server.is_alive(), f"alive after {check.__name__}"):
                break
        status, said = server.end()
        checks.that(status == 0 and "Sanitizer" not in said, f"Ctrl-C: {status} {said[-2000:]}")
    check_folder_names(sys.argv[1], checks)
    return checks.result()


if __name__ == "__main__":
    sys.exit(main())
