#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Render a results file as the page bench/RESULTS.md.

usage: table.py RESULTS.jsonl > bench/RESULTS.md

One table per protocol: mean over seeds, with the standard deviation where there are several; the
real table's figure and the fraction of it that is kept; the floors; published figures from
published.json; what was asked of the default method from targets.json first. Lines measured under other limits than protocol.json's are left out and counted.
"""
import json
import os
import statistics
import sys

import store
import targets

HERE = os.path.dirname(os.path.abspath(__file__))
LAST = ("independent", "shuffled")


def load(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return json.load(file)


def within_protocol(line, protocol):
    limits = line["limits"]
    known = ("max_train", "max_test", "images", "images_slow")
    return all(limits[name] == protocol[name] for name in known if name in limits)


def group(lines):
    """{(part, set): {(method, eps, delta, neighbours, options, noise): [line per seed]}}; the latest counts."""
    latest = {}
    for line in lines:
        setting = (line["method"], line["eps"], line["delta"], line["neighbours"], tuple(line["options"]), line.get("noise"))
        latest[(line["part"], line["set"]), setting, line["seed"]] = line
    grouped = {}
    for (place, setting, _), line in latest.items():
        grouped.setdefault(place, {}).setdefault(setting, []).append(line)
    return grouped


def order(setting):
    """Real first, then methods from large epsilon to small, floors last."""
    method, eps = setting[0], setting[1]
    rank = 0 if method == "real" else 2 if method in LAST else 1
    return rank, -float(eps) if eps is not None else 0.0, method, str(setting[2:])


def value_of(metrics, path):
    for name in path:
        metrics = metrics.get(name) if isinstance(metrics, dict) else None
    return metrics


def values_of(lines, path):
    found = [value_of(line["metrics"], path) for line in lines]
    return [value for value in found if value is not None]


def show(values, digits):
    if not values:
        return "-"
    if all(isinstance(value, int) for value in values):
        return "-".join(f"{value}" for value in sorted({min(values), max(values)}))
    text = f"{statistics.fmean(values):.{digits}f}"
    return text + (f" ± {statistics.stdev(values):.{digits}f}" if len(values) > 1 else "")


def fraction(values, real):
    if not values or not real or statistics.fmean(real) == 0:
        return "-"
    return f"{statistics.fmean(values) / statistics.fmean(real):.3f}"


def number(value):
    return "-" if value is None else value if isinstance(value, str) else f"{value:g}"


def cell(text):
    """Nothing that comes from a file may break out of a table cell."""
    return str(text).replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")


class Page:
    def __init__(self, lines, published, protocol):
        self.lines = [line for line in lines if within_protocol(line, protocol)]
        self.left_out = len(lines) - len(self.lines)
        self.grouped = group(self.lines)
        self.published, self.protocol = published, protocol
        self.cited = []
        self.out = []

    def add(self, *lines):
        self.out.extend(lines)

    def prose(self, text):
        self.add(*text.splitlines())

    def sets(self, part):
        return sorted({place[1] for place in self.grouped if place[0] == part})

    def cite(self, source):
        if source not in self.cited:
            self.cited.append(source)
        return f"[{self.cited.index(source) + 1}]"

    def rows(self, part, name, columns, digits, fractions):
        """Rows of one data set: ours, then published."""
        settings = self.grouped[part, name]
        real = [lines for setting, lines in settings.items() if setting[0] == "real"]
        real = real[0] if real else []
        for setting in sorted(settings, key=order):
            lines = settings[setting]
            kept = [fraction(values_of(lines, path), values_of(real, path)) for path in fractions]
            cells = [show(values_of(lines, path), digits) for _, path in columns]
            yield self.row(name, self.title(setting), setting[1], setting[3], cells,
                           kept if setting[0] != "real" else [], fractions) + [len(lines), seconds(lines)]
        yield from self.published_rows(part, name, columns, digits, fractions)

    def published_rows(self, part, name, columns, digits, fractions):
        entries = [e for e in self.published["entries"] if e["part"] == part and e["set"] == name]
        for entry in entries:
            cells = [show(values_of([entry], path), digits) for _, path in columns]
            if all(text == "-" for text in cells):
                continue
            real = [e for e in entries if e["method"] == "real" and e["source"] == entry["source"]]
            kept = [fraction(values_of([entry], path), values_of(real, path)) for path in fractions]
            title = f"*{entry['method']}* {self.cite(entry['source'])}"
            yield self.row(name, title, entry["eps"], entry["neighbours"], cells,
                           kept if entry["method"] != "real" else [], fractions) + ["", ""]

    def title(self, setting):
        options = f" `{' '.join(setting[4])}`" if setting[4] else ""
        options += f" (delta {number(setting[2])})" if setting[2] not in (None, 1e-5) else ""
        options += " (no noise)" if setting[5] else ""
        return f"**{setting[0]}**{options}" if setting[1] is not None else setting[0] + options

    def row(self, name, title, eps, neighbours, cells, kept, fractions):
        row = [name, title, number(eps), neighbours or "-", *cells]
        return row + ([" / ".join(kept) or "-"] if fractions else [])

    def table(self, part, names, columns, digits=3, fractions=()):
        header = ["data", "method", "eps", "neighbours"] + [title for title, _ in columns]
        header += ["of real"] if fractions else []
        header += ["seeds", "CPU s"]
        body = [row for name in names for row in self.rows(part, name, columns, digits, fractions)]
        self.add("| " + " | ".join(header) + " |", "|" + "---|" * len(header))
        self.add(*("| " + " | ".join(cell(c) for c in row) + " |" for row in body), "")

    def command(self, script, part, inputs):
        """The commands that measure what the table shows: one for each delta, relation and options."""
        start = lambda noise: [f"bench/utility/{script}", *inputs,
                               f"--program build/release/{'bench/semblance-without-noise' if noise else 'semblance'}",
                               "--results bench/results/utility.jsonl"]
        kinds = {}
        for line in self.lines:
            if line["part"] == part and line["eps"] is not None:
                kind = line["delta"], line["neighbours"], tuple(line["options"]), line.get("noise")
                kinds.setdefault(kind, []).append(line)
        self.add("", "```")
        for (delta, neighbours, options, noise), lines in kinds.items():
            listed = lambda key: ",".join(dict.fromkeys(number(line[key]) for line in lines))
            words = [f"--methods {listed('method')}", f"--eps {listed('eps')}", f"--seeds {listed('seed')}",
                     f"--delta {number(delta)}", f"--neighbours {neighbours}"]
            self.add(" ".join(start(noise) + words + [f"--option={option}" for option in options]))
        if not kinds:
            self.add(" ".join([*start(None), "--methods ''"]))
        self.add("```", "")


def seconds(lines):
    """Processor seconds of synth, mean over seeds: the wall clock tells what else the machine did."""
    times = [line["seconds"]["synth_cpu"] for line in lines if "synth_cpu" in line["seconds"]]
    return show(times, 1)


def peer(page):
    """AIM and the default on the same table, under the same relation, in the same run."""
    cells = {}
    for part, columns in (("marginals", ["tvd_1way", "tvd_2way", "tvd_3way"]), ("scores", ["auc", "ap"])):
        for name in page.sets(part):
            for setting, lines in page.grouped[part, name].items():
                if setting[0] in ("aim", "auto"):
                    digits = 4 if part == "marginals" else 3
                    cells.setdefault((name, setting[1:4]), {}).setdefault(setting[0], {"CPU s": seconds(lines)}).update(
                        {column: show(values_of(lines, [column]), digits) for column in columns})
    both = {place: found for place, found in cells.items() if len(found) == 2}
    if not both:
        return
    page.prose("""## Beside the best published tool

AIM (McKenna et al. 2022) as the package dpmm carries it, degree 2, models of up to 4 MB, numbers in 32 equal bins
(`aim.py`), and `auto`, on the same table, relation and processor, one after the other. Distances to the training table;
AUC and average precision from scores, mean of three models. dpmm's AIM stays behind what private-pgm's own reached
under this protocol, which the tables below list as *AIM*.""")
    header = ["data", "eps", "neighbours", "method", "1-way", "2-way", "3-way", "AUC", "AP", "CPU s"]
    page.add("", "| " + " | ".join(header) + " |", "|" + "---|" * len(header))
    for (name, (eps, _, neighbours)), found in sorted(both.items(), key=str):
        for method in ("aim", "auto"):
            row = [found[method].get(key, "-") for key in ("tvd_1way", "tvd_2way", "tvd_3way", "auc", "ap", "CPU s")]
            page.add(f"| {cell(name)} | {number(eps)} | {neighbours} | {method} | " + " | ".join(row) + " |")
    page.add("")


def classifiers(page):
    names = page.sets("classifiers")
    if not names:
        return
    page.prose("""## Twelve classifiers, hard labels

Trained on synthetic rows, tested on real ones; mean over the twelve. ROC and PRC are computed from
predicted labels, as the papers do it. The majority class is thinned in both tables where
`protocol.json` says so. Papers used other splits of the data, so compare fractions of real, not the
figures themselves.""")
    page.command("run.py", "classifiers", ["--data DATA"])
    classes = {name: next(iter(page.grouped["classifiers", name].values()))[0]["metrics"]["classes"] for name in names}
    two = [name for name in names if classes[name] == 2]
    more = [name for name in names if classes[name] > 2]
    if two:
        page.table("classifiers", two, [("ROC", ["roc"]), ("PRC", ["prc"])], fractions=[["roc"], ["prc"]])
    if more:
        page.add("More than two classes: F1 weighted by class.", "")
        page.table("classifiers", more, [("F1", ["f1"])], fractions=[["f1"]])


SHORT = (("logistic", "logistic regression"), ("GNB", "Gaussian NB"), ("BNB", "Bernoulli NB"), ("SVM", "linear SVM"),
         ("tree", "decision tree"), ("LDA", "LDA"), ("AdaBoost", "AdaBoost"), ("bagging", "bagging"), ("forest", "random forest"),
         ("GBM", "gradient boosting"), ("MLP", "MLP"), ("XGB", "XGBoost"))


def by_classifier(page):
    """The twelve one by one, as the DP-MERF paper's supplement K.2 has them for credit and intrusion."""
    kinds = [(metric, names) for metric, names in (
        (metric, [name for name in page.sets("classifiers") if any(
            values_of(lines, ["models", model, metric]) for lines in page.grouped["classifiers", name].values() for _, model in SHORT)])
        for metric in ("roc", "prc", "f1")) if names]
    if not kinds:
        return
    page.add("## The twelve classifiers one by one", "", "The lines of the tables above, classifier by classifier.", "")
    for metric, names in kinds:
        page.add(f"### {metric.upper()}", "")
        page.table("classifiers", names, [(short, ["models", model, metric]) for short, model in SHORT])


def scores(page):
    names = page.sets("scores")
    if not names:
        return
    page.prose("""## Scores

AUC / average precision from scores, no thinning: logistic regression (LR) on one-hot columns and
standardised numbers, XGBoost (XGB) and gradient boosting (GB) on codes. With more than two classes:
mean of one class against the rest. `of real` is of the mean over the three.""")
    page.command("run.py", "scores", ["--data DATA"])
    models = (("LR", "logistic regression"), ("XGB", "XGBoost"), ("GB", "gradient boosting"))
    columns = [(f"{short} {metric.upper()}", ["models", model, metric])
               for short, model in models for metric in ("auc", "ap")]
    page.table("scores", names, columns, fractions=[["auc"], ["ap"]])


def marginals(page):
    names = page.sets("marginals")
    if not names:
        return
    bins, sets = page.protocol["bins"], page.protocol["column_sets"]
    page.prose(f"""## Marginals

Mean total variation distance to the training table; less is better. Numbers in {bins} equal bins
over the public bounds, missing as one more value; all column sets, or a seeded sample of {sets:,}
where there are more. `real` is the test table against the training table: what sampling alone
costs. `independent` draws each column on its own from its exact distribution: the floor.""")
    page.command("run.py", "marginals", ["--data DATA"])
    page.table("marginals", names, [(f"{w}-way", [f"tvd_{w}way"]) for w in page.protocol["ways"]], 4)
    outside = sum(line["metrics"].get("out_of_domain", 0) for line in page.lines
                  if line["part"] == "marginals" and line["eps"] is not None)
    page.add(f"Synthetic cells outside the schema's domain, over all tables above: {outside}.", "")


def discretised(page):
    names = page.sets("discretised")
    if not names:
        return
    page.prose("""## Marginals of discretised tables

The papers' discretised copies of Adult, no label, all 3- and 4-way column sets, proper cells. The
papers' own code merges cells, which makes its figures smaller than they are: those stand beside them
where they were measured.""")
    page.command("npy_table.py", "discretised", ["DATA/adult/*.npy"])
    page.table("discretised", names, [("3-way", ["tvd_3way"]), ("4-way", ["tvd_4way"]),
                                       ("3-way, merged cells", ["tvd_3way_merged"]),
                                       ("4-way, merged", ["tvd_4way_merged"])], 4)


def grid(page):
    if not page.sets("grid"):
        return
    page.prose("""## The 2-D grid

25 Gaussians in five classes. Negative log-likelihood per point, by the authors' code (normaliser of
one dimension; the data's own is 3.529) and with the proper density (2.838); modes of 25; share of
points within three deviations of a centre of their class.""")
    page.command("grid.py", "grid", [])
    page.table("grid", ["grid"], [("NLL, code", ["nll_code"]), ("NLL", ["nll"]), ("modes", ["modes"]),
                                  ("within 3 s", ["within_3s"]), ("least mode", ["least_mode"])])


def images(page):
    names = page.sets("images")
    if not names:
        return
    most, fewer = page.protocol["images"], page.protocol["images_slow"]
    page.prose(f"""## Images

Accuracy on the real test images of classifiers trained on synthetic ones: the mean of the twelve of
the DP-MERF paper, with its settings (XGBoost with histograms), and some of them by name; a small CNN
beside them. Trained on {most:,} images; the slow ones (logistic regression, linear SVM, AdaBoost,
gradient boosting, MLP) on {fewer:,} of them. The papers used {most:,} for all. Constants were chosen
on a part of the training images, never on the test images. CIFAR-10, by networks of convolutions, is on
[PAPERS](../docs/PAPERS.md#dp-mepf).""")
    page.command("images.py", "images", ["--data DATA"])
    columns = [("mean of 12", ["accuracy"])]
    columns += [(short, ["models", name, "accuracy"]) for short, name in (
        ("logistic", "logistic regression"), ("MLP", "MLP"), ("CNN", "CNN"), ("forest", "random forest"),
        ("LDA", "LDA"), ("SVM", "linear SVM"), ("tree", "decision tree"), ("XGB", "XGBoost"), ("GBM", "gradient boosting"),
        ("bagging", "bagging"), ("AdaBoost", "AdaBoost"), ("GNB", "Gaussian NB"), ("BNB", "Bernoulli NB"))]
    page.table("images", names, columns, fractions=[["accuracy"]])


def sources(page):
    if page.cited:
        page.add("## Sources", "")
        page.add(*(f"{i}. {page.published['sources'][s]}" for i, s in enumerate(page.cited, 1)), "")


def provenance(page):
    page.add("## How these were measured", "")
    machines = sorted({f"{l['machine']['cpu']}, {l['machine']['cores']} cores" for l in page.lines})
    versions = sorted({f"{l['version'] if l['method'] == 'aim' else 'semblance ' + l['version']} (build {l['build']})"
                       for l in page.lines if l.get("version")})
    libraries = sorted({", ".join(f"{k} {v}" for k, v in l["libraries"].items() if k != "pandas")
                        for l in page.lines if "sklearn" in l["libraries"]})
    page.add(*(f"- machine: {m}" for m in machines), *(f"- {v}" for v in versions),
             *(f"- {text}" for text in libraries))
    noted = {}
    for line in page.lines:
        for model, result in line["metrics"].get("models", {}).items():
            if "note" in result:
                noted.setdefault((model, result["note"]), set()).add(line["set"])
    page.add(*(f"- {model}: {note} ({', '.join(sorted(where))})" for (model, note), where in sorted(noted.items())))
    if page.left_out:
        page.add(f"- {page.left_out} lines measured under other limits than the protocol's are not shown")
    page.add("")


def scale(page, lines):
    """What large tables cost: generated ones, so that any size can be had."""
    page.prose("""## Large tables

`auto` at epsilon 1, replace-one, two threads, on generated tables (`bench/utility/scale.py`); reading and writing are
included, and what `marginals` takes for the same file says what they are. Processor seconds are comparable, wall
seconds only with the load that the machine had. The plan promises the memory of the fit before a record is read; `-` was not measured.

```
bench/utility/scale.py --results bench/results/scale.jsonl
```
""")
    page.add("", "| table | columns | rows | CPU s | `marginals` CPU s | wall s (load, cores) | memory, MB | planned for the fit, MB |",
             "|---|---|---|---|---|---|---|---|")
    for line in {line["table"]: line for line in lines}.values():
        page.add(f"| {line['table']} | {line['columns']} | {line['rows']} | {line['cpu_seconds']} | "
                 f"{line['marginals_cpu_seconds']} | {line['seconds']} ({line['load']}, {line['cores']}) | "
                 f"{line['peak_mb'] or '-'} | {line['planned_mb']} |")
    page.add("")


def render(lines, published, protocol, asked=None, large=()):
    page = Page(lines, published, protocol)
    page.prose("""# Results

<!-- Generated by bench/utility/table.py from bench/results/utility.jsonl: do not edit. -->

**NOT PRIVATE**: every figure is computed from real records of public data sets, to judge the methods.
Fitted at the given epsilon; delta 1e-5 unless a command says otherwise. *No noise* is the same plan by a program
that adds none and protects no one (bench/without_noise): what privacy costs. Mean ± standard deviation
over seeds where there are several. The constants of `merf` were chosen on the test tables of adult,
census, credit and intrusion, so its figures there are somewhat optimistic (docs/mechanisms/merf.md).
`DATA` is a folder of data set folders. More on RON-Gauss is on [a page of its own](../docs/results-ron.md), on DP-HP on
[another](../docs/results-hp.md), on a hospital's table end to end on [a third](../docs/results-hospital.md). This page is made by

```
bench/utility/table.py bench/results/utility.jsonl > bench/RESULTS.md
```
""")
    page.add("")
    if not page.lines:
        page.add("Nothing has been measured yet.", "")
    if page.lines and asked is not None:
        targets.section(page, asked, seconds)
    for section in (peer, classifiers, by_classifier, scores, marginals, discretised, grid, images, sources):
        section(page)
    if large:
        scale(page, large)
    if page.lines:
        provenance(page)
    return "\n".join(page.out).rstrip("\n") + "\n"


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    if not os.path.isfile(sys.argv[1]):
        sys.exit(f"table.py: {sys.argv[1]} is no file: bench/utility/run.py makes it")
    lines, damaged = store.read_lines(sys.argv[1])
    if damaged:
        print(f"table.py: {damaged} unreadable lines are left out", file=sys.stderr)
    beside = os.path.join(os.path.dirname(sys.argv[1]), "scale.jsonl")
    large = []
    if os.path.isfile(beside):
        with open(beside, encoding="utf-8") as file:
            large = [json.loads(text) for text in file if text.strip()]
    sys.stdout.write(render(lines, load("published.json"), load("protocol.json"), load("targets.json"), large))


if __name__ == "__main__":
    main()
