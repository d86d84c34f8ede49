#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A reader of releases, from docs/FORMATS.md alone: read_release.py RELEASE prints its facts as JSON."""
import hashlib
import json
import struct
import sys


def read(path):
    data = open(path, "rb").read()
    body, digest = data[:-32], data[-32:]
    if hashlib.sha256(body).digest() != digest:
        raise ValueError("the file is not as it was written")
    magic, version, length = struct.unpack_from("<8sII", body)
    if magic != b"SBLRELS\n" or version != 2:
        raise ValueError("no release of version 2")
    header = json.loads(body[16:16 + length])
    values = [int.from_bytes(body[at:at + 16], "little", signed=True) for at in range(16 + length, len(body), 16)]
    if hashlib.sha256(header["plan"].encode()).hexdigest() != header["plan_hash"]:
        raise ValueError("the plan has another hash")
    if sum(block["width"] * block["columns"] for block in header["blocks"]) != len(values):
        raise ValueError("there are other values than the blocks say")
    return header, values, hashlib.sha256(data).hexdigest()


def estimates(header, values):
    """Of each block its noisy sums in feature units, and the standard deviation of their noise."""
    first, blocks = 0, {}
    for block in header["blocks"]:
        count = block["width"] * block["columns"]
        unit = int(block["multiplier"]) * float(block["scale"])
        blocks[block["name"]] = {"values": [value / unit for value in values[first:first + count]],
                                 "deviation": 2.0 ** int(header["k"]) / unit}
        first += count
    return blocks


if __name__ == "__main__":
    header, values, digest = read(sys.argv[1])
    shown = {name: {"deviation": block["deviation"], "first": block["values"][:3], "sum": sum(block["values"])}
             for name, block in estimates(header, values).items()}
    print(json.dumps({"name": header["name"], "rid": header["rid"], "ledger": header["ledger"], "n": header["n"],
                      "guarantee": header["guarantee"], "mechanism": header["mechanism"], "sha256": digest,
                      "plan_hash": header["plan_hash"], "values": len(values), "blocks": shown}, indent=1))
