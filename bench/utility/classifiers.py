# SPDX-License-Identifier: Apache-2.0
"""Train on synthetic, test on real: twelve classifiers with hard labels, and three with scores.

Hard labels are the convention of the DP-MERF and DP-HP papers: "ROC" is roc_auc_score and "PRC"
average_precision_score of the predicted labels (so ROC is balanced accuracy). Scores are the right
convention. A missing number becomes the median of its column in the classifiers' training table, a
missing category one more code, and a row whose label is missing is left out.
"""
import time
import warnings

import joblib
import numpy
import scipy.sparse
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (AdaBoostClassifier, BaggingClassifier, GradientBoostingClassifier,
                              RandomForestClassifier)
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neural_network import MLPClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from xgboost import XGBClassifier

TWELVE = {
    "logistic regression": lambda seed: LogisticRegression(max_iter=2000, random_state=seed),
    "Gaussian NB": lambda seed: GaussianNB(),
    "Bernoulli NB": lambda seed: BernoulliNB(alpha=0.02),
    "linear SVM": lambda seed: LinearSVC(random_state=seed),
    "decision tree": lambda seed: DecisionTreeClassifier(random_state=seed),
    "LDA": lambda seed: LinearDiscriminantAnalysis(),
    "AdaBoost": lambda seed: AdaBoostClassifier(random_state=seed),
    "bagging": lambda seed: BaggingClassifier(random_state=seed),
    "random forest": lambda seed: RandomForestClassifier(random_state=seed),
    "gradient boosting": lambda seed: GradientBoostingClassifier(random_state=seed),
    "MLP": lambda seed: MLPClassifier(random_state=seed),
    "XGBoost": lambda seed: XGBClassifier(random_state=seed, n_jobs=1),
}
SLOW_FIRST = ["gradient boosting", "MLP", "logistic regression", "linear SVM", "XGBoost"]


def select(table, limit, random, thinning=1.0, majority=None):
    """Drop rows without a label, thin the majority class, keep at most `limit` rows."""
    y = table.values[table.schema.label]
    keep = y < table.schema.classes
    if thinning < 1.0:
        keep &= (y != majority) | (random.random(len(y)) < thinning)
    rows = numpy.flatnonzero(keep)
    if len(rows) > limit:
        rows = numpy.sort(random.choice(rows, size=limit, replace=False))
    return table.take(rows)


def labels(table):
    return table.values[table.schema.label].astype(numpy.int64)


def medians(table):
    """What stands for a missing number, per column."""
    fill = []
    for column, values in zip(table.schema.columns, table.values):
        known = values[~numpy.isnan(values)] if column.kind == "number" else values[:0]
        middle = (column.minimum + column.maximum) / 2
        fill.append(float(numpy.median(known)) if len(known) else middle)
    return fill


def as_codes(table, fill):
    """Numbers in their own units, categories as integer codes."""
    columns = []
    for i, (column, values) in enumerate(zip(table.schema.columns, table.values)):
        if i == table.schema.label:
            continue
        if column.kind == "number":
            values = numpy.where(numpy.isnan(values), fill[i], values)
        columns.append(values.astype(numpy.float64))
    return numpy.column_stack(columns)


def as_one_hot(table, fill, scale):
    """Standardised numbers (mean and deviation per column in `scale`), categories one-hot."""
    blocks = []
    rows = numpy.arange(table.rows)
    for i, (column, values) in enumerate(zip(table.schema.columns, table.values)):
        if i == table.schema.label:
            continue
        if column.kind == "number":
            mean, deviation = scale[i]
            values = (numpy.where(numpy.isnan(values), fill[i], values) - mean) / deviation
            blocks.append(scipy.sparse.csr_matrix(values[:, None]))
        else:
            ones = numpy.ones(table.rows)
            blocks.append(scipy.sparse.csr_matrix((ones, (rows, values)), (table.rows, column.codes)))
    return scipy.sparse.hstack(blocks, format="csr")


def standardisation(table, fill):
    scale = []
    for column, values, filler in zip(table.schema.columns, table.values, fill):
        if column.kind == "number":
            values = numpy.where(numpy.isnan(values), filler, values)
            scale.append((float(values.mean()), float(values.std()) or 1.0))
        else:
            scale.append((0.0, 1.0))
    return scale


def fit(make, seed, x, y, x_test, classes, want_scores):
    """Predicted labels (or scores per class) on the test rows, and how it went."""
    present, y = numpy.unique(y, return_inverse=True)
    note, start = "", time.perf_counter()
    scores = numpy.zeros((x_test.shape[0], classes))
    scores[:, present[numpy.bincount(y).argmax()]] = 1.0
    if len(present) < 2:
        note = "one class only in the training table"
    else:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                model = make(seed).fit(x, y)
                found = model.predict_proba(x_test) if want_scores else numpy.eye(len(present))[
                    model.predict(x_test).astype(numpy.int64)]
                scores[:] = 0.0
                scores[:, present] = found
            except (ValueError, numpy.linalg.LinAlgError):
                note = "could not be fitted: the most frequent class stands for it"
        if any(issubclass(w.category, ConvergenceWarning) for w in caught):
            note = "stopped before it converged"
    return scores, {"seconds": round(time.perf_counter() - start, 2), **({"note": note} if note else {})}


def hard_metrics(y, scores, classes):
    predicted = scores.argmax(axis=1)
    if classes == 2:
        return {"roc": float(roc_auc_score(y, predicted)),
                "prc": float(average_precision_score(y, predicted))}
    return {"f1": float(f1_score(y, predicted, average="weighted"))}


def score_metrics(y, scores, classes):
    """AUC and average precision; with several classes the mean of one-against-rest over the
    classes that the test table has."""
    positives = [1] if classes == 2 else [c for c in range(classes) if 0 < (y == c).sum() < len(y)]
    return {"auc": float(numpy.mean([roc_auc_score(y == c, scores[:, c]) for c in positives])),
            "ap": float(numpy.mean([average_precision_score(y == c, scores[:, c]) for c in positives]))}


def _tables(synthetic, test, settings, seed, thinning):
    """The classifiers' training table depends on the seed; every method meets the same test table."""
    classes = test.schema.classes
    majority = int(numpy.bincount(labels(test)[labels(test) < classes], minlength=classes).argmax())
    train = select(synthetic, settings["max_train"], numpy.random.default_rng([seed, 1]), thinning, majority)
    test = select(test, settings["max_test"], numpy.random.default_rng([settings["sampling_seed"], 2]),
                  thinning, majority)
    if len(numpy.unique(labels(test))) < 2:
        raise ValueError("the test table has one class only")
    if train.rows == 0:
        raise ValueError("the synthetic table has no labelled rows")
    return train, test


def measure_hard(synthetic, test, settings, seed, thinning, jobs):
    train, test = _tables(synthetic, test, settings, seed, thinning)
    fill, classes = medians(train), train.schema.classes
    x, x_test, y, y_test = as_codes(train, fill), as_codes(test, fill), labels(train), labels(test)
    order = SLOW_FIRST + [name for name in TWELVE if name not in SLOW_FIRST]
    fitted = joblib.Parallel(n_jobs=jobs)(
        joblib.delayed(fit)(TWELVE[name], seed, x, y, x_test, classes, False) for name in order)
    return _collect(dict(zip(order, fitted)), list(TWELVE), hard_metrics, train, y_test, classes)


def measure_scores(synthetic, test, settings, seed, jobs):
    train, test = _tables(synthetic, test, settings, seed, 1.0)
    fill, classes = medians(train), train.schema.classes
    scale = standardisation(train, fill)
    codes = as_codes(train, fill), as_codes(test, fill)
    one_hot = as_one_hot(train, fill, scale), as_one_hot(test, fill, scale)
    models = {"gradient boosting": codes, "logistic regression": one_hot, "XGBoost": codes}
    y, y_test = labels(train), labels(test)
    fitted = joblib.Parallel(n_jobs=jobs)(
        joblib.delayed(fit)(TWELVE[name], seed, x, y, x_test, classes, True)
        for name, (x, x_test) in models.items())
    names = ["logistic regression", "XGBoost", "gradient boosting"]
    return _collect(dict(zip(models, fitted)), names, score_metrics, train, y_test, classes)


def _collect(fitted, names, metric, train, y_test, classes):
    each = {name: {**metric(y_test, fitted[name][0], classes), **fitted[name][1]} for name in names}
    keys = [key for key in each[names[0]] if key not in ("seconds", "note")]
    mean = {key: float(numpy.mean([each[name][key] for name in names])) for key in keys}
    return {**mean, "classes": classes, "train_rows": train.rows, "test_rows": len(y_test), "models": each}
