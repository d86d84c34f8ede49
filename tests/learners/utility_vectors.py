#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes utility_vectors.json: scores and predictions of scikit-learn and XGBoost on generated data.

    /usr/bin/python3 tests/learners/utility_vectors.py > tests/learners/utility_vectors.json

Features are integers, used as value / 1024, so that every program sees the same single-precision
numbers. Needs numpy, scipy, scikit-learn and xgboost (Debian: python3-sklearn,
python3-xgboost).
"""
import json

import numpy
import scipy.linalg
import sklearn
import xgboost
from sklearn import metrics
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.svm import LinearSVC

CARDINALITY = [4, 3]
TRAIN, TEST = 400, 300


def class_metrics(y, scores):
    """As scores.h states them: y are labels, scores (rows, classes)."""
    classes = scores.shape[1]
    positives = [1] if classes == 2 else [c for c in range(classes) if 0 < (y == c).sum() < len(y)]
    guess = scores.argmax(axis=1)
    return {
        "auc": float(numpy.mean([metrics.roc_auc_score(y == c, scores[:, c]) for c in positives])),
        "average_precision": float(numpy.mean(
            [metrics.average_precision_score(y == c, scores[:, c]) for c in positives])),
        "balanced_accuracy": float(metrics.balanced_accuracy_score(y, guess)),
        "macro_f1": float(metrics.f1_score(y, guess, average="macro", zero_division=0)),
        "accuracy": float(metrics.accuracy_score(y, guess)),
    }


def metric_cases(random):
    """rows, classes, and how coarse scores are (few values: many ties)."""
    cases = []
    for rows, classes, values in [(40, 2, 1000), (60, 2, 5), (50, 2, 1), (80, 3, 1000), (90, 4, 4),
                                  (30, 5, 7), (200, 3, 2)]:
        y = random.integers(0, classes, rows)
        if classes == 5:
            y[y == 3] = 1  # a class that the truth does not have, though it is predicted
        scores = random.integers(0, values, (rows, classes)) + (y[:, None] == numpy.arange(classes)) * (
            values // 4)
        if classes == 2:
            scores[:, 0] = -scores[:, 1] + values // 2
        found = class_metrics(y, scores.astype(float))
        if classes == 2:
            fpr, tpr, _ = metrics.roc_curve(y, scores[:, 1], drop_intermediate=False)
            found["roc"] = [[float(a), float(b)] for a, b in zip(fpr, tpr)]
        cases.append({"classes": classes, "labels": y.tolist(), "scores": scores.tolist(), **found})
    return cases


def regression_case(random):
    y = random.integers(-500, 500, 70)
    guess = y + random.integers(-200, 200, 70)
    return {"targets": y.tolist(), "predicted": guess.tolist(),
            "rmse": float(numpy.sqrt(metrics.mean_squared_error(y, guess))),
            "r2": float(metrics.r2_score(y, guess))}


def make_samples(random, rows):
    numbers = numpy.column_stack([
        random.integers(0, 1025, rows),
        numpy.minimum(1024, random.exponential(200, rows).astype(int)),
        numpy.full(rows, 512),  # a constant column
    ])
    codes = numpy.column_stack([random.integers(0, k, rows) for k in CARDINALITY])
    x = numbers / 1024
    signal = (3 * x[:, 0] - 4 * x[:, 1] + numpy.array([0.0, 0.5, 1.5, -1.0])[codes[:, 0]]
              + 2 * (x[:, 0] > 0.5) * (codes[:, 1] == 2))
    noisy = signal + random.normal(0, 0.7, rows)
    return {"numbers": numbers, "codes": codes, "binary": (noisy > 1.6).astype(int),
            "three": numpy.digitize(noisy, [0.9, 2.2]), "target": numpy.round(100 * noisy).astype(int)}


def design(train, part):
    """Standardised numbers, one-hot codes."""
    x, reference = part["numbers"] / 1024, train["numbers"] / 1024
    deviation = reference.std(axis=0)
    blocks = [(x - reference.mean(axis=0)) * numpy.where(deviation > 0, 1 / numpy.where(
        deviation > 0, deviation, 1), 0)]
    for j, cardinality in enumerate(CARDINALITY):
        blocks.append(numpy.eye(cardinality)[part["codes"][:, j]])
    return numpy.hstack(blocks)


def bayes(train, test, label):
    """Log posterior of Gaussian and categorical columns; each part counts the prior once."""
    gauss = GaussianNB().fit(train["numbers"] / 1024, train[label])
    codes = CategoricalNB(min_categories=CARDINALITY).fit(train["codes"], train[label])
    joint = (gauss._joint_log_likelihood(test["numbers"] / 1024)
             + codes._joint_log_likelihood(test["codes"]) - numpy.log(gauss.class_prior_))
    return joint - numpy.log(numpy.exp(joint - joint.max(axis=1, keepdims=True)).sum(
        axis=1, keepdims=True)) - joint.max(axis=1, keepdims=True)


def boost(train, test, label):
    def matrix(part):
        return numpy.hstack([part["numbers"] / 1024, part["codes"]]).astype(numpy.float32)
    parameters = {"verbosity": 0, "tree_method": "hist", "seed": 7, "nthread": 1}
    y = train[label].astype(float)
    if label == "target":
        y, scale = (y - y.mean()) / y.std(), (y.mean(), y.std())
        parameters["objective"] = "reg:squarederror"
    elif label == "binary":
        parameters["objective"] = "binary:logistic"
    else:
        parameters.update(objective="multi:softprob", num_class=3)
    model = xgboost.train(parameters, xgboost.DMatrix(matrix(train), y), 100)
    found = model.predict(xgboost.DMatrix(matrix(test))).astype(float)
    return found if label != "target" else scale[0] + scale[1] * found


def rounded(values, digits=10):
    return [float(f"%.{digits}g" % v) for v in numpy.asarray(values).ravel()]


def learner_case(random):
    train, test = make_samples(random, TRAIN), make_samples(random, TEST)
    x, x_test = design(train, train), design(train, test)
    out = {"cardinality": CARDINALITY,
           "train": {k: v.tolist() for k, v in train.items()},
           "test": {k: v.tolist() for k, v in test.items()}}
    for label in ["binary", "three"]:
        logistic = LogisticRegression(max_iter=10000, tol=1e-8, multi_class="ovr").fit(x, train[label])
        svm = LinearSVC(max_iter=100000).fit(x, train[label]).decision_function(x_test)
        svm = numpy.column_stack([-svm, svm]) if svm.ndim == 1 else svm
        trees = boost(train, test, label)
        full = numpy.column_stack([1 - trees, trees]) if trees.ndim == 1 else trees
        out[label] = {"logistic": class_metrics(test[label], logistic.predict_proba(x_test)),
                      "svm": class_metrics(test[label], svm),
                      "xgboost": class_metrics(test[label], full),
                      "xgboost_scores": rounded(trees, 9),
                      "bayes_scores": rounded(bayes(train, test, label), 13)}
    ridge = Ridge(alpha=1.0).fit(x, train["target"])
    out["target"] = {"ridge_scores": rounded(ridge.predict(x_test), 13),
                     "xgboost_scores": rounded(boost(train, test, "target"), 9)}
    return out


def frechet_case(random, first_rows, second_rows, width):
    """Feature vectors are integers / 64."""
    mixing = random.normal(size=(width, width))
    first = numpy.round(64 * random.normal(size=(first_rows, width)) @ mixing)
    second = numpy.round(64 * (random.normal(size=(second_rows, width)) + 0.3))
    a, b = first / 64, second / 64
    s1, s2 = numpy.cov(a, rowvar=False), numpy.cov(b, rowvar=False)
    root = scipy.linalg.sqrtm(s1 @ s2)
    distance = ((a.mean(axis=0) - b.mean(axis=0)) ** 2).sum() + numpy.trace(s1 + s2 - 2 * root.real)
    return {"width": width, "first": first.astype(int).tolist(), "second": second.astype(int).tolist(),
            "distance": float(distance)}


def main():
    random = numpy.random.default_rng(4)
    print(json.dumps({
        "made_by": "tests/learners/utility_vectors.py", "numpy": numpy.__version__,
        "sklearn": sklearn.__version__, "xgboost": xgboost.__version__,
        "metrics": metric_cases(random), "regression": regression_case(random),
        "learners": learner_case(random),
        "frechet": [frechet_case(random, 60, 40, 5), frechet_case(random, 8, 50, 12)]}, separators=(",", ":")))


main()
