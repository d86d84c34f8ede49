#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""AIM, the best published tool for tables, as one more program of the bench: reads a table and its
schema, writes a synthetic table.

usage: aim.py TRAIN SCHEMA OUTPUT --eps E --delta D --seed S

What runs is AIM as the package dpmm carries it (pip install dpmm; Python 3.10 or 3.11), on
private-pgm's inference engine: the registry has private-pgm's engine (mbi) without AIM. Degree 2 as
its authors recommend for two-way marginals, models of up to 4 MB, without the package's merging of
rare values (which doubles its error on adult); everything else as the package has it. It accounts for add-remove neighbours (zCDP) and is told the number of rows for free.
Numbers are cut into 32 equal bins over the schema's bounds, integers of up to 32 values into one
bin each, missing is one more code; a drawn bin becomes a uniform number within it. The schema's log
transforms are not used: the peer gets what its users would give it.
"""
import argparse
import os
import sys

import numpy
import pandas

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tables

BINS = 32
MODEL_MB = 4


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("train", "schema", "output"):
        parser.add_argument(name)
    parser.add_argument("--eps", type=float, required=True)
    parser.add_argument("--delta", type=float, required=True)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def bins_of(column):
    """How many bins a number gets: one each where the integers are few."""
    if column.type in ("integer", "date"):
        return int(min(BINS, column.maximum - column.minimum + 1))
    return BINS


def width_of(column):
    span = column.maximum - column.minimum + (1 if column.type in ("integer", "date") else 0)
    return span / bins_of(column)


def encode(column, values):
    if column.kind == "category":
        return values, column.codes
    bins = bins_of(column)
    missing = numpy.isnan(values)
    codes = numpy.floor((numpy.where(missing, column.minimum, values) - column.minimum) / width_of(column))
    codes = numpy.where(missing, bins, numpy.clip(codes, 0, bins - 1)).astype(numpy.int64)
    return codes, bins + (1 if column.missing_allowed else 0)


def decode(column, codes, random):
    """Cells as text, which is what the bench reads."""
    if column.kind == "category":
        texts = {code: text for text, code in reversed(column.spellings.items())}
        if column.missing_allowed:
            texts[column.count] = column.missing_values[0]
        return [texts[int(code)] for code in codes]
    values = column.minimum + (codes + random.random(len(codes))) * width_of(column)
    values = numpy.minimum(numpy.floor(values) if column.type in ("integer", "date") else values, column.maximum)
    return [column.missing_values[0] if code == bins_of(column) else _text(column, value)
            for code, value in zip(codes, values)]


def _text(column, value):
    if column.type == "date":
        return str(numpy.datetime64(int(value), "D"))
    if column.type == "datetime":
        return str(numpy.datetime64(int(value), "s")) + "Z"
    return str(int(value)) if column.type == "integer" else repr(float(value))


def main():
    args = arguments()
    try:
        from dpmm.models.aim import AIMGM
    except ImportError:
        sys.exit("aim.py: the package dpmm is not there: pip install dpmm into an environment of its own "
                 "and name its python with --aim-python")
    schema = tables.read_schema(args.schema)
    train = tables.read_table(args.train, schema)
    coded = [encode(column, values) for column, values in zip(schema.columns, train.values)]
    names = [f"c{i}" for i in range(len(coded))]
    frame = pandas.DataFrame({name: codes for name, (codes, _) in zip(names, coded)})
    domain = {name: size for name, (_, size) in zip(names, coded)}
    state = numpy.random.RandomState(args.seed)
    peer = AIMGM(epsilon=args.eps, delta=args.delta, degree=2, max_model_size=MODEL_MB, compress=False, domain=domain,
                 random_state=state, n_jobs=1)
    peer.set_domain(domain)
    peer.fit(frame)
    drawn = peer.generate(n_records=train.rows)
    random = numpy.random.default_rng(args.seed)
    cells = {column.name: decode(column, drawn[name].to_numpy(), random)
             for name, column in zip(names, schema.columns)}
    pandas.DataFrame(cells).to_csv(args.output, index=False)


if __name__ == "__main__":
    main()
