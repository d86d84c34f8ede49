#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the histories of `semblance evaluate` against pandas: all measures on generated persons, read and put in
order by other code. Definitions: docs/EVALUATION.md.

    histories_reference.py --program build/semblance
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import pandas as pd
except ImportError:
    sys.exit(77)

BUCKETS = [2, 3, 4, 5, 6, 8, 11, 16, 21, 31, 41, 51, 101, 201, 501]
PERSON, EVENT, NUMBERS = ["sex", "born"], ["ward", "again", "cost", "stay"], ["cost", "stay"]
ENUMS = {"sex": ["f", "m"], "ward": ["eyes", "skin", "heart", "bone"], "again": ["no", "yes"]}
CLOSE = 1e-9


def field(name, **more):
    return {"name": name, **more}


SCHEMA = {
    "fields": [
        field("who", type="string", semblance={"role": "id"}),
        field("sex", type="string", constraints={"enum": ENUMS["sex"]}, semblance={"per": "unit"}),
        field("born", type="integer", constraints={"minimum": 1900, "maximum": 2020}, semblance={"per": "unit"}),
        field("day", type="date", constraints={"minimum": "2023-01-01", "maximum": "2024-12-31", "required": True}),
        field("ward", type="string", constraints={"enum": ENUMS["ward"]}),
        field("again", type="string", categories=ENUMS["again"], categoriesOrdered=True),
        field("cost", type="number", constraints={"minimum": 0, "maximum": 9000}, semblance={"decimals": 2}),
        field("stay", type="integer", constraints={"minimum": 0, "maximum": 60, "required": True}),
    ],
    "missingValues": [""],
    "semblance": {"unit": "who", "order": "day", "max_rows_per_unit": 50},
}


def persons(seed, count, broken):
    """Rows of persons in any order; of some `broken` share a person's column differs between rows."""
    rng = np.random.RandomState(seed)
    rows = []
    for p in range(count):
        sex, born, ward = rng.choice(ENUMS["sex"]), rng.randint(1920, 2015), rng.choice(ENUMS["ward"])
        day = rng.randint(0, 200)
        for _ in range(1 + rng.geometric(0.3 if p % 7 else 0.02)):
            ward = rng.choice(ENUMS["ward"]) if rng.rand() < 0.3 else ward
            other = rng.rand() < broken
            rows.append({
                "who": f"p{p}", "sex": rng.choice(ENUMS["sex"]) if other else sex, "born": born,
                "day": (pd.Timestamp("2023-01-01") + pd.Timedelta(days=int(day))).strftime("%Y-%m-%d"),
                "ward": ward if rng.rand() < 0.95 else "", "again": ENUMS["again"][int(rng.rand() < 0.4)],
                "cost": f"{min(rng.lognormal(6, 1), 9000):.2f}" if rng.rand() < 0.9 else "", "stay": rng.poisson(4)})
            day = min(day + rng.randint(0, 40), 729)
    table = pd.DataFrame(rows)
    return table.iloc[rng.permutation(len(table))] if broken else table


def read(path):
    table = pd.read_csv(path, dtype={"who": str}, keep_default_na=False, na_values={"ward": "", "cost": ""})
    table["time"] = (pd.to_datetime(table.day) - pd.Timestamp("2023-01-01")).dt.days
    table["pid"] = pd.factorize(table.who)[0]
    return table


def in_order(table):
    return table.sort_values(["pid", "time"], kind="stable").reset_index(drop=True)


def cut(real, other, column):
    if column in ENUMS:
        codes = {value: i for i, value in enumerate(ENUMS[column])}
        return [table[column].map(codes).fillna(len(codes)).astype(int).values for table in (real, other)]
    edges = np.unique(np.nanquantile(real[column].astype(float), np.arange(1, 10) / 10))
    return [np.where(table[column].isna(), len(edges) + 1,
                     np.searchsorted(edges, table[column].astype(float).fillna(0), side="right")) for table in (real, other)]


def tvd(first, second):
    """Of two lists of tuples."""
    a, b = pd.Series(list(zip(*first))).value_counts(normalize=True), pd.Series(list(zip(*second))).value_counts(normalize=True)
    return a.sub(b, fill_value=0).abs().sum() / 2


def ks(a, b):
    a, b = np.sort(np.asarray(a, float)), np.sort(np.asarray(b, float))
    at = np.concatenate([a, b])
    return np.abs(np.searchsorted(a, at, side="right") / len(a) - np.searchsorted(b, at, side="right") / len(b)).max()


def measure(real, other):
    """The distances of two tables; cells of numbers come from the first."""
    real, other = in_order(real), in_order(other)
    cells = {c: cut(real, other, c) for c in PERSON + EVENT}
    sizes = [t.groupby("pid").size().values for t in (real, other)]
    counts = [np.searchsorted(BUCKETS, size, side="right") for size in sizes]
    firsts = [np.flatnonzero(np.r_[True, np.diff(t.pid.values) != 0]) for t in (real, other)]
    later = [np.flatnonzero(np.r_[False, np.diff(t.pid.values) == 0]) for t in (real, other)]
    thirds = [places[np.isin(places - 1, places)] for places in later]
    gaps = [np.r_[0, np.diff(t.time.values)] for t in (real, other)]
    edges = np.unique(np.quantile(gaps[0][later[0]], np.arange(1, 8) / 8))
    gap_cells = [np.searchsorted(edges, g, side="right") for g in gaps]

    def pair(x, y):
        return tvd(*([cells[x][t][later[t] - 1], cells[y][t][later[t]]] for t in (0, 1)))

    found = {
        "events": tvd([counts[0]], [counts[1]]),
        "events_person": np.mean([tvd(*([counts[t], cells[c][t][firsts[t]]] for t in (0, 1))) for c in PERSON]),
        "person_event": np.mean([tvd(*([cells[x][t], cells[y][t]] for t in (0, 1)))
                                 for x, y in itertools.product(PERSON, EVENT)]),
        "previous_this": np.mean([pair(x, y) for x, y in itertools.product(EVENT, EVENT)]),
        "previous_same": np.mean([pair(x, x) for x in EVENT]),
        "gap": ks(gaps[0][later[0]], gaps[1][later[1]]),
        "gap_gap": tvd(*([gap_cells[t][thirds[t] - 1], gap_cells[t][thirds[t]]] for t in (0, 1))),
        "span": ks(*(t.groupby("pid").time.agg(lambda g: g.max() - g.min()) for t in (real, other))),
    }
    for column in EVENT:
        groups = [t.groupby("pid")[column] for t in (real, other)]
        if column in NUMBERS:  # whole cents, whose sums do not depend on their order
            whole = [t.assign(x=(t[column] * 100).round()).groupby("pid").x for t in (real, other)]
            found[f"{column} total"] = ks(*(g.sum(min_count=1).dropna() for g in whole))
            found[f"{column} mean"] = ks(*((g.sum(min_count=1) / g.count()).dropna() for g in whole))
        elif column == "again":  # its places are in order
            places = [t[column].map(ENUMS[column].index).groupby(t.pid) for t in (real, other)]
            found[f"{column} mean"] = ks(*(g.sum() / g.count() for g in places))
        if column in ENUMS:
            found[f"{column} distinct"] = ks(*(g.nunique() for g in groups))
    return found


def shares(table):
    groups = table.groupby("pid")
    return {"constant": (groups[PERSON].nunique().max(axis=1) == 1).mean(),
            "in_order": groups.time.agg(lambda g: g.is_monotonic_increasing).mean()}


def told(histories, pair):
    found = {name: histories[name][pair] for name in histories if isinstance(histories[name], dict) and pair in histories[name]
             and name not in ("persons", "events_per_person")}
    for column in histories["columns"]:
        for what in ("total", "mean", "distinct"):
            if column[what][pair] is not None:
                found[f"{column['name']} {what}"] = column[what][pair]
    return found


def compare(what, ours, theirs):
    faults = [f"{what} {name}: {theirs.get(name)} by the program, {value} by pandas" for name, value in ours.items()
              if theirs.get(name) is None or abs(theirs[name] - value) > CLOSE]
    print("\n".join(faults) if faults else f"{what}: {len(ours)} numbers agree")
    return not faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    program = parser.parse_args().program
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: os.path.join(folder, name + ".csv") for name in ("real", "synthetic", "train")}
        for seed, (name, path) in enumerate(paths.items()):
            persons(seed, 300 + 40 * seed, 0.02 if name == "synthetic" else 0.0).to_csv(path, index=False)
        schema = os.path.join(folder, "schema.json")
        with open(schema, "w", encoding="utf-8") as file:
            json.dump(SCHEMA, file)
        line = subprocess.run([program, "evaluate", "--real", paths["real"], "--synthetic", paths["synthetic"], "--train",
                               paths["train"], "--schema", schema, "--models", "none", "--json"],
                              check=True, capture_output=True, text=True).stdout
        histories = json.loads(line)["histories"]
        tables = {name: read(path) for name, path in paths.items()}
    good = compare("synthetic", {**measure(tables["real"], tables["synthetic"]), **shares(tables["synthetic"])},
                   told(histories, "synthetic"))
    good &= compare("ceiling", {**measure(tables["real"], tables["train"]), **shares(tables["real"])},
                    told(histories, "ceiling"))
    good &= compare("persons", {name: tables[name].pid.nunique() for name in tables}, histories["persons"])
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
