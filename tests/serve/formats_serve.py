#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parquet and DuckDB by the API of `semblance serve`, in and out.

    formats_serve.py SEMBLANCE LIBDUCKDB RUN_SQL

Exit code 77: the library is not here."""
import os
import subprocess
import sys

from data_serve import compared, fits, verify
from data_sets import PEOPLE, people
from serving import Checks, Server


def make(server, engine, run_sql):
    """people.parquet and base.duckdb, by the library itself."""
    with open(os.path.join(server.root, "people.csv"), "w", encoding="utf-8") as file:
        file.write("region,born,paid\n" + "".join(f"{region},{born},{paid}\n" for region, born, paid in people(400)))
    subprocess.run([run_sql, engine, "CREATE TABLE p AS SELECT * FROM read_csv('../people.csv')", "COPY p TO 'people.parquet' (FORMAT parquet)",
                    "ATTACH 'base.duckdb' AS b", "CREATE TABLE b.people AS SELECT * FROM p", "CREATE SCHEMA b.other", "CREATE TABLE b.other.few AS SELECT * FROM p LIMIT 9",
                    "CREATE VIEW b.seen AS SELECT 1 AS one"], cwd=server.folder, check=True)


def check_run(server, checks, path, ledger, output):
    checks.that(server.post("api/schema", {"path": path, "schema": PEOPLE})[0] == 200, f"{path}: its schema is kept")
    status, answer = server.post("api/run", {"path": path, "epsilon": 1, "method": "marginals", "output": output})
    checks.that(status == 200, f"{path}: {answer}")
    run = answer["run"]
    facts = server.wait_for(run, ("done", "failed"))
    checks.that(facts["state"] == "done" and facts["records"] == f"synthetic.{output}", f"{facts}")
    verify(server, checks, run, ledger, [f"synthetic.{output}"], f"synthetic.{output}")
    shown = server.request(f"api/result?run={run}&name={'rows-1' if output == 'parquet' else 'synthetic'}.csv")[2].decode().splitlines()
    checks.that(len(shown) == (101 if output == "parquet" else 401) and all(fits(row) for row in shown[1:]), f"{shown[:3]}")
    compared(server, checks, run)
    return run


def main():
    program, engine, run_sql = sys.argv[1:4]
    if not os.path.exists(engine):
        print("skipped: DuckDB's library is not here")
        return 77
    checks = Checks()
    with Server(program, options=("--duckdb", engine)) as server:
        make(server, engine, run_sql)
        status, found = server.get("api/tables?path=base.duckdb")
        checks.that(status == 200 and sorted(found["tables"]) == ["other.few", "people"], f"its tables: {found}")
        status, found = server.post("api/inspect", {"path": "people.parquet"})
        checks.that(status == 200 and [one["name"] for one in found["schema"]["fields"]] == ["region", "born", "paid"], f"{found}")
        run = check_run(server, checks, "people.parquet", "people.parquet.ledger", "parquet")
        status, headers, body = server.request(f"api/result?run={run}&name=synthetic.parquet")
        checks.that(status == 200 and body[:4] == b"PAR1" and "attachment" in headers["content-disposition"], f"{headers}")
        check_run(server, checks, "base.duckdb::people", "base.duckdb.ledger", "csv")
        checks.that(server.post("api/inspect", {"path": "base.duckdb::seen"})[0] == 422, "a view is refused")
        checks.that(server.post("api/run", {"path": "people.parquet", "epsilon": 1, "output": "png"})[0] == 400, "no format of a table")
    with Server(program, options=("--duckdb", os.devnull)) as server:
        with open(os.path.join(server.folder, "people.csv"), "w", encoding="utf-8") as file:
            file.write("region,born,paid\nnorth,1950,1\n" * 1)
        server.post("api/schema", {"path": "people.csv", "schema": PEOPLE})
        run = server.post("api/run", {"path": "people.csv", "epsilon": 1, "output": "parquet"})[1]["run"]
        facts = server.wait_for(run, ("done", "failed"))
        checks.that(facts["state"] == "failed" and "DuckDB" in facts["message"], f"without the library it is said: {facts}")
        checks.that(not os.path.exists(os.path.join(server.folder, "people.csv.ledger")), "before anything is charged")
    return checks.result()


if __name__ == "__main__":
    sys.exit(main())
