# SPDX-License-Identifier: Apache-2.0
"""The table of a sweep: means over data sets, and how far noise alone would move them.

The noise of one run (privacy noise, frequencies, weights) is estimated per data set from the spread over
seeds, pooled over the configurations; a difference from the default below THRESHOLD standard errors is not told
from none. With about fourteen comparisons, one of them passes 2 standard errors by chance every other time;
3 is the 5 % level for all together.
"""
import json
import math
import os

MODELS = {"logistic": "logistic regression", "trees": "XGBoost"}
THRESHOLD = 3.0


def read(path, limits):
    """The latest line of each job under these limits; half a line at the end is passed over."""
    latest = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for text in file:
                try:
                    line = json.loads(text)
                except ValueError:
                    continue
                if line.get("limits") == limits:
                    latest[line["configuration"], line["set"], line["seed"]] = line
    return list(latest.values())


def measures(line, real):
    """What is averaged: AUC as a part of what real rows give, each and the mean; distance of pairs."""
    found = {}
    for short, name in MODELS.items():
        auc = line["scores"]["models"][name]["auc"]
        found[short] = (0.5 if auc is None else auc) / real["scores"]["models"][name]["auc"]
    found["auc"] = sum(found.values()) / len(found)
    found["tvd2"] = line["scores"]["tvd2"]
    return found


def cells(lines, of_codes):
    """{measure: {(configuration, set): [one value per seed]}}. A table without categories is run by the
    default alone for constants that only concern them."""
    real = {line["set"]: line for line in lines if line["configuration"] == "real"}
    result = {}
    for line in lines:
        if line["configuration"] == "real" or line["set"] not in real:
            continue
        for measure, value in measures(line, real[line["set"]]).items():
            result.setdefault(measure, {}).setdefault((line["configuration"], line["set"]), []).append(value)
    for found in result.values():
        ran = set(found)
        plain = {name for _, name in ran} - {name for configuration, name in ran if of_codes.get(configuration)}
        for configuration in {c for c, _ in ran if of_codes.get(c)}:
            for name in plain & {n for c, n in ran if c == "default"}:
                found[configuration, name] = found["default", name]
    return result


def variances(found, aliases):
    """Variance of one run, by data set."""
    sums = {}
    for (configuration, name), values in found.items():
        if (configuration, name) in aliases or len(values) < 2:
            continue
        mean = sum(values) / len(values)
        total, freedom = sums.get(name, (0.0, 0))
        sums[name] = (total + sum((v - mean) ** 2 for v in values), freedom + len(values) - 1)
    return {name: total / freedom for name, (total, freedom) in sums.items()}


def mean_over_sets(found, configuration, sets):
    return sum(sum(found[configuration, s]) / len(found[configuration, s]) for s in sets) / len(sets)


def error_of_difference(found, configuration, sets, variance):
    """Standard error of the difference from the default; None where seeds are too few to say."""
    if not all(name in variance for name in sets):
        return None
    total = 0.0
    for name in sets:
        if found[configuration, name] is not found["default", name]:
            total += variance[name] * (1 / len(found[configuration, name]) + 1 / len(found["default", name]))
    return math.sqrt(total) / len(sets)


def table(lines, of_codes):
    found = cells(lines, of_codes)
    if not found or not any(configuration == "default" for configuration, _ in found["auc"]):
        return "no results of the default yet"
    sets = sorted({name for configuration, name in found["auc"] if configuration == "default"})
    whole = [c for c in of_codes if all((c, name) in found["auc"] for name in sets)]
    aliases = {m: {(c, n) for (c, n), values in cell.items()
                   if c != "default" and values is cell.get(("default", n))} for m, cell in found.items()}
    spread = {m: variances(cell, aliases[m]) for m, cell in found.items()}
    rows = sorted(whole, key=lambda c: -mean_over_sets(found["auc"], c, sets))
    text = ["NOT PRIVATE: computed from real records", "",
            "AUC and its parts: of what real rows give; +-: standard error; pairs: total variation distance",
            f"data sets: {', '.join(sets)}; runs: {sum(line['configuration'] != 'real' for line in lines)}", "",
            "| configuration | AUC | less the default's | +- | | logistic | trees | pairs | less the default's | +- | |"
            + "".join(f" {name} |" for name in sets),
            "|---" * (11 + len(sets)) + "|"]
    for configuration in rows:
        parts = [configuration]
        for measure in ("auc", "tvd2"):
            cell = found[measure]
            mean = mean_over_sets(cell, configuration, sets)
            difference = mean - mean_over_sets(cell, "default", sets)
            error = error_of_difference(cell, configuration, sets, spread[measure])
            better = difference if measure == "auc" else -difference
            parts += [f"{mean:.4f}", f"{difference:+.4f}", "?" if error is None else f"{error:.4f}",
                      verdict(configuration, better, error)]
            if measure == "auc":
                parts += [f"{mean_over_sets(found[m], configuration, sets):.4f}" for m in MODELS]
        parts += [f"{sum(v) / len(v):.4f}" for v in (found["auc"][configuration, name] for name in sets)]
        text.append("| " + " | ".join(parts) + " |")
    partial = sorted({c for c, _ in found["auc"]} - set(whole))
    if partial:
        text.append(f"\nnot on every data set yet: {', '.join(partial)}")
    text.append("\nstandard deviation of one run's AUC: " + ", ".join(
        f"{name} {math.sqrt(v):.4f}" for name, v in sorted(spread["auc"].items())))
    return "\n".join(text)


def verdict(configuration, better, error):
    if configuration == "default" or error is None:
        return ""
    if abs(better) <= THRESHOLD * error:
        return "noise"
    return "better" if better > 0 else "worse"
