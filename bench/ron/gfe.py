# SPDX-License-Identifier: Apache-2.0
"""Clustering on GFE (the paper's unsupervised study): silhouette of k-means, k chosen by it.

    /usr/bin/python3 bench/ron/gfe.py PROGRAM WORK FOLDER_OF_GFE [--runs R] [--dimensions 2,4,6]

The paper's setting: records on the unit sphere, centred on the noisy mean, on the sphere again
(--geometry normalise), a Gaussian in the projection, epsilon 1. Appends JSON lines to
bench/results/ron.jsonl. NOT PRIVATE: these numbers compare real with synthetic data."""

import argparse
import gzip
import json
import pathlib
import shutil
import subprocess

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

RESULTS = pathlib.Path(__file__).resolve().parents[1] / "results" / "ron.jsonl"
ROWS = 2000


def best_silhouette(x, seed):
    x = x[np.random.default_rng(seed).permutation(len(x))[:ROWS]]
    scores = {k: silhouette_score(x, KMeans(k, n_init=3, random_state=seed).fit_predict(x)) for k in range(2, 7)}
    k = max(scores, key=scores.get)
    return float(scores[k]), k


def sphere(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def prepare(source, work):
    """The numeric columns only, no label; (schema path, table path, prepared real points)."""
    source, work = pathlib.Path(source), pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    schema = json.loads((source / "schema.json").read_text())
    for field in schema["fields"]:
        if field["type"] != "number":
            field["semblance"] = {"role": "ignore"}
    schema["semblance"] = {}
    (work / "schema.json").write_text(json.dumps(schema))
    table = work / "gfe.csv"
    if not table.exists():
        with gzip.open(source / "train.csv.gz") as packed, open(table, "wb") as plain:
            shutil.copyfileobj(packed, plain)
    used = [i for i, field in enumerate(schema["fields"]) if field["type"] == "number"]
    bounds = np.array([schema["fields"][i]["constraints"]["maximum"] for i in used], float)
    x = sphere(np.loadtxt(table, delimiter=",", skiprows=1, usecols=used) / bounds)
    return work / "schema.json", table, sphere(x - x.mean(0))


def synthesise(program, schema, table, work, options, seed):
    out = pathlib.Path(work) / "synthetic.csv"
    for path in pathlib.Path(work).glob("synthetic.csv*"):
        path.unlink()
    subprocess.run([program, "synth", str(table), "--schema", str(schema), "--epsilon", "1", "--method", "ron-gauss",
                    "--rows", str(ROWS), "--seed", str(seed), "-o", str(out), "-q", *options], check=True)
    return np.loadtxt(out, delimiter=",", skiprows=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("work")
    parser.add_argument("source")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--dimensions", default="4,6")
    arguments = parser.parse_args()
    schema, table, real = prepare(arguments.source, arguments.work)
    lines = []
    for seed in range(min(arguments.runs, 5)):
        score, k = best_silhouette(real, seed)
        lines.append({"bench": "gfe", "method": "real", "seed": seed, "silhouette": score, "clusters": k})
    for p in [int(p) for p in arguments.dimensions.split(",")]:
        for seed in range(arguments.runs):
            q = np.linalg.qr(np.random.default_rng(seed).normal(size=(real.shape[1], p)))[0]
            score, k = best_silhouette(real @ q, seed)
            lines.append({"bench": "gfe", "method": "real, projected", "dimensions": p, "seed": seed,
                          "silhouette": score, "clusters": k})
            x = synthesise(arguments.program, schema, table, arguments.work,
                           ["--geometry", "normalise", "--space", "projected", "--dimensions", str(p)], seed)
            score, k = best_silhouette(x, seed)
            lines.append({"bench": "gfe", "method": "ron-gauss normalise", "epsilon": 1, "dimensions": p,
                          "seed": seed, "silhouette": score, "clusters": k})
            print(lines[-2], lines[-1], flush=True)
    with open(RESULTS, "a") as out:
        out.writelines(json.dumps(line) + "\n" for line in lines)


if __name__ == "__main__":
    main()
