# SPDX-License-Identifier: Apache-2.0
"""Tables to measure a method against: no privacy, no model.

real         the training table itself; its marginals are those of the test table against it
independent  as many rows, each column drawn on its own from its exact distribution
shuffled     each column of the training table shuffled on its own: one-way marginals are exact
"""
import numpy

from tables import Table

NAMES = ("real", "independent", "shuffled")


def make(name, train, seed):
    random = numpy.random.default_rng([seed, 3])
    if name == "real":
        return train
    if name == "independent":
        values = [v[random.integers(0, train.rows, train.rows)] for v in train.values]
    elif name == "shuffled":
        values = [random.permutation(v) for v in train.values]
    else:
        raise ValueError(f"no baseline is called {name}")
    return Table(train.schema, values, 0)
