#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Accuracy by the number of synthetic images: the figures of the DP-MERF and DP-HP papers over 60,000 down to 60 images.

    sizes.py DATA mnist [--methods merf,hp --eps 1 --program P]      measure; one line a job in bench/results/sizes.jsonl

The twelve classifiers of bench/utility/images.py learn from a seeded part of the synthetic images (`real`: of the training
images), the same number of every class, and are tried on all real test images: NOT PRIVATE. The full size is that of images.py, which has its own lines.
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "utility"))
import images  # noqa: E402
import left  # noqa: E402
import needs  # noqa: E402
import single  # noqa: E402
import store  # noqa: E402

SIZES = (6000, 2800, 1300, 600, 280, 130, 60)


def pick(labels, size, seed):
    """Which images a classifier sees: of every class the same number, or nearly, so that none is missing among 60."""
    import numpy
    random = numpy.random.default_rng([seed, 2])
    mixed = random.permutation(len(labels))
    place = numpy.empty(len(labels), dtype=int)  # of an image among those of its class
    for label in numpy.unique(labels):
        own = mixed[labels[mixed] == label]
        place[own] = numpy.arange(len(own))
    return mixed[numpy.argsort(place[mixed], kind="stable")][:size]


def measure(train, test, seed):
    """{size: mean of the twelve}, and the twelve by size."""
    models = {}
    for size in SIZES:
        rows = pick(train[1], size, seed)
        models[str(size)] = {name: images.accuracy(name, train[0][rows], train[1][rows], *test, seed)["accuracy"] for name in images.twelve()}
        print(f"  {size}: {sum(models[str(size)].values()) / len(models[str(size)]):.3f}", file=sys.stderr, flush=True)
    return {"accuracy": {size: sum(found.values()) / len(found) for size, found in models.items()}, "models": models}


def read(folder, names):
    return [images.read_idx(os.path.join(folder, name)) for name in names]


def main(given=None):
    parser = single.parser(__doc__, ["merf", "hp"])
    parser.add_argument("data")
    parser.add_argument("set")
    parser.set_defaults(results="bench/results/sizes.jsonl")
    args = parser.parse_args(given)
    folder = os.path.join(args.data, args.set)
    if not os.path.isfile(os.path.join(folder, images.FILES[0])):
        needs.stop(f"{folder} does not hold {', '.join(images.FILES)}")
    kept, clock = store.Store(args.results), left.Left(args)
    for job in single.jobs(args, args.set, ["real"]):
        title = f"{args.set} {job.method}" + (f" eps {job.eps}" if job.eps is not None else "") + f" seed {job.seed}"
        if not args.again and "sizes" in kept.find(job, {"sizes": list(SIZES)}):
            print(f"{title}: in the results already", file=sys.stderr)
            continue
        plan = None if job.method == "real" else lambda: left.plan_of(args, job, images.private(folder))
        if clock.out(title, kept.lines, job, ["sizes"], plan):
            continue
        print(title, file=sys.stderr, flush=True)
        test, facts = read(folder, images.FILES[2:]), {}
        if job.method == "real":
            train = read(folder, images.FILES[:2])
        else:
            *train, facts = images.synthetic_of(job, args, folder)
        start = time.perf_counter()
        metrics = measure(train, test, job.seed)
        seconds = {"measure": round(time.perf_counter() - start, 2)}
        if facts:
            seconds.update(synth=facts["seconds"], synth_cpu=facts["cpu_seconds"])
        kept.append({"part": "sizes", **job.fields, "limits": {"sizes": list(SIZES)}, "run": facts.get("run"),
                     "version": facts.get("version"), "build": facts.get("build"), "seconds": seconds, "machine": store.machine(),
                     "libraries": store.libraries(("numpy", "sklearn", "xgboost")), "metrics": metrics})
    return 0


if __name__ == "__main__":
    needs.require(("numpy", "sklearn", "xgboost"))
    sys.exit(main())
