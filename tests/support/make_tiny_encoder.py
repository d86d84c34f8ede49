#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/support/tiny.safetensors: an encoder of two small convolutions with random weights, for tests that
want some network and not a good one.

usage: /usr/bin/python3 tests/support/make_tiny_encoder.py
"""
import json
import os
import struct

import numpy as np

rng = np.random.default_rng(11)
header = {"__metadata__": {"architecture": "vgg: tiny", "layers": "a,pool2,b", "trained_on": "nothing: random weights",
                           "input": "RGB in [0,1], minus mean, over std", "mean": "0.5,0.5,0.5",
                           "std": "0.25,0.25,0.25"}}
data = b""
for name, shape in (("a", (4, 3, 3, 3)), ("b", (6, 4, 3, 3))):
    for part, values in (("weight", rng.normal(0, 1 / np.sqrt(np.prod(shape[1:])), shape)),
                         ("bias", rng.normal(0, 0.1, shape[0]))):
        raw = values.astype("<f4").tobytes()
        header[f"{name}.{part}"] = {"dtype": "F32", "shape": list(values.shape),
                                    "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tiny.safetensors"), "wb") as out:
    out.write(struct.pack("<Q", len(text)) + text + data)
