#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the protocol of the DP-HP paper gives for a table that knows nothing of its label.

The authors' code drops rows of the majority class at random, then splits into training and test rows, then trains each of
the twelve classifiers in several settings, and keeps the best ROC and the best PRC on the test rows, each by
itself. Here the training rows have their labels permuted: columns and label are independent, and a sound measure
says .5 for ROC and the share of positives for PRC. Measured on the training table alone, which is split again for each
seed; the test table is not opened.

  tuned.py --data DATA --set cervical --keep 0.3

Every number is computed from real records and is NOT PRIVATE.
"""
import argparse
import os
import sys
import warnings

import needs

HELD_OUT = 0.2


def settings():
    """The settings of each classifier: the first one is that of the protocol of bench/utility, the others are the authors'."""
    import classifiers
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as LDA
    from sklearn.ensemble import AdaBoostClassifier as Ada
    from sklearn.ensemble import BaggingClassifier as Bagging
    from sklearn.ensemble import GradientBoostingClassifier as Boosting
    from sklearn.ensemble import RandomForestClassifier as Forest
    from sklearn.linear_model import LogisticRegression as Logistic
    from sklearn.naive_bayes import BernoulliNB, GaussianNB
    from sklearn.neural_network import MLPClassifier as MLP
    from sklearn.svm import LinearSVC
    from sklearn.tree import DecisionTreeClassifier as Tree
    from xgboost import XGBClassifier
    theirs = {
        "logistic regression": [lambda s: Logistic(max_iter=2000, tol=1e-12, random_state=s),
                                lambda s: Logistic(penalty="l1", solver="saga", random_state=s)] +
                               [lambda s, c=c: Logistic(penalty="l1", solver="liblinear", class_weight="balanced", C=c,
                                                        random_state=s) for c in (0.1, 0.05)],
        "Gaussian NB": [lambda s: GaussianNB(var_smoothing=1e-3, priors=[0.2, 0.8])],
        "Bernoulli NB": [lambda s, a=a, b=b: BernoulliNB(alpha=a, binarize=b) for a in (0.02, 0.5, 1) for b in (0.4, 0.5)],
        "linear SVM": [lambda s: LinearSVC(loss="hinge", random_state=s),
                       lambda s: LinearSVC(loss="hinge", class_weight="balanced", random_state=s),
                       lambda s: LinearSVC(loss="hinge", C=0.01, random_state=s)],
        "decision tree": [lambda s, m=m: Tree(criterion="entropy", class_weight="balanced", max_features=m, random_state=s)
                          for m in ("log2", "sqrt", None)],
        "LDA": [lambda s, k=k: LDA(solver="lsqr", shrinkage=k) for k in ("auto", 0.6, 0.75)],
        "AdaBoost": [lambda s: Ada(n_estimators=100, learning_rate=0.8, random_state=s),
                     lambda s: Ada(n_estimators=200, learning_rate=0.5, random_state=s),
                     lambda s: Ada(n_estimators=100, learning_rate=0.5, algorithm="SAMME", random_state=s)],
        "bagging": [lambda s: Bagging(n_estimators=20, max_samples=0.1, random_state=s)],
        "random forest": [lambda s, n=n: Forest(n_estimators=n, random_state=s) for n in (200, 70, 30, 10)],
        "gradient boosting": [lambda s: Boosting(subsample=0.1, n_estimators=50, random_state=s)],
        "MLP": [lambda s: MLP(solver="sgd", learning_rate="adaptive", alpha=0.01, random_state=s),
                lambda s: MLP(solver="lbfgs", alpha=0.001, random_state=s), lambda s: MLP(solver="sgd", random_state=s)],
        "XGBoost": [lambda s, r=r: XGBClassifier(learning_rate=r, random_state=s, n_jobs=1) for r in (0.5, 0.7, 0.8, 1.0)],
    }
    return {name: [classifiers.TWELVE[name]] + theirs[name] for name in classifiers.TWELVE}


def score(x, y, x_test, y_test, seed):
    """Mean ROC and PRC of the twelve: in the protocol's setting, and in the best setting by the test rows."""
    import classifiers
    import numpy
    plain, best = [], []
    for each in settings().values():
        found = []
        for make in each:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                scores, _ = classifiers.fit(make, seed, x, y, x_test, 2, False)
            metrics = classifiers.hard_metrics(y_test, scores, 2)
            found.append((metrics["roc"], metrics["prc"]))
        plain.append(found[0])
        best.append(numpy.max(found, axis=0))
    return numpy.mean(plain, axis=0), numpy.mean(best, axis=0)


def measure(table, keep, seed, permuted):
    import classifiers
    import numpy
    random = numpy.random.default_rng([seed, 7])
    labels = classifiers.labels(table)
    majority = int(numpy.bincount(labels).argmax())
    table = classifiers.select(table, table.rows, random, keep, majority)
    rows = random.permutation(table.rows)
    test, train = table.take(rows[:round(HELD_OUT * table.rows)]), table.take(rows[round(HELD_OUT * table.rows):])
    fill = classifiers.medians(train)
    y = classifiers.labels(train)
    if permuted:
        y = random.permutation(y)
    y_test = classifiers.labels(test)
    plain, best = score(classifiers.as_codes(train, fill), y, classifiers.as_codes(test, fill), y_test, seed)
    return {"roc": float(plain[0]), "prc": float(plain[1]), "best_roc": float(best[0]), "best_prc": float(best[1]),
            "positives": float((y_test != majority).mean()), "train_rows": train.rows, "test_rows": test.rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True, help="folder of data set folders")
    parser.add_argument("--set", default="cervical")
    parser.add_argument("--keep", type=float, default=1.0, help="probability that a row of the majority class is kept")
    parser.add_argument("--seeds", default="0,1,2,3,4")
    parser.add_argument("--results", default="bench/results/tuned.jsonl")
    args = parser.parse_args()
    import store
    import tables
    folder = os.path.join(args.data, args.set)
    table = tables.read_table(os.path.join(folder, "train.csv.gz"), tables.read_schema(os.path.join(folder, "schema.json")))
    kept = store.Store(args.results)
    for seed in [int(seed) for seed in args.seeds.split(",")]:
        for method in ("permuted", "real"):
            metrics = measure(table, args.keep, seed, method == "permuted")
            kept.append({"part": "tuned", **store.Job(args.set, method, seed=seed).fields, "limits": {"keep": args.keep},
                         "command": f"bench/utility/tuned.py --data DATA --set {args.set} --keep {args.keep}",
                         "machine": store.machine(), "libraries": store.libraries(),
                         "metrics": metrics})
            print(args.set, method, "seed", seed, {k: round(v, 3) for k, v in metrics.items()}, flush=True)
    return 0


if __name__ == "__main__":
    needs.require()
    sys.exit(main())
