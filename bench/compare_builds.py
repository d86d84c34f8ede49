#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two builds of the program side by side: processor time and memory of the same jobs, in turns.

    bench/compare_builds.py OLD NEW [--rows N] [--rounds R] [--out FILE.jsonl]

OLD and NEW are programs. Each job runs once with OLD and once with NEW in every round, so that load on the machine hits both. The
least time of each counts. A line per job: seconds of processor, MiB at most, and NEW / OLD. The tables are generated:
nothing here is private.
"""
import argparse
import json
import os
import random
import subprocess
import tempfile
import time

SCHEMA = {"fields": [
    {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 110}},
    {"name": "ward", "type": "string", "constraints": {"enum": ["a", "b", "c", "d", "e"]}},
    {"name": "bmi", "type": "number", "constraints": {"minimum": 10, "maximum": 60}, "semblance": {"decimals": 1}},
    {"name": "cost", "type": "number", "constraints": {"minimum": 0, "maximum": 100000}, "semblance": {"decimals": 2}},
    {"name": "when", "type": "date", "constraints": {"minimum": "2020-01-01", "maximum": "2025-12-31", "required": True}},
    {"name": "sick", "type": "string", "constraints": {"enum": ["no", "yes"]}}],
    "semblance": {"label": "sick"}}
PERSONS = {"fields": [{"name": "id", "type": "string"}] + SCHEMA["fields"],
           "semblance": {"label": "sick", "unit": "id", "max_rows_per_unit": 8, "order": "when"}}


def write_tables(folder, rows):
    rng = random.Random(1)
    with open(f"{folder}/t.csv", "w") as plain, open(f"{folder}/p.csv", "w") as persons:
        plain.write("age,ward,bmi,cost,when,sick\n")
        persons.write("id,age,ward,bmi,cost,when,sick\n")
        for row in range(rows):
            age = rng.randrange(18, 95)
            cells = (f"{age},{'abcde'[rng.randrange(5)]},{15 + age / 6 + rng.random() * 9:.1f},{age * rng.random() * 500:.2f},"
                     f"20{rng.randrange(20, 26)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02},"
                     f"{'yes' if rng.random() * 110 < age else 'no'}\n")
            plain.write(cells)
            persons.write(f"{row // 4},{cells}")
    for name, schema in (("t", SCHEMA), ("p", PERSONS)):
        with open(f"{folder}/{name}.json", "w") as file:
            json.dump(schema, file)


def jobs(rows):
    def fit(name, method, table="t", *more):
        return name, ["synth", f"{table}.csv", "--schema", f"{table}.json", "--epsilon", "1", "--method", method, "-o", "out.csv",
                      "--model", "out.model", "--overwrite", "--quiet", *more]
    yield fit("marginals", "marginals")
    yield fit("pairs", "pairs")
    yield fit("forest", "forest")
    yield fit("histories", "histories", "p")
    yield fit("ron-gauss", "ron-gauss")
    yield fit("merf, 200 steps", "merf", "t", "--steps", "200")
    yield fit("hp, 100 steps", "hp", "t", "--steps", "100")
    yield "sample of pairs", ["sample", "kept.model", "-n", str(rows), "-o", "drawn.csv", "--overwrite", "--quiet"]
    yield "evaluate", ["evaluate", "--real", "t.csv", "--synthetic", "kept.csv", "--schema", "t.json", "--models", "none"]


def measure(program, words, folder):
    """Seconds of processor and MiB at most."""
    for name in ("t.csv.ledger", "p.csv.ledger", "out.csv", "out.model"):
        if os.path.exists(f"{folder}/{name}"):
            os.remove(f"{folder}/{name}")
    started = subprocess.Popen([program, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = started.stderr.read()
    _, status, used = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode != 0:
        raise SystemExit(f"{program} {' '.join(words)}: {said.strip()}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--rows", type=int, default=100000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out")
    given = parser.parse_args()
    programs = {"old": os.path.abspath(given.old), "new": os.path.abspath(given.new)}
    builds = {name: subprocess.run([path, "--version"], capture_output=True, text=True).stdout.splitlines()[0]
              for name, path in programs.items()}
    with tempfile.TemporaryDirectory() as folder:
        write_tables(folder, given.rows)
        measure(programs["old"], next(words for name, words in jobs(given.rows) if name == "pairs"), folder)
        os.rename(f"{folder}/out.model", f"{folder}/kept.model")
        os.rename(f"{folder}/out.csv", f"{folder}/kept.csv")
        print(f"{'job':<18}{'old s':>9}{'new s':>9}{'ratio':>8}{'old MiB':>9}{'new MiB':>9}")
        for name, words in jobs(given.rows):
            best = {which: (float("inf"), float("inf")) for which in programs}
            for _ in range(given.rounds):
                for which, path in programs.items():
                    found = measure(path, words, folder)
                    best[which] = tuple(map(min, best[which], found))
            (old, old_size), (new, new_size) = best["old"], best["new"]
            print(f"{name:<18}{old:9.2f}{new:9.2f}{new / old:8.3f}{old_size:9.0f}{new_size:9.0f}", flush=True)
            if given.out:
                with open(given.out, "a") as file:
                    file.write(json.dumps({"job": name, "rows": given.rows, "rounds": given.rounds, "builds": builds,
                                           "old": [round(old, 3), round(old_size, 1)], "new": [round(new, 3), round(new_size, 1)],
                                           "day": time.strftime("%Y-%m-%d")}) + "\n")


if __name__ == "__main__":
    main()
