#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The image part of the utility bench: train classifiers on synthetic images, test them on real ones.

Takes every folder under --data that holds an MNIST-like set as IDX files (train-images-idx3-ubyte.gz,
train-labels-idx1-ubyte.gz and the t10k- pair), makes a synthetic set with each epsilon and seed, and
measures the accuracy of the twelve image classifiers of the DP-MERF paper and of a small CNN on the
real test images; without torch, of the twelve alone. The slow classifiers see fewer images (images_slow in protocol.json). Every
classifier is kept as soon as it is measured, so that an interrupted run continues. Every number is
computed from real records and is NOT PRIVATE.
"""
import gzip
import json
import os
import shutil
import sys
import time
import warnings

import needs

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz",
         "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz")
SLOW = ("logistic regression", "MLP", "gradient boosting", "AdaBoost", "linear SVM")
CNN = "CNN"


def twelve():
    """As the DP-MERF paper sets them for images (its code; scikit-learn's defaults elsewhere)."""
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import (AdaBoostClassifier, BaggingClassifier, GradientBoostingClassifier,
                                  RandomForestClassifier)
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import BernoulliNB, GaussianNB
    from sklearn.neural_network import MLPClassifier
    from sklearn.svm import LinearSVC
    from sklearn.tree import DecisionTreeClassifier
    from xgboost import XGBClassifier
    # scikit-learn 1.6 dropped SAMME.R, the papers' algorithm; a line names its version of the library.
    of_ada = {"algorithm": "SAMME.R"} if "algorithm" in AdaBoostClassifier().get_params() else {}
    return {
        "logistic regression": lambda s: LogisticRegression(max_iter=5000, random_state=s),
        "random forest": lambda s: RandomForestClassifier(100, class_weight="balanced", random_state=s),
        "Gaussian NB": lambda s: GaussianNB(),
        "Bernoulli NB": lambda s: BernoulliNB(binarize=0.5),
        "linear SVM": lambda s: LinearSVC(loss="hinge", tol=1e-8, max_iter=10000, random_state=s),
        "decision tree": lambda s: DecisionTreeClassifier(class_weight="balanced", random_state=s),
        "LDA": lambda s: LinearDiscriminantAnalysis(solver="eigen", n_components=9, shrinkage=0.5, tol=1e-8),
        "AdaBoost": lambda s: AdaBoostClassifier(n_estimators=100, random_state=s, **of_ada),
        "MLP": lambda s: MLPClassifier(random_state=s),
        "bagging": lambda s: BaggingClassifier(n_estimators=20, max_samples=0.1, random_state=s),
        "gradient boosting": lambda s: GradientBoostingClassifier(n_estimators=50, subsample=0.1, random_state=s),
        "XGBoost": lambda s: XGBClassifier(n_estimators=50, colsample_bytree=0.1, objective="multi:softprob",
                                           tree_method="hist", n_jobs=1, random_state=s),
    }


def read_idx(path):
    import numpy
    with gzip.open(path) as file:
        data = file.read()
    if len(data) < 4 or data[:3] != b"\0\0\x08" or data[3] not in (1, 3, 4):
        raise ValueError(f"{path} is no IDX file of bytes")
    start = 4 + 4 * data[3]
    shape = [int.from_bytes(data[i:i + 4], "big") for i in range(4, start, 4)]
    return numpy.frombuffer(data, numpy.uint8, offset=start).reshape(shape)


def pixels(images):
    import numpy
    return images.reshape(len(images), -1).astype(numpy.float32) / 255


def choose(count, limit, seed):
    """Which of `count` images a classifier sees."""
    import numpy
    if count <= limit:
        return numpy.arange(count)
    return numpy.sort(numpy.random.default_rng([seed, 1]).choice(count, size=limit, replace=False))


def cnn_accuracy(x, y, x_test, y_test, seed):
    """Two 3x3 convolutions (32, 64) with max pooling, dense 128; Adam 1e-3, 4 epochs of batches of 128."""
    import torch
    from torch import nn
    torch.manual_seed(seed)
    side = x.shape[1:3]
    size = 64 * (side[0] // 4) * (side[1] // 4)
    net = nn.Sequential(nn.Conv2d(1, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                        nn.Flatten(), nn.Linear(size, 128), nn.ReLU(), nn.Linear(128, int(y.max()) + 1))
    adam = torch.optim.Adam(net.parameters(), lr=1e-3)
    tensor = lambda images: torch.tensor(images).unsqueeze(1).float() / 255
    inputs, targets = tensor(x), torch.tensor(y).long()
    for _ in range(4):
        for rows in torch.randperm(len(x)).split(128):
            adam.zero_grad()
            nn.functional.cross_entropy(net(inputs[rows]), targets[rows]).backward()
            adam.step()
    net.eval()
    with torch.no_grad():
        found = torch.cat([net(part).argmax(1) for part in tensor(x_test).split(1000)])
    return float((found.numpy() == y_test).mean())


def accuracy(name, x, y, x_test, y_test, seed):
    """Accuracy on the real test images, and how it went."""
    start, note = time.perf_counter(), ""
    if name == CNN:
        value = cnn_accuracy(x, y, x_test, y_test, seed)
    else:
        from sklearn.exceptions import ConvergenceWarning
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = twelve()[name](seed).fit(pixels(x), y)
            value = float((model.predict(pixels(x_test)) == y_test).mean())
        if any(issubclass(w.category, ConvergenceWarning) for w in caught):
            note = "stopped before it converged"
    return {"accuracy": value, "images": len(x), "seconds": round(time.perf_counter() - start, 2),
            **({"note": note} if note else {})}


def data_sets(folder, wanted):
    whole = [name for name in sorted(os.listdir(folder))
             if all(os.path.isfile(os.path.join(folder, name, file)) for file in FILES)]
    if wanted is not None:
        absent = [name for name in wanted if name not in whole]
        if absent:
            needs.stop(f"{os.path.join(folder, absent[0])} does not hold {', '.join(FILES)}")
    return whole if wanted is None else wanted


def private(folder):
    return ["--images", os.path.join(folder, FILES[0]), "--labels", os.path.join(folder, FILES[1])]


def command(program, job, folder, output):
    return [program, "synth", "--method", job.method, *private(folder),
            "--epsilon", job.eps, "--delta", job.delta, "--neighbours", job.neighbours, "--seed", str(job.seed),
            "--overwrite", "--quiet", "--preview", output + ".png", "--ledger", output + ".ledger", "-o", output,
            *job.options]


def synthetic_of(job, args, folder):
    """The synthetic images and labels, and the facts of their run; made once."""
    import program
    import secrets
    work = os.path.join(args.work, job.name)
    facts = program._read(os.path.join(work, "run.json"))
    output = os.path.join(work, "out")
    if facts is None:
        needs.require_program(args.program)
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)
        facts = {"run": secrets.token_hex(6), **program.describe(args.program)}
        program.make_ledger(args.program, job, output + ".ledger")
        facts.update(program.execute(command(args.program, job, folder, output)))
        with open(os.path.join(work, "run.json"), "w", encoding="utf-8") as file:
            json.dump(facts, file)
    return (read_idx(os.path.join(output, "images-idx3-ubyte.gz")),
            read_idx(os.path.join(output, "labels-idx1-ubyte.gz")), facts)


def measure(job, args, settings, train, test):
    """Every classifier that is wanted; finished ones are kept in the work folder."""
    work = os.path.join(args.work, job.name)
    os.makedirs(work, exist_ok=True)
    kept = os.path.join(work, "classifiers.json")
    found = {}
    if os.path.isfile(kept):
        with open(kept, encoding="utf-8") as file:
            found = json.load(file)
    for name in args.classifiers:
        if name in found:
            continue
        rows = choose(len(train[0]), settings["images_slow" if name in SLOW else "images"], job.seed)
        found[name] = accuracy(name, train[0][rows], train[1][rows], *test, job.seed)
        with open(kept + ".new", "w", encoding="utf-8") as file:
            json.dump(found, file)
        os.replace(kept + ".new", kept)
        print(f"  {name}: {found[name]['accuracy']:.3f} ({found[name]['seconds']} s)", file=sys.stderr, flush=True)
    models = {name: found[name] for name in args.classifiers}
    of_twelve = [models[name]["accuracy"] for name in twelve() if name in models]
    metrics = {"models": models, "twelve": len(of_twelve)}
    if len(of_twelve) == 12:
        metrics["accuracy"] = sum(of_twelve) / 12
    return metrics


def main(given=None):
    import frechet
    import left
    import program
    import single
    import store
    parser = single.parser(__doc__, ["merf"])
    words = lambda value: [word for word in value.split(",") if word]
    parser.add_argument("--data", required=True, help="folder of data set folders")
    parser.add_argument("--sets", type=words, help="default: every folder that has the files")
    quick_first = [name for name in twelve() if name not in SLOW] + [CNN, *SLOW]
    parser.add_argument("--classifiers", type=words, help="default: the twelve, and the CNN where torch is installed")
    parser.add_argument("--baselines", type=words, default=["real"])
    parser.add_argument("--previews", metavar="FOLDER", help="keep a preview grid of the first seed there")
    parser.add_argument("--encoder", metavar="FILE", help="also the Frechet distance by this network, under its name")
    args = parser.parse_args(given)
    without_torch = bool(needs.missing_packages(("torch",)))
    if args.classifiers is None:
        args.classifiers = [name for name in quick_first if name != CNN or not without_torch]
        if without_torch:
            print("images.py: torch is not installed: the CNN is left out", file=sys.stderr)
    elif CNN in args.classifiers:
        needs.require(("torch",))
    with open(os.path.join(HERE, "protocol.json"), encoding="utf-8") as file:
        settings = json.load(file)
    kept, clock, failures = store.Store(args.results), left.Left(args), 0
    limits = {"images": settings["images"], "images_slow": settings["images_slow"]}
    about = {"machine": store.machine(), "libraries": store.libraries(("numpy", "sklearn", "xgboost", "torch"))}
    for name in data_sets(args.data, args.sets):
        folder = os.path.join(args.data, name)
        for job in single.jobs(args, name, args.baselines):
            title = f"{name} {job.method}" + (f" eps {job.eps}" if job.eps is not None else "") + f" seed {job.seed}"
            if not args.again and "images" in kept.find(job, limits):
                print(f"{title}: in the results already", file=sys.stderr)
                continue
            plan = None if job.method in args.baselines else lambda: left.plan_of(args, job, private(folder))
            if clock.out(title, kept.lines, job, ["images"], plan):
                continue
            try:
                print(title, file=sys.stderr, flush=True)
                facts, start = {}, time.perf_counter()
                test = read_idx(os.path.join(folder, FILES[2])), read_idx(os.path.join(folder, FILES[3]))
                if job.method in args.baselines:
                    train = read_idx(os.path.join(folder, FILES[0])), read_idx(os.path.join(folder, FILES[1]))
                else:
                    *train, facts = synthetic_of(job, args, folder)
                    if args.previews and job.seed == int(args.seeds[0]):
                        os.makedirs(args.previews, exist_ok=True)
                        shutil.copyfile(os.path.join(args.work, job.name, "out.png"),
                                        os.path.join(args.previews, f"{name}-{job.method}-eps{job.eps}.png"))
                    start = time.perf_counter()
                metrics = measure(job, args, settings, train, test)
                if args.encoder and facts:
                    drawn = os.path.join(args.work, job.name, "out", "images-idx3-ubyte.gz")
                    metrics["frechet"] = frechet.distance(args.program, os.path.join(folder, FILES[2]), drawn, args.encoder,
                                                          job.seed)
            except (program.ProgramError, OSError, ValueError) as error:
                failures += 1
                print(f"{title}: failed: {error}", file=sys.stderr)
                continue
            seconds = {"measure": round(time.perf_counter() - start, 2)}
            if facts:
                seconds.update(synth=facts["seconds"], synth_cpu=facts["cpu_seconds"])
            kept.append({"part": "images", **job.fields, "limits": limits, "run": facts.get("run"),
                         "version": facts.get("version"), "build": facts.get("build"),
                         "peak_mb": facts.get("peak_mb"), "rows": len(train[0]), "seconds": seconds, **about,
                         "metrics": metrics})
            program.forget(job, args.work)
            print(f"{title}: mean of {metrics['twelve']}: {metrics.get('accuracy', float('nan')):.4f}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    needs.require(("numpy", "pandas", "sklearn", "xgboost"))
    sys.exit(main())
