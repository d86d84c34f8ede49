#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A reader of models, from docs/FORMATS.md alone: read_model.py MODEL prints its facts as JSON."""
import hashlib
import json
import struct
import sys

import canonical

SIZES = {"F32": (4, "f"), "U32": (4, "I"), "U16": (2, "H")}


def read(path):
    data = open(path, "rb").read()
    length, = struct.unpack_from("<Q", data)
    header = canonical.loads(data[8:8 + length].decode())
    values = data[8 + length:]
    metadata = header.pop("__metadata__")
    if metadata["semblance.model"] != "3":
        raise ValueError("no model of version 3")
    digest = metadata.pop("semblance.sha256")
    covered = canonical.dumps({**header, "__metadata__": metadata}).encode() + values
    if hashlib.sha256(covered).hexdigest() != digest:
        raise ValueError("the file is not as it was written")
    return metadata, header, values


def tensors(header, values):
    """By name: shape, and the numbers in order."""
    found = {}
    for name, entry in header.items():
        size, letter = SIZES[entry["dtype"]]
        begin, end = entry["data_offsets"]
        count = (end - begin) // size
        found[name] = (entry["shape"], struct.unpack_from(f"<{count}{letter}", values, begin))
    return found


def facts(metadata, header, values):
    shown = {name: {"shape": shape, "first": list(numbers[:2])} for name, (shape, numbers) in
             tensors(header, values).items()}
    plan = json.loads(metadata["plan"])
    certificate = json.loads(metadata["certificate"]) if "certificate" in metadata else None
    return {"kind": metadata["kind"], "data": metadata["data"], "rows": float(metadata["rows"]),
            "method": plan["method"]["name"], "tensors": shown,
            "epsilon": certificate["guarantee"]["epsilon"] if certificate else None,
            "plan_hash": hashlib.sha256(metadata["plan"].encode()).hexdigest()}


if __name__ == "__main__":
    print(json.dumps(facts(*read(sys.argv[1])), indent=1))
