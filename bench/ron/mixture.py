# SPDX-License-Identifier: Apache-2.0
"""One Gaussian per class with original columns: adult and intrusion, a linear classifier trained on synthetic
rows and tested on a part of the training table that was set aside.

    /usr/bin/python3 bench/ron/mixture.py PROGRAM WORK FOLDER_OF_THE_DATA...

Appends JSON lines to bench/results/ron.jsonl. NOT PRIVATE: these numbers compare real with synthetic data."""

import json
import pathlib
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, roc_auc_score
from sklearn.preprocessing import StandardScaler

import studies

ROWS = 20000  # of the learner


def scores(train, test, label, columns, scaler):
    def points(table):
        return scaler.transform(pd.get_dummies(table.drop(columns=[label])).reindex(columns=columns, fill_value=0)
                                .astype(float))
    train = train.sample(n=min(ROWS, len(train)), random_state=0)
    learner = LogisticRegression(max_iter=60).fit(points(train), train[label].astype(str))
    truth, guess = test[label].astype(str), learner.predict(points(test))
    found = {"accuracy": float(np.mean(guess == truth)), "balanced_accuracy": float(balanced_accuracy_score(truth, guess))}
    if len(learner.classes_) == 2:
        found["auc"] = float(roc_auc_score(truth == learner.classes_[1], learner.predict_proba(points(test))[:, 1]))
    return found


def main():
    warnings.filterwarnings("ignore")
    program, work = sys.argv[1], pathlib.Path(sys.argv[2])
    lines = []
    for source in map(pathlib.Path, sys.argv[3:]):
        table = pd.read_csv(source / "train.csv.gz")
        label = json.loads((source / "schema.json").read_text())["semblance"]["label"]
        test = table.sample(frac=0.3, random_state=1)
        train = table.drop(test.index)
        test = test.sample(n=min(ROWS, len(test)), random_state=0)
        train.to_csv(work / "mixture.csv", index=False)
        coded = pd.get_dummies(train.drop(columns=[label]))
        scaler = StandardScaler().fit(coded.astype(float))
        found = {"real": scores(train, test, label, coded.columns, scaler)}
        for method in ("ron-gauss", "marginals"):
            for path in work.glob("mixture.out*"):
                path.unlink()
            subprocess.run([program, "synth", str(work / "mixture.csv"), "--schema", str(source / "schema.json"), "--epsilon",
                            "1", "--method", method, "-o", str(work / "mixture.out"), "--rows", str(ROWS), "-q"], check=True)
            found[method] = scores(pd.read_csv(work / "mixture.out"), test, label, coded.columns, scaler)
        for method, result in found.items():
            lines.append({"bench": source.name, "method": method, "epsilon": 1, **result})
            print(lines[-1], flush=True)
    with open(studies.RESULTS, "a") as out:
        out.writelines(json.dumps(line) + "\n" for line in lines)


if __name__ == "__main__":
    main()
