#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The headers of every answer of `semblance serve`.

    headers_serve.py SEMBLANCE

Every route of serve/routes.c is asked for, in every variant that may change its answer. Only the page's own files may use the page's
rights; a browser sandboxes everything else, whatever it holds. A route that is not in REQUESTS fails the test."""
import json
import os
import re
import sys

from serving import Checks, Server, parse

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "serve")
MARKUP = "<script>alert(1)</script>"
TABLE, RUN = "t.csv", "t.csv.runs/1"
SCHEMA = {"fields": [{"name": "<b>kind</b>", "type": "string", "constraints": {"enum": [MARKUP, "<img src=x onerror=alert(1)>"], "required": True}},
                     {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99, "required": True}}]}
LABEL = {"label": "NOT PRIVATE"}
RESULTS = ("report.html", "comparison-NOT-PRIVATE.html", "synthetic.csv", "synthetic.csv.certificate.json", "schema.json", "model.safetensors", "rows-1.csv", "nothing.html")

# What each route is asked: queries of a GET, bodies of a POST (of an upload: the query).
REQUESTS = {
    ("GET", "api/files"): [""],
    ("POST", "api/demo"): [{}],
    ("POST", "api/upload"): ["name=up.csv", "name=up.html", f"name={TABLE}"],
    ("GET", "api/data"): [f"path={TABLE}", "path=none.csv", ""],
    ("POST", "api/data"): [{"path": TABLE, "try": True}, {"path": MARKUP}],
    ("GET", "api/tables"): [f"path={TABLE}", "path=none"],
    ("GET", "api/methods"): ["kind=table", "kind=images", "kind=<b>"],
    ("POST", "api/inspect"): [{"path": TABLE}, {"path": "none.csv"}, {"paths": [TABLE, MARKUP]}],
    ("GET", "api/package"): [f"path={TABLE}", "path=none"],
    ("POST", "api/package"): [{"path": MARKUP, "package": {"resources": []}}, {"path": "datapackage.json", "package": {"resources": [{"name": MARKUP, "schema": {}}]}}],
    ("POST", "api/dialect"): [{"path": TABLE}, {"path": MARKUP}],
    ("POST", "api/histograms"): [{"path": TABLE, "schema": SCHEMA, **LABEL}, {"path": TABLE, "schema": SCHEMA}],
    ("GET", "api/schema"): [f"path={TABLE}", "path=none.csv"],
    ("POST", "api/schema"): [{"path": TABLE, "schema": SCHEMA}, {"path": TABLE, "schema": {"fields": [{"name": MARKUP, "type": MARKUP}]}}],
    ("POST", "api/check"): [{"schema": SCHEMA}, {"schema": SCHEMA, "path": TABLE}, {"schema": {"fields": [{"name": MARKUP}]}}],
    ("GET", "api/progress"): [""],
    ("POST", "api/promise"): [{"epsilon": 1}, {"epsilon": MARKUP}],
    ("POST", "api/plan"): [{"schema": SCHEMA, "rows": 100, "epsilon": 1, "estimate": False}, {"schema": SCHEMA, "method": MARKUP}],
    ("GET", "api/ledger"): [f"path={TABLE}.ledger", "path=none.ledger", ""],
    ("POST", "api/limit"): [{"path": TABLE, "epsilon": 100}, {"path": TABLE}],
    ("POST", "api/verify"): [{"certificate": f"{RUN}/synthetic.csv.certificate.json", "ledger": f"{TABLE}.ledger"}, {"certificate": "none.certificate.json"}],
    ("GET", "api/runs"): ["", f"run={RUN}", "run=none"],
    ("POST", "api/run"): [{"path": TABLE, "epsilon": -1}, {"path": "none.csv", "epsilon": 1}],
    ("POST", "api/resume"): [{"run": RUN}, {"run": "none"}],
    ("POST", "api/stop"): [{"run": RUN}, {"run": "none"}],
    ("POST", "api/compare"): [{"run": RUN, **LABEL}, {"run": RUN}],
    ("POST", "api/sample"): [{"run": RUN, "rows": 5}, {"run": RUN, "rows": 0}],
    ("GET", "api/result"): [f"run={RUN}&name={name}" for name in RESULTS],
    ("GET", "api/results"): [f"run={RUN}", "run=none"],
    ("POST", "api/real-rows"): [{"path": TABLE, **LABEL}, {"path": TABLE}],
    ("POST", "api/real-images"): [{"path": TABLE, **LABEL}, {"path": TABLE}],
}
METHODS = ("GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "HEAD")
ADDED = ("", "head=1", "save=1", "head=1&save=1")  # to a query
RANGE = {"Range": "bytes=0-99"}


def known_routes():
    """(method, path) of the table in routes.c, and the names of the page's files in page.c."""
    with open(os.path.join(SOURCES, "routes.c"), encoding="utf-8") as file:
        routes = re.findall(r'\{"(GET|POST)",\s*"(api/[a-z-]+)"', file.read())
    with open(os.path.join(SOURCES, "page.c"), encoding="utf-8") as file:
        pages = re.findall(r'^ +\{"([a-z_.]*)", ', file.read(), re.MULTILINE)
    return routes, pages


def check_answer(checks, what, answer, page=False):
    status, headers, body = answer
    policy = headers.get("content-security-policy", "")
    checks.that(status != 0 and status < 500 or status == 501, f"{what}: {status}")
    if page and status == 200:
        checks.that("sandbox" not in policy and "script-src 'self'" in policy and "unsafe" not in policy, f"{what}: {policy}")
    else:
        checks.that(policy.startswith("sandbox; default-src 'none'; ") and "script" not in policy and "allow-" not in policy, f"{what}: {policy}")
    checks.that("frame-ancestors 'none'" in policy and "form-action 'none'" in policy and "base-uri 'none'" in policy, f"{what}: {policy}")
    fixed = {"x-content-type-options": "nosniff", "x-frame-options": "DENY", "referrer-policy": "no-referrer", "cache-control": "no-store",
             "cross-origin-opener-policy": "same-origin", "cross-origin-resource-policy": "same-origin"}
    checks.that(all(headers.get(name) == value for name, value in fixed.items()), f"{what}: {headers}")
    checks.that(not any(name.startswith("access-control") or name == "set-cookie" for name in headers), f"{what}: {headers}")
    kind = headers.get("content-type", "")
    checks.that(kind != "" or status == 204, f"{what}: no type")
    if not page and "html" in kind:
        checks.that(".html" in what and status == 200 and MARKUP.encode() not in body, f"{what}: {kind}")
    return status


def ask(server, method, path, given, added="", headers=None):
    """One request of a route; given as in REQUESTS."""
    more = dict(headers or {})
    query, body = (given, b"") if isinstance(given, str) else ("", json.dumps(given).encode())
    query = "&".join(one for one in (query, added) if one)
    if path == "api/upload" and method == "POST":
        more.setdefault("Content-Type", "text/html")
        body = MARKUP.encode()
    return server.request(path + ("?" + query if query else ""), method, body, more)


def check_route(server, checks, method, path):
    for given in REQUESTS[method, path]:
        for added in ADDED:
            for headers in ({}, RANGE):
                what = f"{method} {path} {given} {added} {headers}"
                check_answer(checks, what, ask(server, method, path, given, added, headers))
        check_answer(checks, f"{path}: another host", ask(server, method, path, given, headers={"Host": "evil.example"}))
        check_answer(checks, f"{path}: another origin", ask(server, method, path, given, headers={"Origin": "http://evil.example"}))
    check_answer(checks, f"{path}: a NUL", server.request(f"{path}?path=a%00b&run=a%00b&name=a%00b", method, b"{}" if method == "POST" else b""))
    check_answer(checks, f"{path}: no token", server.request("/" + path, method, token=False))
    status = check_answer(checks, f"{path}: too large", server.request(path, method, b"", {"Content-Length": str(1 << 50)}))
    checks.that(status == 413, f"{path}: too large: {status}")
    if method == "POST" and path != "api/upload":
        for body in (b"", b"{", MARKUP.encode()):
            check_answer(checks, f"{path}: body {body}", server.request(path, method, body))
        check_answer(checks, f"{path}: a form", server.request(path, method, b"a=b", {"Content-Type": "application/x-www-form-urlencoded"}))


def check_methods(server, checks, routes):
    for path in sorted({path for _, path in routes}):
        for method in METHODS:
            if (method, path) in routes:
                continue
            status = check_answer(checks, f"{method} {path}", server.request(path, method))
            checks.that(status == 405, f"{method} {path}: {status}")


def check_pages(server, checks, pages):
    for name in pages:
        for headers in ({}, RANGE, {"Sec-Fetch-Site": "cross-site"}):
            checks.that(check_answer(checks, f"page {name} {headers}", server.request(name, headers=headers), page=True) == 200, f"page {name}")
        checks.that(check_answer(checks, f"POST page {name}", server.request(name, "POST", b"{}")) == 405, f"page {name}")
    for name in ("nothing", "api/", "api", "api/nothing", "index.html", f"api/{MARKUP}", "%3Cscript%3E", "main.js/", "../main.js"):
        check_answer(checks, f"no page {name}", server.request(name))
    # libmicrohttpd answers by itself what is no HTTP at all: with fixed words, and nothing of the request.
    for bad in (f"GET {MARKUP} {MARKUP}\r\n\r\n", f"{MARKUP}\r\n\r\n", f"GET / HTTP/1.1\r\n{MARKUP}\r\n\r\n", f"GET /{MARKUP * 4000} HTTP/1.1\r\n\r\n",
                f"GET / HTTP/1.1\r\nHost: {MARKUP}\r\nHost: {MARKUP}\r\n\r\n", f"POST / HTTP/1.1\r\nContent-Length: {MARKUP}\r\n\r\n"):
        _, _, body = parse(server.raw(bad.encode()))
        checks.that(b"script" not in body, f"what is no HTTP: {body}")


def prepare(server, checks):
    """A table of markup, a run of it, and all that can be made from a run."""
    with open(os.path.join(server.folder, TABLE), "w", encoding="utf-8") as file:
        file.write("<b>kind</b>,age\n" + "".join(f"{MARKUP},{i % 90}\n<img src=x onerror=alert(1)>,{i % 50}\n" for i in range(200)))
    checks.that(server.post("api/schema", {"path": TABLE, "schema": SCHEMA})[0] == 200, "the schema")
    status, answer = server.post("api/run", {"path": TABLE, "epsilon": 1, "method": "marginals", "title": MARKUP, "by": MARKUP})
    checks.that(status == 200 and answer["run"] == RUN and server.wait_for(RUN, ("done", "failed"))["state"] == "done", f"a run: {answer}")
    checks.that(server.post("api/sample", {"run": RUN, "rows": 5})[0] == 200, "rows")
    while not server.post("api/compare", {"run": RUN, **LABEL})[1]["done"]:
        pass


def main():
    checks = Checks()
    routes, pages = known_routes()
    checks.that(len(routes) > 20 and len(pages) > 10 and "" in pages, f"{routes} {pages}")
    checks.that(set(routes) == set(REQUESTS), f"routes that are not asked, or are not there: {set(routes) ^ set(REQUESTS)}")
    with Server(sys.argv[1]) as server:
        prepare(server, checks)
        for method, path in routes:
            check_route(server, checks, method, path)
        check_methods(server, checks, routes)
        check_pages(server, checks, pages)
        checks.that(server.is_alive(), "it goes on")
    return checks.result()


if __name__ == "__main__":
    sys.exit(main())
