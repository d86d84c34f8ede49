#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Marginals of discretised tables: .npy arrays of integer codes, one row per record.

Each column becomes a category whose codes run from the array's smallest to its largest value: of
public copies of Adult these are the public domains. With --numbers the program is told that they are integers in that
range, as in DP-HP's code; distances still compare each code. The table has no label. Distances are over all
3- and 4-way column sets with proper cells (largest - smallest + 1 per column), to be compared with
the DP independent-columns floor; and with the cells of the papers' code (tvd_3way_merged, ...), which
are what the papers' tables show and are smaller: one cell less per column, spread over each table's
own extremes, so that the two largest values are one, and a column of two values has one cell.

  npy_table.py FILE.npy... [--program P --methods marginals --eps 1,.3,.1]   measure
  npy_table.py --convert FOLDER FILE.npy...                                  only write CSV and schema
"""
import json
import os
import sys

import needs

WAYS = (3, 4)


def field(name, low, high, numbers):
    if numbers:
        return {"name": name, "type": "integer", "constraints": {"minimum": int(low), "maximum": int(high), "required": True}}
    return {"name": name, "type": "string",
            "constraints": {"enum": [str(v) for v in range(int(low), int(high) + 1)], "required": True}}


def convert(path, folder):
    """Write FOLDER/train.csv, FOLDER/schema.json (categories) and FOLDER/numbers.json (integers)."""
    import numpy
    array = numpy.load(path, allow_pickle=False)
    if array.ndim != 2 or not numpy.issubdtype(array.dtype, numpy.integer) or 0 in array.shape:
        needs.stop(f"{path} is not a two-dimensional array of integers")
    os.makedirs(folder, exist_ok=True)
    names = [f"c{i}" for i in range(array.shape[1])]
    for file_name, numbers in (("schema.json", False), ("numbers.json", True)):
        fields = [field(name, low, high, numbers) for name, low, high in zip(names, array.min(axis=0), array.max(axis=0))]
        with open(os.path.join(folder, file_name), "w", encoding="utf-8") as file:
            json.dump({"fields": fields, "missingValues": [""], "semblance": {"task": "none"}}, file, indent=1)
    numpy.savetxt(os.path.join(folder, "train.csv"), array, fmt="%d", delimiter=",",
                  header=",".join(names), comments="")


def merged(table, domains):
    """The table with the cells of the papers' code: numpy.histogramdd with largest - smallest bins."""
    import numpy
    import tables
    values = []
    for codes, cells in zip(table.values, domains):
        low, high = codes.min(), codes.max()
        place = numpy.floor((codes - low) * ((cells - 1) / max(high - low, 1)))
        values.append(numpy.clip(place, 0, max(cells - 2, 0)).astype(numpy.int64))
    return tables.Table(table.schema, values, table.out_of_domain)


def measure(train, table, settings):
    import marginals
    domains = [column.codes for column in train.schema.columns]
    found = marginals.measure(train, table, WAYS, settings)
    of_code = marginals.measure(merged(train, domains), merged(table, domains), WAYS, settings)
    found.update({f"tvd_{way}way_merged": of_code[f"tvd_{way}way"] for way in WAYS})
    return found


def main(given=None):
    import single
    parser = single.parser(__doc__, ["marginals"])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--convert", metavar="FOLDER", help="write CSV and schema there and stop")
    parser.add_argument("--numbers", action="store_true", help="tell the program that the codes are integers; lines are named FILE-numbers")
    args = parser.parse_args(given)
    import baselines
    import tables
    failures = 0
    settings = {"bins": 8, "column_sets": 10**9, "sampling_seed": 0}
    for path in args.files:
        name = os.path.splitext(os.path.basename(path))[0]
        folder = os.path.join(args.convert or os.path.join(args.work, "npy"), name)
        convert(path, folder)
        if args.convert:
            print(folder)
            continue
        train = tables.read_table(os.path.join(folder, "train.csv"),
                                  tables.read_schema(os.path.join(folder, "schema.json")))
        failures += single.run(args, "discretised", name + ("-numbers" if args.numbers else ""), folder,
                               [] if args.numbers else ["independent", "shuffled"],
                               lambda method, seed, schema: baselines.make(method, train, seed),
                               lambda job, table: measure(train, table, settings),
                               told="numbers.json" if args.numbers else "schema.json")
    return 1 if failures else 0


if __name__ == "__main__":
    needs.require(("numpy",))
    sys.exit(main())
