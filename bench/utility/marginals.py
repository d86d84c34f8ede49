"""Total variation distance between low-order marginals of two tables.

For a set of columns: half the L1 distance of the two empirical joint histograms over the public
domain. Cells are proper tuples: one cell per combination, never sums or products of codes.
"""
import itertools
import math

import numpy

DENSE_CELLS = 1 << 22  # above this a histogram is kept as the list of its occupied cells


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


def measure(real, synthetic, ways, settings):
    """Mean distance for each way; says how many of how many column sets were used."""
    if synthetic.rows == 0:
        raise ValueError("the synthetic table has no rows")
    real_codes, sizes = discretise(real, settings["bins"])
    synthetic_codes, _ = discretise(synthetic, settings["bins"])
    metrics = {}
    for way in ways:
        if way > len(sizes):
            continue
        sets, total = column_sets(len(sizes), way, settings["column_sets"], settings["sampling_seed"])
        distances = [distance(real_codes, synthetic_codes, sizes, s) for s in sets]
        metrics[f"tvd_{way}way"] = float(numpy.mean(distances))
        metrics[f"sets_{way}way"] = [len(sets), total]
    return metrics
