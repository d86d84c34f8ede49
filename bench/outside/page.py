# SPDX-License-Identifier: Apache-2.0
"""The tables of run.py's lines for docs/results-peers.md, which bench/peers/page.py makes. The latest line of a seed counts."""
import json
import statistics

NAMES = {"held-out": "held-out rows", "auto": "**ours**, `auto`", "pairs": "**ours**, `pairs`",
         "marginals": "floor: columns within each class (`marginals`)", "copula": "SDV GaussianCopula, without privacy"}
PARTS = {"singling-out-univariate": "singling out, one column", "singling-out-multivariate": "singling out, four columns",
         "linkability": "linkability", "inference": "inference, worst column"}


def read(path):
    """{(set, eps, method, part): [result per seed]}"""
    latest, found = {}, {}
    with open(path, encoding="utf-8") as file:
        for text in file:
            line = json.loads(text)
            latest[line["set"], line["eps"], line["method"], line["part"], line["seed"]] = line["result"]
    for key in sorted(latest, key=lambda key: key[4]):
        found.setdefault(key[:4], []).append(latest[key])
    return found


def number(value, digits):
    text = f"{value:.{digits}f}"
    return text.removeprefix("0") if text.startswith("0.") else text


def mean(results, *path, digits=4):
    values = []
    for result in results:
        for name in path:
            result = result[name]
        values.append(result)
    return number(statistics.fmean(values), digits)


def rows(header, lines):
    shown = ["| " + " | ".join(map(str, line)) + " |" for line in [header, *lines]]
    return "\n".join([shown[0], "|" + "---|" * len(header), *shown[1:]])


def keys(found, name, part):
    """(eps, method) of a set that have this part, in the order of NAMES."""
    known = [(eps, method) for owner, eps, method, kind in found if owner == name and kind == part]
    return sorted(known, key=lambda key: (list(NAMES).index(key[1]), key[0] or 0))


def reports(found, name):
    lines = []
    for eps, method in keys(found, name, "reports"):
        results = found[name, eps, method, "reports"]
        lines.append([NAMES[method], f"{eps:g}" if eps else "-", mean(results, "quality"), mean(results, "quality_properties", "Column Shapes"),
                      mean(results, "quality_properties", "Column Pair Trends"), mean(results, "diagnostic"), len(results)])
    return rows(["table", "epsilon", "quality", "column shapes", "column pair trends", "diagnostic", "seeds"], lines)


def attacks(found, name):
    lines = []
    for part, title in PARTS.items():
        for eps, method in keys(found, name, part):
            results = found[name, eps, method, part]
            risks = ", ".join(f"{number(one['risk'], 3)} ({number(one['risk_interval'][0], 3)} to {number(one['risk_interval'][1], 3)})"
                              for one in results)
            worst = "".join(f", `{column}`" for column in dict.fromkeys(one["worst"] for one in results if "worst" in one))
            lines.append([title + worst, NAMES[method], mean(results, "attack", digits=3), mean(results, "control", digits=3), risks])
    return rows(["attack", "table", "success on fitted rows", "on control rows", "risk of each seed (95 % interval)"], lines)


def section(path):
    found = read(path)
    return "\n\n".join(f"### {name.capitalize()}\n\n{reports(found, name)}\n\n{attacks(found, name)}"
                       for name in dict.fromkeys(key[0] for key in found))
