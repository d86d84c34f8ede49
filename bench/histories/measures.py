# SPDX-License-Identifier: Apache-2.0
"""How far made-up histories are from real ones: total variation (TVD) and Kolmogorov-Smirnov (KS) distances.

Numbers stand in ten bins at quantiles of the real rows. Every figure compares with real records: NOT PRIVATE.
"""
import itertools

import numpy

EVENTS = numpy.array([1, 2, 3, 4, 5, 6, 8, 11, 16, 21, 31, 41, 51])  # first number of each bin
FOLDS = {"sum": ("amount", "cost"), "nunique": ("dept", "ward", "bank"), "mean": ("y",)}


class Histories:
    """Rows, those of a person one after the other and in order; `persons` is how many there are."""

    def __init__(self, rows, unit, fields, own, order=None, persons=None):
        if order:
            rows = rows.assign(**{order: rows[order].to_numpy().astype("datetime64[D]").astype(int)})
            self.back = rows[rows.groupby(unit)[order].diff() < 0][unit].nunique()  # persons, as their rows were read
        self.rows = rows.sort_values([unit] + ([order] if order else []), kind="stable").reset_index(drop=True)
        self.unit, self.order, self.persons = unit, order, persons
        self.own, self.events = [f["name"] for f in own], [f["name"] for f in fields if f["name"] != order]
        self.fields = {f["name"]: f for f in [*own, *fields]}
        ids = self.rows[unit].to_numpy()
        self.later = numpy.flatnonzero(ids[1:] == ids[:-1]) + 1  # rows that have a previous one
        self.by = self.rows.groupby(unit, sort=True)

    def counts(self):
        """Of all persons, without rows too, where their table is known; else of those that have rows."""
        with_rows = self.by.size()
        return (with_rows if self.persons is None else with_rows.reindex(self.persons.index, fill_value=0)).to_numpy()

    def own_columns(self):
        return self.by[self.own].first() if self.persons is None else self.persons[self.own]

    def gaps(self):
        days = self.rows[self.order].to_numpy()
        return days[self.later] - days[self.later - 1]


def bins(field, real, made, parts=10):
    """Both columns as codes."""
    listed = field.get("categories", field["constraints"].get("enum"))
    if listed:
        place = {str(value): code for code, value in enumerate(listed)}
        return [column.astype(str).map(place).to_numpy().astype(int) for column in (real, made)]
    return cut(real.to_numpy(), made.to_numpy(), parts)


def cut(real, made, parts):
    edges = numpy.unique(numpy.quantile(real, numpy.arange(1, parts) / parts))
    return [numpy.searchsorted(edges, values, side="right") for values in (real, made)]


def tvd(*pairs):
    """Of the joint distribution of columns, each the codes of real and made-up rows."""
    real = made = 0
    for a, b in pairs:
        size = max(a.max(initial=0), b.max(initial=0)) + 1
        real, made = real * size + a, made * size + b
    size = max(real.max(initial=0), made.max(initial=0)) + 1
    shares = [numpy.bincount(codes, minlength=size) / max(1, len(codes)) for codes in (real, made)]
    return numpy.abs(shares[0] - shares[1]).sum() / 2


def ks(real, made):
    real, made = numpy.sort(real), numpy.sort(made)
    at = numpy.concatenate([real, made])
    return numpy.abs(numpy.searchsorted(real, at, side="right") / len(real)
                     - numpy.searchsorted(made, at, side="right") / len(made)).max()


def measure(real, made):
    """Figures by name: 0 is equal, but for constant, ordered (shares of persons) and rows_ratio (1)."""
    codes = {name: bins(field, real.rows[name], made.rows[name]) for name, field in real.fields.items()}
    mean = lambda values: float(numpy.mean([tvd(*pairs) for pairs in values]))
    out = {"columns": mean([[code] for code in codes.values()]),
           "pairs": mean(itertools.combinations(codes.values(), 2))}
    counts = [numpy.searchsorted(EVENTS, h.counts(), side="right") for h in (real, made)]
    out["events"] = tvd(counts)
    out["rows_ratio"] = float(made.counts().mean() / real.counts().mean())
    if real.own:
        own = [bins(real.fields[n], real.own_columns()[n], made.own_columns()[n]) for n in real.own]
        out["events_by_person"] = mean([(code, counts) for code in own])
        out["constant"] = float((made.by[made.own].nunique().max(axis=1) == 1).mean())
        out["person_by_event"] = mean([(codes[a], codes[b]) for a in real.own for b in real.events])
    out.update(_previous(real, made, codes, mean), **_times(real, made) if real.order else {}, **_totals(real, made))
    return {name: round(float(value), 5) for name, value in out.items()}


def _previous(real, made, codes, mean):
    if len(real.later) == 0 or len(made.later) == 0:
        return {}
    before = {n: (codes[n][0][real.later - 1], codes[n][1][made.later - 1]) for n in real.events}
    this = {n: (codes[n][0][real.later], codes[n][1][made.later]) for n in real.events}
    return {"previous": mean([(before[a], this[b]) for a in real.events for b in real.events]),
            "previous_same": mean([(before[a], this[a]) for a in real.events])}


def _times(real, made):
    gaps = real.gaps(), made.gaps()
    spans = [(h.by[h.order].max() - h.by[h.order].min()).to_numpy() for h in (real, made)]
    coded = cut(*gaps, 8)
    twice = [numpy.flatnonzero(numpy.diff(h.later) == 1) for h in (real, made)]  # a gap that another one follows
    pairs = [[code[i + shift] for code, i in zip(coded, twice)] for shift in (0, 1)]
    return {"gaps": ks(*gaps), "gap_by_gap": tvd(*pairs), "span": ks(*spans),
            "ordered": 1 - made.back / len(made.by)}


def _totals(real, made):
    """Of a person: the sum of amounts, the mean of marks, how many different places."""
    out = {}
    for name in real.events:
        word = next((w for w, names in FOLDS.items() if name in names), None)
        if word:
            values = [h.rows[name].astype(object if word == "nunique" else float) for h in (real, made)]
            out[f"{word}_{name}"] = ks(*[v.groupby(h.rows[h.unit]).agg(word) for v, h in zip(values, (real, made))])
    return out
