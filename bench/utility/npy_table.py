#!/usr/bin/python3
"""Marginals of discretised tables: .npy arrays of integer codes, one row per record.

Each column becomes a category whose codes run from the array's smallest to its largest value: of
public copies of Adult these are the public domains. The table has no label. Distances are over all
3- and 4-way column sets with proper cells (largest - smallest + 1 per column), to be compared with
the DP independent-columns floor and with the papers' tables.

  npy_table.py FILE.npy... [--program P --methods marginals --eps 1,.3,.1]   measure
  npy_table.py --convert FOLDER FILE.npy...                                  only write CSV and schema
"""
import json
import os
import sys

import needs

WAYS = (3, 4)


def convert(path, folder):
    """Write FOLDER/train.csv and FOLDER/schema.json."""
    import numpy
    array = numpy.load(path, allow_pickle=False)
    if array.ndim != 2 or not numpy.issubdtype(array.dtype, numpy.integer) or 0 in array.shape:
        needs.stop(f"{path} is not a two-dimensional array of integers")
    os.makedirs(folder, exist_ok=True)
    names = [f"c{i}" for i in range(array.shape[1])]
    fields = [{"name": name, "type": "string",
               "constraints": {"enum": [str(v) for v in range(int(low), int(high) + 1)], "required": True}}
              for name, low, high in zip(names, array.min(axis=0), array.max(axis=0))]
    with open(os.path.join(folder, "schema.json"), "w", encoding="utf-8") as file:
        json.dump({"fields": fields, "missingValues": [""], "semblance": {"task": "none"}}, file, indent=1)
    numpy.savetxt(os.path.join(folder, "train.csv"), array, fmt="%d", delimiter=",",
                  header=",".join(names), comments="")


def main(given=None):
    import single
    parser = single.parser(__doc__, ["marginals"])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--convert", metavar="FOLDER", help="write CSV and schema there and stop")
    args = parser.parse_args(given)
    import baselines
    import marginals
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
        failures += single.run(args, "discretised", name, folder, ["independent", "shuffled"],
                               lambda method, seed, schema: baselines.make(method, train, seed),
                               lambda job, table: marginals.measure(train, table, WAYS, settings))
    return 1 if failures else 0


if __name__ == "__main__":
    needs.require(("numpy", "pandas"))
    sys.exit(main())
