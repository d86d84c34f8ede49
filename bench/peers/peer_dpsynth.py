#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""google/dpsynth as one more program of the bench: reads a table and its schema, writes a synthetic table.

usage: peer_dpsynth.py TRAIN SCHEMA OUTPUT --mechanism mst|aim-gdp|swift --eps E --delta D --seed S
                       [--model-mb M] [--clique-cells C]

dpsynth and its mbi, jax (CPU) and dp_accounting must be importable. What runs is its entry point for discrete tables
(one-way tables with a tenth of the budget, then the mechanism) over the public cells of cells.py; everything else as
the package has it unless --model-mb (AIM-GDP) or --clique-cells (SWIFT), its knobs for time, say otherwise. It accounts
for add-remove neighbours and draws as many rows as its noisy total says. MST is calibrated by the package. All that
AIM-GDP and SWIFT release is Gaussian, so that they are given the exact budget of (eps, delta): the package's own search
for it divides by zero under the dp_accounting that the registry has. Prints the versions of what ran as JSON.
"""
import argparse
import importlib.metadata
import json
import os
import sys

import numpy
import pandas
from scipy.optimize import brentq
from scipy.stats import norm

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "utility"))
import cells
import tables


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("train", "schema", "output"):
        parser.add_argument(name)
    add = parser.add_argument
    add("--mechanism", choices=("mst", "aim-gdp", "swift"), required=True)
    add("--eps", type=float, required=True)
    add("--delta", type=float, required=True)
    add("--seed", type=int, default=0)
    add("--model-mb", type=int)
    add("--clique-cells", type=float)
    return parser.parse_args()


def mechanism_of(args, mechanisms):
    if args.mechanism == "mst":
        return mechanisms.MSTConfig()
    if args.mechanism == "aim-gdp":
        return mechanisms.AIMGDPConfig(**({} if args.model_mb is None else {"max_model_size": args.model_mb}))
    return mechanisms.SWIFTConfig(**({} if args.clique_cells is None else {"max_clique_size": args.clique_cells}))


def gaussian_rho(eps, delta):
    """zCDP rho = mu^2 / 2 of the Gaussian mechanisms that together are (eps, delta)-DP: exact (Balle and Wang 2018)."""
    spent = lambda mu: norm.cdf(mu / 2 - eps / mu) - numpy.exp(eps) * norm.cdf(-mu / 2 - eps / mu) - delta
    return brentq(spent, 1e-3, 50) ** 2 / 2


def calibrate(config, args):
    if args.mechanism == "mst":
        return config.calibrate(epsilon=args.eps, delta=args.delta)
    return config.configure(zcdp_rho=gaussian_rho(args.eps, args.delta))


def main():
    args = arguments()
    try:
        import dpsynth
        import jax
        import mbi
    except ImportError as error:
        sys.exit(f"peer_dpsynth.py: {error}: name the folder of google/dpsynth, and a Python that has mbi and jax")
    schema = tables.read_schema(args.schema)
    train = tables.read_table(args.train, schema)
    coders = cells.of_schema(schema, args.schema)
    names = [f"c{i}" for i in range(len(coders))]
    domain = mbi.Domain(tuple(names), tuple(coder.count for coder in coders))
    coded = {name: coder.encode(values) for name, coder, values in zip(names, coders, train.values)}
    config = dpsynth.discrete_mechanisms.DiscreteConfig(mechanism=mechanism_of(args, dpsynth.discrete_mechanisms))
    result = calibrate(config, args)(numpy.random.default_rng(args.seed), mbi.Dataset(coded, domain))
    drawn = result.synthetic_data.to_dict()
    random = numpy.random.default_rng([args.seed, 1])
    text = {column.name: coder.decode(numpy.asarray(drawn[name]), random)
            for name, coder, column in zip(names, coders, schema.columns)}
    pandas.DataFrame(text).to_csv(args.output, index=False)
    print(json.dumps({"dpsynth": dpsynth.__version__, "mbi": importlib.metadata.version("mbi"), "jax": jax.__version__,
                      "dp-accounting": importlib.metadata.version("dp-accounting")}))


if __name__ == "__main__":
    main()
