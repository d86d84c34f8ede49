# SPDX-License-Identifier: Apache-2.0
"""What every method of the comparison is measured by. All of it compares real with synthetic rows: NOT PRIVATE."""
import numpy
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from xgboost import XGBClassifier

import classifiers
import marginals

FINE_BINS = 100  # as MargNet measures
MODELS = {
    "lr": lambda seed: LogisticRegression(max_iter=2000, random_state=seed),
    "xgb": lambda seed: XGBClassifier(random_state=seed, n_jobs=1),
    "rf": lambda seed: RandomForestClassifier(200, random_state=seed, n_jobs=1),
}


def distances(real, made, settings):
    """Total variation to the training table, by the pinned protocol and with numbers in 100 equal bins of their bounds."""
    found = marginals.measure(real, made, settings["ways"], settings)
    fine = marginals.measure(real, made, settings["ways"], {**settings, "bins": FINE_BINS})
    found.update({f"{name}_equal{FINE_BINS}": value for name, value in fine.items() if name.startswith("tvd")})
    return found


def learned(made, test, settings, seed):
    """AUC (of several classes the mean of one against the rest) and accuracy on real test rows."""
    train = classifiers.select(made, settings["max_train"], numpy.random.default_rng([seed, 1]))
    test = classifiers.select(test, settings["max_test"], numpy.random.default_rng([settings["sampling_seed"], 2]))
    fill, classes = classifiers.medians(train), train.schema.classes
    scale = classifiers.standardisation(train, fill)
    codes = [classifiers.as_codes(table, fill) for table in (train, test)]
    one_hot = [classifiers.as_one_hot(table, fill, scale) for table in (train, test)]
    y, y_test = classifiers.labels(train), classifiers.labels(test)
    found = {}
    for name, make in MODELS.items():
        x, x_test = one_hot if name == "lr" else codes
        scores, _ = classifiers.fit(make, seed, x, y, x_test, classes, True)
        found[name] = {"auc": classifiers.score_metrics(y_test, scores, classes)["auc"],
                       "accuracy": float((scores.argmax(axis=1) == y_test).mean())}
    return found
