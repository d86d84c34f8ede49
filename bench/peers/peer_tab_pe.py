#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tab-PE (private evolution for tables, microsoft/DPSDA) as one more program of the bench.

usage: peer_tab_pe.py TRAIN SCHEMA OUTPUT --eps E --delta D --seed S --iterations T [--rows 1000]

DPSDA's package `pe` must be importable. What runs is the package's own example for tables (example/tabular): random
variations, no language model; 1,000 rows; 5 iterations that draw by votes and then ones that keep the rows of most
votes with three variations of each; nearest rows by scikit-learn, which finds the same as the example's torch.
Of the result the kept rows are the table, as the authors measure it. Categories and bounds are the schema's, not the
data's. The shares of the labels are taken from the records without noise and without a charge: its default, left as it
is. It accounts for add-remove neighbours; its tables have no missing values. Prints the number of rows as JSON.
"""
import argparse
import importlib
import json
import os
import sys
import types

import numpy
import pandas

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "utility"))
import cells
import tables

UNUSED = ("pe.data.image", "pe.data.text", "pe.api.image", "pe.api.text", "pe.embedding.image", "pe.embedding.text")


class Unused(types.ModuleType):
    """The package imports its parts for images and texts, which want torch and more; tables never call them."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("train", "schema", "output"):
        parser.add_argument(name)
    add = parser.add_argument
    add("--eps", type=float, required=True)
    add("--delta", type=float, required=True)
    add("--seed", type=int, default=0)
    add("--iterations", type=int, required=True)
    add("--rows", type=int, default=1000)
    return parser.parse_args()


def load():
    """What of the package is used."""
    for name in UNUSED:
        sys.modules[name] = Unused(name)
    try:
        names = ("pe.data", "pe.runner", "pe.population", "pe.api", "pe.embedding", "pe.histogram", "pe.constant.data")
        return types.SimpleNamespace(**{name.split(".")[1]: importlib.import_module(name) for name in names})
    except ImportError as error:
        sys.exit(f"peer_tab_pe.py: {error}: name the folder of microsoft/DPSDA with --dpsda")


def kinds_of(schema):
    """Names of the features by kind, in the order that the package wants: categories, integers, other numbers."""
    kinds = {"cat_columns": [], "int_columns": [], "float_columns": []}
    for place, column in enumerate(schema.columns):
        if column.missing_allowed:
            sys.exit(f"peer_tab_pe.py: column '{column.name}' may be missing, which Tab-PE has no value for")
        if place != schema.label:
            number = "int_columns" if cells.whole(column) else "float_columns"
            kinds["cat_columns" if column.kind == "category" else number].append(column.name)
    return kinds


def public_facts(pe, columns, names):
    """What the package calls info, from the schema: numbers of categories, bounds of numbers."""
    kind, info = pe.data.TabularColumnType, {}
    for name in names:
        column = columns[name]
        if column.kind == "category":
            info[name] = {"type": kind.CATEGORICAL, "categories": list(range(column.count))}
        else:
            info[name] = {"type": kind.INTEGER if cells.whole(column) else kind.FLOAT, "min": column.minimum,
                          "max": column.maximum}
    return info


def evolve(pe, private, info, args):
    """The package's example, by its constants."""
    api = pe.api.TabularAPI(info=info, mutation_rate_init=0.5, mutation_rate_final=0.01, decay_type="polynomial",
                            gamma=0.2, num_iterations=args.iterations)
    histogram = pe.histogram.NearestNeighbors(embedding=pe.embedding.TabularEmbedding(info=info), mode="L2",
                                              lookahead_degree=0, backend="sklearn")
    draw = pe.population.PEPopulation(api=api, initial_variation_api_fold=0, next_variation_api_fold=1,
                                      keep_selected=False, selection_mode="sample", histogram_threshold=0)
    keep = pe.population.PEPopulation(api=api, initial_variation_api_fold=3, next_variation_api_fold=3,
                                      keep_selected=True, selection_mode="rank")
    population = pe.population.CompositePopulation(populations=[draw] * 5 + [keep] * (args.iterations - 5))
    runner = pe.runner.PE(priv_data=private, population=population, histogram=histogram)
    return runner.run(num_samples_schedule=[args.rows] * args.iterations, delta=args.delta, epsilon=args.eps,
                      save_checkpoint=False)


def main():
    args = arguments()
    pandas.options.mode.copy_on_write = True
    pe = load()
    numpy.random.seed(args.seed)  # the package draws from numpy's global generator
    schema = tables.read_schema(args.schema)
    columns = {column.name: column for column in schema.columns}
    label = schema.columns[schema.label]
    kinds = kinds_of(schema)
    names = [name for kind in kinds.values() for name in kind]
    train = tables.read_table(args.train, schema)
    coded, facts = args.output + ".coded.csv", args.output + ".metadata.json"
    frame = pandas.DataFrame({column.name: values for column, values in zip(schema.columns, train.values)})
    frame.to_csv(coded, index=False)
    with open(facts, "w", encoding="utf-8") as file:
        json.dump({**kinds, "label_columns": [label.name]}, file)
    private = pe.data.TabularCSV(csv_path=coded, metadata_path=facts)
    made = evolve(pe, private, public_facts(pe, columns, names), args)
    constant = pe.constant
    kept = made.data_frame[made.data_frame[constant.VARIATION_API_FOLD_ID_COLUMN_NAME] == -1]
    features = pandas.DataFrame(kept[constant.TABULAR_DATA_COLUMN_NAME].tolist(), columns=names)
    classes = [made.metadata.label_info[i].column_values[label.name] for i in kept[constant.LABEL_ID_COLUMN_NAME]]
    values = {**{name: features[name].to_numpy() for name in names}, label.name: numpy.asarray(classes)}
    text = {name: cells.category_texts(column, values[name]) if column.kind == "category" else
            [cells.number_text(column, value) for value in values[name]] for name, column in columns.items()}
    pandas.DataFrame(text).to_csv(args.output, index=False)
    for path in (coded, facts):
        os.remove(path)
    print(json.dumps({"rows": len(kept)}))


if __name__ == "__main__":
    main()
