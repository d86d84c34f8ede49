# SPDX-License-Identifier: Apache-2.0
"""The first section of bench/RESULTS.md: what `auto` was asked to reach (targets.json), what it
reached, and what the floor gives in the same setting. What falls short, what the floor does better
and what was not run is said in words below the tables; nothing is left out because of its figure.
"""
import statistics
import textwrap


class Figure:
    """One figure of one setting: ours, its target, the floor's (with the label and without), the real table's."""

    def __init__(self, page, targets, question, row, name):
        self.question, self.row, self.name = question, row, name
        self.label = targets["names"][name]
        self.better_when_less = question["kind"] == "distance"
        path = name.split("/")
        lines = {method: lines_of(page, targets, question["part"], row, method)
                 for method in (targets["method"], targets["floor"])}
        self.lines = lines[targets["method"]]
        self.floor_seeds = len(lines[targets["floor"]])
        self.ours, self.floor = (values(lines[m], path) for m in (targets["method"], targets["floor"]))
        unlabelled = {**row, "set": row["set"] + "_unlabelled"}
        self.columns = values(lines_of(page, targets, question["part"], unlabelled, targets["floor"]), path)
        self.reals = real_lines(page, question["part"], row["set"])
        self.real = values(self.reals, path)
        self.asked = row["figures"][name]

    @property
    def seeds(self):
        return len(self.lines)

    def scaled(self, found):
        """A distance as it is; a figure of classifiers as a part of the real table's."""
        if not found or (not self.better_when_less and not self.real):
            return None
        mean = statistics.fmean(found)
        return mean if self.better_when_less else mean / statistics.fmean(self.real)

    @property
    def target(self):
        return self.scaled(self.floor) if self.asked == "floor" else self.asked

    def behind(self, bar):
        """By how much ours is worse than `bar`; not above 0 where it is as good; None where one is missing."""
        mine = self.scaled(self.ours)
        if mine is None or bar is None:
            return None
        return mine - bar if self.better_when_less else bar - mine

    @property
    def place(self):
        return f"{self.row['set']}, epsilon {self.row['eps']:g}, {self.row['neighbours']}, {self.label}"

    def text(self, found):
        part = self.scaled(found)
        if part is None:
            return "-"
        if not self.better_when_less:
            return f"{part:.3f} ({statistics.fmean(found):.3f})"
        return f"{part:.4f}" + (f" ± {statistics.stdev(found):.4f}" if len(found) > 1 else "")

    def verdict(self):
        gap = self.behind(self.target)
        if gap is None:
            return "not run"
        if gap > 0:
            return f"short by {gap:.{4 if self.better_when_less else 3}f}"
        return "yes" if self.seeds_met == self.seeds else f"yes ({self.seeds_met} of {self.seeds} seeds)"

    def furthest_behind(self, count=2):
        """Of a mean over classifiers: those that lose most against the real table, with their figures."""
        models = self.lines[0]["metrics"].get("models", {}) if self.lines and "/" not in self.name else {}
        found = lambda lines, model: values(lines, ["models", model, self.name])
        both = [(model, found(self.lines, model), found(self.reals, model)) for model in models]
        means = [(model, statistics.fmean(ours), statistics.fmean(real)) for model, ours, real in both if ours and real]
        means.sort(key=lambda item: item[1] - item[2])
        return ", ".join(f"{model} {ours:.3f} (real {real:.3f})" for model, ours, real in means[:count])

    @property
    def seeds_met(self):
        """How many seeds reach the target one by one."""
        parts = [self.scaled([value]) for value in self.ours]
        return sum(part <= self.target if self.better_when_less else part >= self.target for part in parts)

    def cells(self, cpu):
        asked = "the floor" if self.asked == "floor" else f"{self.asked:g}"
        return [self.row["set"], f"{self.row['eps']:g}", self.row["neighbours"], self.label, self.text(self.ours),
                asked, self.verdict(), self.text(self.floor), self.text(self.columns), str(self.seeds or "-"),
                cpu(self.lines)]


def lines_of(page, targets, part, row, method):
    setting = method, float(row["eps"]), targets["delta"], row["neighbours"], (), None
    return page.grouped.get((part, row["set"]), {}).get(setting, [])


def real_lines(page, part, name):
    found = page.grouped.get((part, name), {})
    return next((lines for setting, lines in found.items() if setting[0] == "real"), [])


def values(lines, path):
    out = []
    for line in lines:
        found = line["metrics"]
        for name in path:
            found = found.get(name) if isinstance(found, dict) else None
        if found is not None:
            out.append(found)
    return out


def command(targets, question, figures):
    """One line for each relation and data set of the question."""
    kinds = {}
    for figure in figures:
        kinds.setdefault((figure.row["set"], figure.row["neighbours"]), []).append(figure)
    for (name, neighbours), own in kinds.items():
        epsilons = ",".join(dict.fromkeys(f"{figure.row['eps']:g}" for figure in own))
        seeds = max(max(figure.seeds for figure in own), 1)
        methods = [targets["method"]] + ([targets["floor"]] if any(f.floor_seeds for f in own) else [])
        yield (f"bench/utility/run.py --data DATA --sets {name} --methods {','.join(methods)} --eps {epsilons} "
               f"--neighbours {neighbours} --parts {question['part']} --seeds {','.join(map(str, range(seeds)))}")


def words(targets, figures):
    """What the tables show, in sentences."""
    name = f"`{targets['method']}`"
    behind = lambda f: f"; furthest behind: {f.furthest_behind()}" if f.furthest_behind() else ""
    short = [f"{f.place}: {f.verdict()}{behind(f)}" for f in figures if (f.behind(f.target) or 0) > 0]
    floor = [f"{f.place}: the floor has {f.text(f.floor)}, {name} {f.text(f.ours)}" for f in figures
             if f.asked != "floor" and (f.behind(f.scaled(f.floor)) or 0) > 0]
    columns = [f"{f.place}: without a label the floor has {f.text(f.columns)}, {name} {f.text(f.ours)}"
               for f in figures if (f.behind(f.scaled(f.columns)) or 0) > 0]
    seeds = [f"{f.place}: {f.seeds_met} of {f.seeds} seeds" for f in figures
             if f.verdict().startswith("yes") and f.seeds_met < f.seeds]
    absent = [f.place for f in figures if f.behind(f.target) is None]
    met = sum((f.behind(f.target) or 0) <= 0 and f.behind(f.target) is not None for f in figures)
    yield f"{met} of {len(figures)} figures reach their target."
    for title, items in (("These fall short", short), ("Of these the mean reaches it, but not every seed", seeds),
                         (f"Of these the floor is better than {name}", floor),
                         (f"Of these the floor without a label is better than {name}", columns),
                         ("Not run", absent)):
        yield from ["", f"{title}:", "", *(f"- {item}" for item in items)] if items else ["", f"{title}: none."]


def section(page, targets, cpu):
    """Adds the section to the page; cpu(lines) gives the processor seconds as text."""
    page.prose(f"""## What `{targets['method']}` reaches, and what was asked of it

The default method for tables, `pairs` ([how it works](../docs/mechanisms/pairs.md)), by the pinned protocol, delta 1e-5.
A distance (mean total variation to the training table, numbers in 8 equal bins unless said) is to be at most its
target. A figure of classifiers is the part kept of what the real training table gives, with the figure itself in
brackets, and is to be at least its target. The floor is `{targets['floor']}` in the same setting, which measures columns
within each class. Without a label (`bench/utility/unlabelled.py DATA UNLABELLED adult credit cervical`, then
`--data UNLABELLED --sets adult_unlabelled,...`) it has all the budget for one histogram a column: on small tables the
harder floor, though it knows nothing of the class. Mean ± standard deviation where there are several seeds; every
seed that was run counts (the latest run of a seed, which is of the latest build). The number of seeds is that of
`{targets['method']}`; the floor's classifiers have one, and `-` was not run. CPU s are the program's processor seconds, user and
system, for the whole command, reading and writing included.

Nothing was tuned while this was measured, and test tables serve for figures only. But the constants of `pairs` were
chosen before, with a prototype, on the tables of adult, census, credit and cervical: figures there are somewhat
optimistic. Intrusion is not among them.

Under add-remove the number of rows is private, and a run declares a public guess, n to one digit (`--expect-rows`),
and draws as many rows as it released by a noisy count, not n itself.
Census and intrusion are run under add-remove only: under replace-one the program refuses delta 1e-5 for that many rows,
because it is not below 1/n. Figures further down that say replace-one there are older than this rule.
""")
    everything = []
    for question in targets["questions"]:
        figures = [Figure(page, targets, question, row, name) for row in question["rows"] for name in row["figures"]]
        everything += figures
        header = ["data", "eps", "neighbours", "figure", "reached", "target", "met", "floor", "floor, no label",
                  "seeds", "CPU s"]
        page.add("", f"### {question['title']}", "", "```", *command(targets, question, figures), "```", "",
                 "| " + " | ".join(header) + " |", "|" + "---|" * len(header),
                 *("| " + " | ".join(figure.cells(cpu)) + " |" for figure in figures),
                 *(["", textwrap.fill(question["remark"], 118)] if "remark" in question else []))
    page.add("", "### In words", "", *words(targets, everything), "")
