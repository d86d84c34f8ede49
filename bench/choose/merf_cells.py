#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Does merf of images gain from cells inside of classes, as mepf does? NOT PRIVATE: held-out real images are read.

usage: bench/choose/merf_cells.py DATA --program SEMBLANCE [--sets mnist,fashion_mnist] [--cells 1,5] [--eps 10] [--share .2]
       [--steps 1500] [--seed 0] [--results FILE]

The mechanism, put together from two releases of the program. The first has `share` of the budget, in squared noise, and its generated images are
clustered, class by class (k-means of their pixels). Each private image then belongs to the nearest centre of its class: one place for one image, so
the second release, of classes times cells, costs what one of classes costs. A generator of all cells is drawn from evenly. Fitted are the first
50,000 training images; logistic regression and a perceptron of 100 learn from the synthetic ones and are tried on the other 10,000: a split of
training images, so that constants may be chosen here. `--cells 1` is merf with the whole budget.
"""
import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "utility"))
import images  # noqa: E402
import needs  # noqa: E402

FITTED = 50000
DRAWN = 20000
CLASSES = 10


def write_idx(path, array):
    with gzip.open(path, "wb", 1) as file:
        file.write(bytes([0, 0, 8, array.ndim]) + b"".join(n.to_bytes(4, "big") for n in array.shape) + array.tobytes())


def call(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"merf_cells.py: {' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def job(args, eps, classes, folder):
    return ["--images", f"{folder}/images.gz", "--labels", f"{folder}/labels.gz", "--classes", str(classes), "--method", "merf",
            "--epsilon", f"{eps:.6g}", "--delta", "1e-5", "--neighbours", "replace-one"]


def noise(args, eps, folder):
    """The noise's deviation on the counts, by the plan."""
    text = call(args.program, "plan", *job(args, eps, CLASSES, folder))
    return float(re.search(r"^ *10 +([\d.]+) .*counts", text, re.M)[1])


def epsilon_of(args, share, folder):
    """The epsilon whose noise is that of a share of the budget, by halving."""
    wanted, low, high = noise(args, args.eps, folder) / share ** 0.5, args.eps / 100, args.eps
    for _ in range(16):
        middle = (low * high) ** 0.5
        low, high = (low, middle) if noise(args, middle, folder) < wanted else (middle, high)
    return high


def synthetic(args, eps, classes, folder, x, y):
    import numpy
    write_idx(f"{folder}/images.gz", x)
    write_idx(f"{folder}/labels.gz", y.astype(numpy.uint8))
    out = f"{folder}/out"
    call(args.program, "synth", *job(args, eps, classes, folder), "--steps", str(args.steps), "--seed", str(args.seed), "-n", str(DRAWN), "-o", out,
         "--quiet", "-f", "--device", args.device)
    return images.read_idx(f"{out}/images-idx3-ubyte.gz"), images.read_idx(f"{out}/labels-idx1-ubyte.gz")


def in_cells(args, cells, folder, x, y):
    """Synthetic images and classes with that many cells in each class."""
    import numpy
    from sklearn.cluster import KMeans
    first = epsilon_of(args, args.share, folder)
    made, of = synthetic(args, first, CLASSES, folder, x, y)
    flat, place = x.reshape(len(x), -1).astype(numpy.float32), numpy.zeros(len(x), int)
    for c in range(CLASSES):
        centres = KMeans(cells, n_init=3, random_state=args.seed).fit(made[of == c].reshape((of == c).sum(), -1).astype(numpy.float32))
        place[y == c] = centres.predict(flat[y == c])
    made, of = synthetic(args, epsilon_of(args, 1 - args.share, folder), CLASSES * cells, folder, x, y.astype(int) * cells + place)
    return made, of // cells


def score(made, of, x, y):
    import numpy
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier
    flat = [a.reshape(len(a), -1).astype(numpy.float32) / 255 for a in (made, x)]
    models = {"logistic regression": LogisticRegression(max_iter=200), "MLP": MLPClassifier((100,), max_iter=15, random_state=0)}
    return {name: round(float(model.fit(flat[0], of).score(flat[1], y)), 4) for name, model in models.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--program", required=True)
    parser.add_argument("--sets", default="mnist,fashion_mnist")
    parser.add_argument("--cells", default="1,5")
    parser.add_argument("--eps", type=float, default=10)
    parser.add_argument("--share", type=float, default=0.2)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--results")
    args = parser.parse_args()
    for name in args.sets.split(","):
        x, y = (images.read_idx(os.path.join(args.data, name, file)) for file in images.FILES[:2])
        for cells in map(int, args.cells.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                write_idx(f"{folder}/images.gz", x[:FITTED])
                write_idx(f"{folder}/labels.gz", y[:FITTED])
                if cells == 1:
                    made, of = synthetic(args, args.eps, CLASSES, folder, x[:FITTED], y[:FITTED])
                else:
                    made, of = in_cells(args, cells, folder, x[:FITTED], y[:FITTED])
            line = json.dumps({"notice": "NOT PRIVATE: computed from real records", "part": "merf-cells", "set": name, "cells": cells, "eps": args.eps,
                               "delta": 1e-5, "share": args.share if cells > 1 else None, "steps": args.steps, "seed": args.seed,
                               "images": len(made), "accuracy": score(made, of, x[FITTED:], y[FITTED:])})
            print(line, flush=True)
            if args.results:
                with open(args.results, "a", encoding="utf-8") as file:
                    file.write(line + "\n")


if __name__ == "__main__":
    needs.require(("numpy", "sklearn"))
    main()
