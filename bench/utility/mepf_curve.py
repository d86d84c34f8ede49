#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Accuracy against epsilon of image sets that mepf.sh made, as SVG.

usage: mepf_curve.py RESULTS.jsonl OUTPUT.svg

A line of RESULTS holds "epsilon", "steps" (0: as many as the program chooses) and "accuracy": {"logistic regression": A,
"CNN": A} of one run; lines of the same number of steps are joined. Every number was computed from real records and is NOT PRIVATE.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ron"))
import plot  # noqa: E402


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        runs = sorted((json.loads(text) for text in file if text.strip()), key=lambda run: run["epsilon"])
    lines = [(f"{model}, {steps or 'all'} steps", [(run["epsilon"], run["accuracy"][model]) for run in runs if run["steps"] == steps])
             for steps in sorted({run["steps"] for run in runs}) for model in ("CNN", "logistic regression")]
    plot.plot(sys.argv[2], "MNIST by mepf: accuracy on real test images (NOT PRIVATE)", "epsilon", "accuracy", lines,
              log_x=True, y_range=(0.7, 1.0))


if __name__ == "__main__":
    main()
