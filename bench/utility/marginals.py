# SPDX-License-Identifier: Apache-2.0
"""Total variation distance between low-order marginals of two tables.

For a set of columns: half the L1 distance of the two empirical joint histograms over the public
domain. Cells are proper tuples: one cell per combination, never sums or products of codes.
"""
import itertools
import math

import numpy

DENSE_CELLS = 1 << 22  # above this a histogram is kept as the list of its occupied cells


def equal_edges(table, bins):
    """Per column the inner edges of equal-width bins over the public bounds; None of a category."""
    return [None if column.kind == "category" else
            column.minimum + (column.maximum - column.minimum) * numpy.arange(1, bins) / bins
            for column in table.schema.columns]


def quantile_edges(table, bins):
    """The same of bins that hold equal shares of this table; values that fill several have one bin."""
    return [None if column.kind == "category" else
            numpy.unique(numpy.nanquantile(values, numpy.arange(1, bins) / bins))
            for column, values in zip(table.schema.columns, table.values)]


def cut(table, edges):
    """Codes and domain sizes, by inner edges: an edge belongs to the bin above it."""
    codes, sizes = [], []
    for column, values, inner in zip(table.schema.columns, table.values, edges):
        if inner is None:
            codes.append(values.astype(numpy.int64))
            sizes.append(column.codes)
            continue
        absent = numpy.isnan(values)
        codes.append(numpy.where(absent, len(inner) + 1, numpy.searchsorted(inner, values, side="right")))
        sizes.append(len(inner) + 1 + (1 if column.missing_allowed else 0))
    return codes, sizes


def discretise(table, bins):
    """Codes and domain sizes: numbers in equal-width bins over the bounds, missing as one more."""
    codes, sizes = [], []
    for column, values in zip(table.schema.columns, table.values):
        if column.kind == "category":
            codes.append(values.astype(numpy.int64))
            sizes.append(column.codes)
            continue
        width = column.maximum - column.minimum
        absent = numpy.isnan(values)
        unit = (numpy.where(absent, column.minimum, values) - column.minimum) / (width or 1.0)
        cell = numpy.clip((unit * bins).astype(numpy.int64), 0, bins - 1)
        codes.append(numpy.where(absent, bins, cell))
        sizes.append(bins + (1 if column.missing_allowed else 0))
    return codes, sizes


def column_sets(columns, way, limit, seed):
    """All sets of `way` columns, or a seeded sample of `limit` different ones."""
    total = math.comb(columns, way)
    if total <= limit:
        return list(itertools.combinations(range(columns), way)), total
    random = numpy.random.default_rng([seed, way])
    chosen = set()
    while len(chosen) < limit:
        chosen.add(tuple(sorted(random.choice(columns, size=way, replace=False).tolist())))
    return sorted(chosen), total


def distance(real, synthetic, sizes, columns):
    """Total variation distance over one set of columns."""
    a, b = (_cells(codes, sizes, columns) for codes in (real, synthetic))
    cells = math.prod(sizes[c] for c in columns)
    if cells > DENSE_CELLS:
        _, joined = numpy.unique(numpy.concatenate([a, b]), return_inverse=True)
        a, b, cells = joined[:len(a)], joined[len(a):], int(joined.max()) + 1
    p = numpy.bincount(a, minlength=cells) / len(a)
    q = numpy.bincount(b, minlength=cells) / len(b)
    return 0.5 * float(numpy.abs(p - q).sum())


def _cells(codes, sizes, columns):
    cell = numpy.zeros(len(codes[0]), dtype=numpy.int64)
    for c in columns:
        cell = cell * sizes[c] + codes[c]
    return cell


def mean_distance(real_codes, synthetic_codes, sizes, way, settings):
    """Mean over column sets of one size, and how many of how many were used."""
    sets, total = column_sets(len(sizes), way, settings["column_sets"], settings["sampling_seed"])
    distances = [distance(real_codes, synthetic_codes, sizes, s) for s in sets]
    return float(numpy.mean(distances)), [len(sets), total]


def measure(real, synthetic, ways, settings):
    """Mean distance for each way; says how many of how many column sets were used."""
    if synthetic.rows == 0:
        raise ValueError("the synthetic table has no rows")
    real_codes, sizes = discretise(real, settings["bins"])
    synthetic_codes, _ = discretise(synthetic, settings["bins"])
    metrics = {}
    for way in ways:
        if way <= len(sizes):
            found = mean_distance(real_codes, synthetic_codes, sizes, way, settings)
            metrics[f"tvd_{way}way"], metrics[f"sets_{way}way"] = found
    return metrics


def measure_bins(real, synthetic, settings):
    """Mean 2-way distance under each of the protocol's other bins: no grid may fit one metric only."""
    if synthetic.rows == 0:
        raise ValueError("the synthetic table has no rows")
    metrics = {}
    for name, (kind, bins) in settings["other_bins"].items():
        edges = (quantile_edges if kind == "quantile" else equal_edges)(real, bins)
        (a, sizes), (b, _) = cut(real, edges), cut(synthetic, edges)
        metrics[f"tvd_2way_{name}"], metrics["sets_2way"] = mean_distance(a, b, sizes, 2, settings)
    return metrics
