#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The measures of `semblance evaluate`, computed independently with numpy, scipy and scikit-learn.

usage: reference.py --write reference.json       small generated tables and what to expect of them
       reference.py --program PATH --generated   hold the program against generated tables
       reference.py --program PATH --data FOLDER the same for a data set folder (train, test, schema)

Tables are read by bench/utility/tables.py, which shares no code with the program. Tolerances: 1e-12
absolute for distances of distributions, distances to records and counts, 1e-9 for associations and
the kernel, whose sums are taken in another order. Ends with 77 where something is not installed.
"""
import argparse
import csv
import importlib.util
import itertools
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "bench", "utility"))
for module in ("numpy", "scipy", "pandas", "sklearn"):
    if importlib.util.find_spec(module) is None:
        print(f"skipped: {module} is not installed")
        sys.exit(77)

import numpy
import scipy.stats
import sklearn.metrics

import marginals
import tables

BINS = 8
EXACT, CLOSE = 1e-12, 1e-9

SCHEMA = {
    "fields": [
        {"name": "age", "type": "integer", "constraints": {"minimum": 17, "maximum": 90, "required": True}},
        {"name": "gain", "type": "integer", "constraints": {"minimum": 0, "maximum": 99999},
         "semblance": {"transform": "log"}},
        {"name": "weight", "type": "number", "constraints": {"minimum": -1.5, "maximum": 2.5, "required": True}},
        {"name": "height", "type": "number", "constraints": {"minimum": 0, "maximum": 3}},
        {"name": "seen", "type": "date", "constraints": {"minimum": "2019-01-01", "maximum": "2020-12-31",
                                                         "required": True}},
        {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"], "required": True}},
        {"name": "town", "type": "string", "constraints": {"enum": ["Ayr", "Bath, old", "Cork", "Deal", "Ely"]}},
        {"name": "code", "type": "string", "constraints": {"enum": [f"c{i}" for i in range(300)],
                                                           "required": True}},
        {"name": "fixed", "type": "string", "constraints": {"enum": ["same", "other"], "required": True}},
        {"name": "still", "type": "integer", "constraints": {"minimum": 3, "maximum": 3, "required": True}},
        {"name": "sick", "type": "boolean", "constraints": {"required": True}},
    ],
    "missingValues": [""],
    "semblance": {"label": "sick", "task": "classification"},
}


# ---- tables to measure ----

def generate(random, rows, shift):
    """Rows with relations between the columns; shift moves the distribution."""
    latent = random.normal(size=rows)
    age = numpy.clip(numpy.rint(45 + 14 * latent + 3 * shift), 17, 90).astype(int)
    gain = numpy.where(random.random(rows) < 0.7, 0, numpy.exp(random.normal(6 + shift, 2, rows)))
    gain = numpy.clip(numpy.rint(gain), 0, 99999).astype(int)
    weight = numpy.round(numpy.clip(0.4 * latent + random.normal(0.3, 0.6, rows), -1.5, 2.5), 6)
    height = numpy.round(numpy.clip(1.5 + 0.2 * latent * (1 - shift) + random.normal(0, 0.2, rows), 0, 3), 4)
    seen = numpy.datetime64("2019-01-01") + random.integers(0, 700, rows)
    sex = numpy.where(random.random(rows) < 0.5 + 0.1 * shift, "f", "m")
    town = numpy.array(["Ayr", "Bath, old", "Cork", "Deal"])[numpy.clip((latent + 1.5).astype(int), 0, 3)]
    code = numpy.char.add("c", random.integers(0, 300, rows).astype(str))
    sick = numpy.where(latent + random.normal(size=rows) > shift, "true", "false")
    gone = random.random((3, rows)) < numpy.array([[0.1], [0.15 + 0.1 * shift], [0.2]])
    table = []
    for i in range(rows):
        table.append([str(age[i]), "" if gone[0, i] else str(gain[i]), repr(float(weight[i])),
                      "" if gone[1, i] else repr(float(height[i])), str(seen[i]), str(sex[i]),
                      "" if gone[2, i] else str(town[i]), str(code[i]), "same", "3", str(sick[i])])
    return table


def generated_tables(seed, real, synthetic, train):
    random = numpy.random.default_rng(seed)
    made = {"real": generate(random, real, 0.0), "train": generate(random, train, 0.0)}
    rows = generate(random, synthetic, 0.4)
    for i in range(0, synthetic, 17):  # copies, some of them of rows that occur twice
        rows[i] = list(made["train"][(i * 3) % train])
    made["synthetic"] = rows
    return made


def disturbed(real, seed):
    """A stand-in for a synthetic table: rows drawn again, a third of the cells from other rows."""
    random = numpy.random.default_rng(seed)
    header, rows = real[0], real[1:]
    made = [list(rows[i]) for i in random.integers(0, len(rows), len(rows))]
    for c in range(len(header)):
        for i in numpy.flatnonzero(random.random(len(made)) < 0.33):
            made[i][c] = rows[random.integers(0, len(rows))][c]
    return [header] + made


def write_csv(path, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


# ---- the measures ----

def is_log(schema_path):
    with open(schema_path, encoding="utf-8") as file:
        fields = json.load(file)["fields"]
    return [f.get("semblance", {}).get("transform") == "log" for f in fields
            if f.get("semblance", {}).get("role") != "ignore"]


def linear(column, values):
    return (values - column.minimum) / ((column.maximum - column.minimum) or 1.0)


def encoded(column, values, log):
    """On the unit scale, a missing value as the constant of its column."""
    middle = (column.minimum + column.maximum) / 2
    if column.type != "number":
        middle = numpy.rint(middle)
    values = numpy.where(numpy.isnan(values), middle, values) - column.minimum
    span = column.maximum - column.minimum
    if span == 0:
        return numpy.zeros(len(values))
    return numpy.log1p(values) / numpy.log1p(span) if log else values / span


def column_distances(a, b):
    codes_a, sizes = marginals.discretise(a, BINS)
    codes_b, _ = marginals.discretise(b, BINS)
    found = []
    for c, column in enumerate(a.schema.columns):
        entry = {"tvd": marginals.distance(codes_a, codes_b, sizes, [c]), "ks": None, "wasserstein": None}
        if column.kind == "number":
            x, y = (linear(column, t.values[c][~numpy.isnan(t.values[c])]) for t in (a, b))
            entry["ks"] = float(scipy.stats.ks_2samp(x, y, method="asymp").statistic)
            entry["wasserstein"] = float(scipy.stats.wasserstein_distance(x, y))
        found.append(entry)
    return found


def marginal_means(a, b, ways):
    codes_a, sizes = marginals.discretise(a, BINS)
    codes_b, _ = marginals.discretise(b, BINS)
    means = []
    for way in ways:
        sets = itertools.combinations(range(len(sizes)), way)
        means.append(float(numpy.mean([marginals.distance(codes_a, codes_b, sizes, s) for s in sets])))
    return means


def associate(table, i, j):
    kinds = [table.schema.columns[c].kind for c in (i, j)]
    x, y = table.values[i], table.values[j]
    if kinds == ["category", "category"]:
        counts = numpy.zeros((x.max() + 1, y.max() + 1), dtype=int)
        numpy.add.at(counts, (x, y), 1)
        counts = counts[counts.sum(1) > 0][:, counts.sum(0) > 0]
        if min(counts.shape) < 2:
            return None
        return float(scipy.stats.contingency.association(counts, method="cramer", correction=False))
    if kinds == ["number", "category"]:
        return associate(table, j, i)
    present = ~numpy.isnan(y)
    if kinds == ["category", "number"]:
        x, y = x[present], y[present]
        groups = [y[x == code] for code in numpy.unique(x)]
        total = ((y - y.mean()) ** 2).sum()
        if total == 0 or len(groups) < 2:
            return None
        return float(numpy.sqrt(sum(len(g) * (g.mean() - y.mean()) ** 2 for g in groups) / total))
    present &= ~numpy.isnan(x)
    x, y = x[present], y[present]
    if x.std() == 0 or y.std() == 0:
        return None
    return float(scipy.stats.pearsonr(x, y)[0])


def association(table):
    columns = range(len(table.schema.columns))
    return [[associate(table, i, j) for j in columns] for i in columns]


def matrix_difference(a, b):
    differences = [abs((a[i][j] or 0) - (b[i][j] or 0)) for i in range(len(a)) for j in range(i)
                   if a[i][j] is not None or b[i][j] is not None]
    return float(numpy.mean(differences)), float(max(differences))


def features(table, log):
    """Numbers and one-hot codes / sqrt(2), missing numbers flagged."""
    parts = []
    for column, values, flag in zip(table.schema.columns, table.values, log):
        if column.kind == "number":
            parts.append(encoded(column, values, flag)[:, None])
            if column.missing_allowed:
                parts.append(numpy.eye(2)[numpy.isnan(values).astype(int)] / numpy.sqrt(2))
        else:
            parts.append(numpy.eye(column.codes)[values] / numpy.sqrt(2))
    return numpy.hstack(parts)


def mmd_squared(a, b, log):
    x, y = features(a, log), features(b, log)
    scale = 3.0 / len(a.schema.columns)

    def kernel(p, q):
        squares = (p ** 2).sum(1)[:, None] + (q ** 2).sum(1)[None, :] - 2 * p @ q.T
        return numpy.exp(-scale * numpy.maximum(squares, 0))
    xx, yy, xy = kernel(x, x), kernel(y, y), kernel(x, y)
    m, n = len(x), len(y)
    return float((xx.sum() - m) / (m * (m - 1)) + (yy.sum() - n) / (n * (n - 1)) - 2 * xy.mean())


def gower_nearest(queries, reference, log):
    total = numpy.zeros((queries.rows, reference.rows))
    for c, column in enumerate(queries.schema.columns):
        x, y = queries.values[c], reference.values[c]
        if column.kind == "number":
            one = numpy.abs(encoded(column, x, log[c])[:, None] - encoded(column, y, log[c])[None, :])
            one[numpy.isnan(x)[:, None] != numpy.isnan(y)[None, :]] = 1.0
        else:
            one = (x[:, None] != y[None, :]).astype(float)
        total += one
    return (total / len(queries.schema.columns)).min(axis=1)


def row_keys(table):
    columns = [numpy.where(numpy.isnan(v), -1e300, v) if v.dtype.kind == "f" else v for v in table.values]
    return list(zip(*(c.tolist() for c in columns)))


def copies(table, train):
    known = set(row_keys(train))
    return sum(key in known for key in row_keys(table))


def hanley_mcneil(auc, positives, negatives):
    q1, q2 = auc / (2 - auc), 2 * auc * auc / (1 + auc)
    variance = (auc * (1 - auc) + (positives - 1) * (q1 - auc ** 2) + (negatives - 1) * (q2 - auc ** 2))
    return (variance / (positives * negatives)) ** 0.5


def disclosure(real, synthetic, train, log):
    near_synthetic, near_holdout = (gower_nearest(t, train, log) for t in (synthetic, real))
    members, others = (gower_nearest(t, synthetic, log) for t in (train, real))
    truth = numpy.concatenate([numpy.ones(len(members)), numpy.zeros(len(others))])
    auc = float(sklearn.metrics.roc_auc_score(truth, -numpy.concatenate([members, others])))
    margin = scipy.stats.norm.ppf(0.975) * hanley_mcneil(auc, len(members), len(others))
    return {
        "synthetic": [float(numpy.percentile(near_synthetic, q)) for q in (50, 5)],
        "holdout": [float(numpy.percentile(near_holdout, q)) for q in (50, 5)],
        "advantage": 2 * auc - 1, "low": max(-1.0, 2 * (auc - margin) - 1), "high": min(1.0, 2 * (auc + margin) - 1),
    }


def measure(folder, names, small):
    """Everything that does not depend on the program's own random numbers."""
    schema_path = os.path.join(folder, "schema.json")
    schema, log = tables.read_schema(schema_path), is_log(schema_path)
    real, synthetic, train = (tables.read_table(os.path.join(folder, n), schema) for n in names)
    matrices = [association(t) for t in (real, synthetic, train)]
    expected = {
        "columns": column_distances(synthetic, real), "ceiling": column_distances(train, real),
        "marginals": marginal_means(synthetic, real, (1, 2, 3, 4)),
        "marginals_ceiling": marginal_means(train, real, (1, 2, 3, 4)),
        "association_real": matrices[0], "association_synthetic": matrices[1],
        "association_difference": matrix_difference(matrices[1], matrices[0]),
        "association_ceiling": matrix_difference(matrices[2], matrices[0]),
        "copies": [copies(t, train) for t in (synthetic, real)],
    }
    if small:  # the program subsamples large tables here
        expected["mmd"] = mmd_squared(synthetic, real, log)
        expected["mmd_ceiling"] = mmd_squared(train, real, log)
        expected["disclosure"] = disclosure(real, synthetic, train, log)
    return expected


# ---- holding the program against them ----

class Comparison:
    def __init__(self):
        self.bad, self.count, self.worst = [], 0, 0.0

    def same(self, what, expected, found, tolerance):
        self.count += 1
        if (expected is None) != (found is None):
            self.bad.append(f"{what}: {found}, not {expected}")
        elif expected is not None:
            self.worst = max(self.worst, abs(found - expected))
            if not abs(found - expected) <= tolerance:
                self.bad.append(f"{what}: {found!r}, not {expected!r}")


def compare(document, expected):
    c = Comparison()
    for part, side in (("columns", "synthetic"), ("ceiling", "ceiling")):
        for column, wanted in zip(document["columns"], expected[part]):
            for name, value in wanted.items():
                found = column[name] and column[name][side]
                c.same(f"{column['name']} {name} {side}", value, found, EXACT)
    for side, part in (("synthetic", "marginals"), ("ceiling", "marginals_ceiling")):
        for entry, wanted in zip(document["marginals"], expected[part], strict=True):
            c.same(f"{entry['way']}-way {side}", wanted, entry["tvd"][side], EXACT)
    a = document["association"]
    for name in ("real", "synthetic"):
        for i, row in enumerate(expected[f"association_{name}"]):
            for j, value in enumerate(row):
                c.same(f"association {name} {i} {j}", value, a[name][i][j], CLOSE)
    for side, part in (("synthetic", "association_difference"), ("ceiling", "association_ceiling")):
        c.same(f"mean {part}", expected[part][0], a["mean_difference"][side], CLOSE)
        c.same(f"largest {part}", expected[part][1], a["largest_difference"][side], CLOSE)
    d = document["disclosure"]
    for side, wanted in zip(("synthetic", "holdout"), expected["copies"]):
        c.same(f"copies {side}", wanted, d["exact_copies"][side], 0)
    if "mmd" in expected:
        c.same("mmd", expected["mmd"], document["mmd"]["squared"]["synthetic"], CLOSE)
        c.same("mmd ceiling", expected["mmd_ceiling"], document["mmd"]["squared"]["ceiling"], CLOSE)
        for side in ("synthetic", "holdout"):
            entry = d["distance_to_closest_record"][side]
            for value, name in zip(expected["disclosure"][side], ("median", "p5")):
                c.same(f"closest {side} {name}", value, entry[name], EXACT)
        for name in ("advantage", "low", "high"):
            c.same(name, expected["disclosure"][name], d["membership"][name], EXACT)
    return c


def run_program(program, folder, names):
    paths = [os.path.join(folder, name) for name in names]
    done = subprocess.run([program, "evaluate", "--real", paths[0], "--synthetic", paths[1], "--train", paths[2],
                           "--schema", os.path.join(folder, "schema.json"), "--models", "none", "--json"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{program} evaluate ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def make_folder(folder, seed, real, synthetic, train):
    with open(os.path.join(folder, "schema.json"), "w", encoding="utf-8") as file:
        json.dump(SCHEMA, file)
    header = [field["name"] for field in SCHEMA["fields"]]
    made = generated_tables(seed, real, synthetic, train)
    for name, rows in made.items():
        write_csv(os.path.join(folder, f"{name}.csv"), [header] + rows)
    return ["real.csv", "synthetic.csv", "train.csv"]


def write_vectors(path):
    with tempfile.TemporaryDirectory() as folder:
        names = make_folder(folder, 20, 60, 50, 70)
        vectors = {"made_by": "reference.py --write", "schema": SCHEMA, "expected": measure(folder, names, True)}
        for name in names:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                vectors[name.split(".")[0]] = file.read()
    with open(path, "w", encoding="utf-8") as file:
        json.dump(vectors, file, indent=0)
        file.write("\n")


def judge(program, folder, names, small):
    result = compare(run_program(program, folder, names), measure(folder, names, small))
    print(f"{result.count} numbers compared, largest difference {result.worst:.1e}, {len(result.bad)} differ")
    for line in result.bad[:20]:
        print("  " + line)
    return not result.bad


def check_data(program, data):
    if not os.path.exists(os.path.join(data, "train.csv.gz")):
        print(f"skipped: no data at {data}")
        sys.exit(77)
    import pandas
    with tempfile.TemporaryDirectory() as folder:
        frames = {n: pandas.read_csv(os.path.join(data, f"{n}.csv.gz"), dtype=str, na_filter=False)
                  for n in ("train", "test")}
        listed = {n: [list(f.columns)] + f.values.tolist() for n, f in frames.items()}
        listed["synthetic"] = disturbed(listed["train"], 1)
        for name, rows in listed.items():
            write_csv(os.path.join(folder, f"{name}.csv"), rows)
        with open(os.path.join(data, "schema.json"), encoding="utf-8") as source, \
                open(os.path.join(folder, "schema.json"), "w", encoding="utf-8") as target:
            target.write(source.read())
        return judge(program, folder, ["test.csv", "synthetic.csv", "train.csv"], False)


def check_generated(program):
    good = True
    for seed, sizes in ((1, (300, 400, 500)), (2, (1200, 900, 1000)), (3, (5, 3, 4))):
        with tempfile.TemporaryDirectory() as folder:
            good = judge(program, folder, make_folder(folder, seed, *sizes), True) and good
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write")
    parser.add_argument("--program")
    parser.add_argument("--generated", action="store_true")
    parser.add_argument("--data")
    options = parser.parse_args()
    if options.write:
        write_vectors(options.write)
        return
    good = check_data(options.program, options.data) if options.data else check_generated(options.program)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
