# SPDX-License-Identifier: Apache-2.0
"""Linked tables through the program, and each child table by itself for comparison.

A set of linked tables is fitted as one package; every child is then measured beside its parent's columns, parents
without rows included. *Apart*: each child with its parent's columns as a table of its own, independent rows
(`--histories off`), with an even part of mu^2, so that all of them together cost what the package costs.
"""
import json
import math
import os
import secrets
import shutil
import subprocess

import pandas

import measures
import program


def read_rows(path, fields, keys):
    listed = [f["name"] for f in fields if f["type"] == "string"]
    return pandas.read_csv(path, dtype={name: str for name in [*keys, *listed]})


def read(data, folder, parents, names):
    """Histories of each child by name, and how many rows hang on nothing. parents, names: files of the tables."""
    persons = read_rows(os.path.join(folder, parents), data.fields, [data.unit]).set_index(data.unit)
    out, orphans = {}, 0
    for table in data.tables:
        rows = read_rows(os.path.join(folder, names[table.name]), table.fields, [data.unit])
        held = rows[rows[data.unit].isin(persons.index)]
        orphans += len(rows) - len(held)
        out[table.name] = measures.Histories(held.join(persons, on=data.unit), data.unit, table.fields, data.fields,
                                             table.order, persons)
    return out, orphans


def real(data, folder):
    return read(data, folder, "persons.csv", {table.name: f"{table.name}.csv" for table in data.tables})


def made(data, folder):
    root = data.unit.removesuffix("_id")
    return read(data, folder, f"{root}.csv", {table.name: f"{table.name}.csv" for table in data.tables})


def synth(data, job, binary, package, folder, persons):
    """One run over all tables; facts of it."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    ledger, output = os.path.join(folder, "ledger"), os.path.join(folder, "made")
    program.make_ledger(binary, job, ledger, sum(table.most for table in data.tables))
    guess = str(int(float(f"{persons:.0e}")))
    facts = {"run": secrets.token_hex(6), "expect_persons": int(guess), **program.describe(binary)}
    facts.update(program.execute([binary, "synth", "--package", package, "--epsilon", job.eps, "--delta", job.delta,
                              "--neighbours", job.neighbours, "--seed", str(job.seed), "--expect-persons", guess,
                              "--quiet", "--ledger", ledger, "-o", output, *job.options]))
    return output, facts


def epsilon_apart(binary, job, parts):
    """The epsilon of each of so many runs that together have the mu of the job."""
    account = lambda *words: json.loads(subprocess.run([binary, "account", *words, "--delta", job.delta, "--json"],
                                                       check=True, capture_output=True, text=True).stdout)
    mu = account("--epsilon", job.eps)["mu"] / math.sqrt(parts)
    return repr(account("--mu", repr(mu))["epsilon"])


def synth_apart(fit, job, binary, folder):
    """Each child of the fitted half by itself; Histories by name."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    out, epsilon = {}, epsilon_apart(binary, job, len(fit.tables))
    for table in fit.tables:
        alone = fit.alone(table)
        path = lambda end: os.path.join(folder, table.name + end)
        fit.joined(table)[[fit.unit, *(f["name"] for f in [*fit.fields, *table.fields])]].to_csv(path(".csv"), index=False)
        with open(path(".json"), "w", encoding="utf-8") as file:
            json.dump(alone.schema(), file)
        program.make_ledger(binary, job, path(".ledger"), table.most)
        rows = int(float(f"{len(table.rows):.0e}"))
        program.execute([binary, "synth", path(".csv"), "--schema", path(".json"), "--epsilon", epsilon, "--delta", job.delta,
                     "--neighbours", job.neighbours, "--seed", str(job.seed), "--expect-rows", str(rows), "--quiet",
                     "--ledger", path(".ledger"), "-o", path("-made.csv"), *job.options])
        rows = read_rows(path("-made.csv"), [*fit.fields, *table.fields], [fit.unit])
        out[table.name] = measures.Histories(rows, fit.unit, table.fields, fit.fields, table.order)
    return out
