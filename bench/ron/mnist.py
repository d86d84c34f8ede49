# SPDX-License-Identifier: Apache-2.0
"""MNIST as a table of 784 numbers, one Gaussian per class at p = 392 (the paper's figure 3).

    /usr/bin/python3 bench/ron/mnist.py PROGRAM --data FOLDER [--epsilons none,10,3,1] [--geometries clip,normalise]

Writes docs/ron-mnist.png: synthetic images only. A block of rows for every epsilon in the order given,
a block of ten columns (the classes 0 to 9) for every geometry. The program has no mode without noise:
for `none` it runs with --pure and an absurd epsilon, whose Laplace noise is nearly none. Appends JSON lines to bench/results/ron.jsonl: accuracy on the real
test images of learners that saw synthetic rows alone. NOT PRIVATE: these numbers compare real with
synthetic data. numpy and the standard library only."""

import argparse
import gzip
import json
import os
import pathlib
import resource
import struct
import subprocess
import tempfile
import time
import zlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIDE, CLASSES = 28, 10
PIXELS = SIDE * SIDE
SHOWN = 3  # images of a class for every epsilon
ROWS = 6000  # of the learners
NO_NOISE = {"clip": "3e5", "normalise": "1e4"}  # near the largest that the program takes


# ---- the data as a table ----

def read_idx(path):
    raw = gzip.decompress(path.read_bytes())
    dimensions = raw[3]
    shape = struct.unpack(f">{dimensions}I", raw[4:4 + 4 * dimensions])
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * dimensions).reshape(shape)


def read_images(folder, part):
    return (read_idx(folder / f"{part}-images-idx3-ubyte.gz").reshape(-1, PIXELS),
            read_idx(folder / f"{part}-labels-idx1-ubyte.gz"))


def write_table(work, images, labels):
    names = [f"x{j}" for j in range(PIXELS)]
    fields = [{"name": name, "type": "integer", "constraints": {"minimum": 0, "maximum": 255, "required": True}}
              for name in names]
    fields.append({"name": "y", "type": "string",
                   "constraints": {"enum": [str(c) for c in range(CLASSES)], "required": True}})
    schema = {"fields": fields, "missingValues": [""], "semblance": {"label": "y", "task": "classification"}}
    (work / "schema.json").write_text(json.dumps(schema))
    text = [str(v) for v in range(256)]
    with open(work / "train.csv", "w") as out:
        out.write(",".join([*names, "y"]) + "\n")
        for image, label in zip(images, labels):
            out.write(",".join([text[v] for v in image.tolist()]) + f",{label}\n")


# ---- the program ----

def synthesise(program, work, epsilon, geometry, dimensions, seed):
    """(images, labels, facts about the run)"""
    budget = ["--epsilon", NO_NOISE[geometry], "--pure"] if epsilon == "none" else ["--epsilon", epsilon]
    for path in work.glob("synthetic.csv*"):
        path.unlink()
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.time()
    subprocess.run([program, "synth", str(work / "train.csv"), "--schema", str(work / "schema.json"), *budget,
                    "--method", "ron-gauss", "--dimensions", str(dimensions), "--geometry", geometry, "--rows",
                    str(ROWS), "--seed", str(seed), "-o", str(work / "synthetic.csv"), "-q"], check=True,
                   env={"OMP_WAIT_POLICY": "passive", **os.environ})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    facts = {"wall_s": round(time.time() - start, 1),
             "cpu_s": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
             "peak_mb": round(after.ru_maxrss / 1024)}
    table = np.loadtxt(work / "synthetic.csv", np.uint8, delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1], facts


# ---- learners ----

def nearest_mean(train, test):
    means = np.array([train[0][train[1] == c].mean(0) if (train[1] == c).any() else np.full(PIXELS, np.inf)
                      for c in range(CLASSES)])
    means2 = (means ** 2).sum(1)
    return float(np.mean(np.argmin(means2 - 2 * test[0] @ means.T, 1) == test[1]))


def logistic(train, test, rounds=150, rate=0.5, decay=1e-4):
    """Softmax regression on standardised pixels, all rows at once, Nesterov's gradient."""
    mean, spread = train[0].mean(0), train[0].std() + 1e-6
    x = np.hstack([(train[0] - mean) / spread, np.ones((len(train[0]), 1))]).astype(np.float32)
    wanted = np.eye(CLASSES, dtype=np.float32)[train[1]]
    rate /= np.linalg.eigvalsh(x.T @ x / len(x))[-1]
    weights = ahead = np.zeros((PIXELS + 1, CLASSES), np.float32)
    for k in range(rounds):
        scores = x @ ahead
        shares = np.exp(scores - scores.max(1, keepdims=True))
        gradient = x.T @ (shares / shares.sum(1, keepdims=True) - wanted) / len(x) + decay * ahead
        last, weights = weights, ahead - 2 * rate * gradient
        ahead = weights + k / (k + 3) * (weights - last)
    x = np.hstack([(test[0] - mean) / spread, np.ones((len(test[0]), 1))])
    return float(np.mean(np.argmax(x @ weights, 1) == test[1]))


def scores(train, test):
    train = train[0][:ROWS].astype(np.float32), train[1][:ROWS]
    test = test[0].astype(np.float32), test[1]
    return {"nearest_mean": nearest_mean(train, test), "logistic": logistic(train, test)}


# ---- the picture ----

def paste_block(canvas, top, left, images, labels):
    for c in range(CLASSES):
        for k, image in enumerate(images[labels == c][:SHOWN]):
            y, x = top + k * (SIDE + 2), left + c * (SIDE + 2)
            canvas[y:y + SIDE, x:x + SIDE] = image.reshape(SIDE, SIDE)


def write_png(path, canvas, zoom=2):
    """Grey, 16 levels of four bits."""
    levels = np.kron((canvas.astype(int) * 15 + 127) // 255, np.ones((zoom, zoom), int)).astype(np.uint8)
    packed = levels[:, ::2] << 4 | levels[:, 1::2]
    filtered = np.zeros((len(packed), packed.shape[1] + 1), np.uint8)
    filtered[:, 0] = 2  # every byte less the one above: rows that repeat become zeros
    filtered[:, 1:] = np.diff(packed, axis=0, prepend=np.zeros((1, packed.shape[1]), np.uint8))

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    header = struct.pack(">IIBBBBB", levels.shape[1], levels.shape[0], 4, 0, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
                     chunk(b"IDAT", zlib.compress(filtered.tobytes(), 9)) + chunk(b"IEND", b""))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--data", required=True)
    parser.add_argument("--epsilons", default="none,10,3,1")
    parser.add_argument("--geometries", default="clip,normalise")
    parser.add_argument("--dimensions", type=int, default=392)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--picture", default=str(ROOT / "docs" / "ron-mnist.png"))
    parser.add_argument("--results", default=str(ROOT / "bench" / "results" / "ron.jsonl"))
    arguments = parser.parse_args()
    epsilons, geometries = arguments.epsilons.split(","), arguments.geometries.split(",")
    folder = pathlib.Path(arguments.data)
    images, labels = read_images(folder, "train")
    test = read_images(folder, "t10k")
    block_y, block_x = SHOWN * (SIDE + 2) + 8, CLASSES * (SIDE + 2) + 8
    canvas = np.full((block_y * len(epsilons) - 8, block_x * len(geometries) - 8), 255, np.uint8)
    lines = [{"bench": "mnist", "method": "real", **scores((images, labels), test)}]
    print(lines[-1], flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        work = pathlib.Path(scratch)
        write_table(work, images, labels)
        for across, geometry in enumerate(geometries):
            for down, epsilon in enumerate(epsilons):
                x, y, facts = synthesise(arguments.program, work, epsilon, geometry, arguments.dimensions, arguments.seed)
                paste_block(canvas, down * block_y, across * block_x, x, y)
                lines.append({"bench": "mnist", "method": f"ron-gauss {geometry}", "epsilon": epsilon if epsilon == "none" else float(epsilon),
                              "dimensions": arguments.dimensions, "seed": arguments.seed, **scores((x, y), test), **facts})
                print(lines[-1], flush=True)
    write_png(pathlib.Path(arguments.picture), canvas)
    with open(arguments.results, "a") as out:
        out.writelines(json.dumps(line) + "\n" for line in lines)


if __name__ == "__main__":
    main()
