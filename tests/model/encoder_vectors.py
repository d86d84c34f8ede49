#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes encoder_vectors.json: what torch, in double precision, makes of encoders, for test_encoder.c.

- "small": two encoders of a few random channels, as files in base64 (one vgg in float32, one resnet in
  float16), with images of several shapes, their features and logits. Images that are not 32 x 32 are resampled by
  torch's antialiased bilinear interpolation.
- "real": for the encoders of a folder, the logits of their four check images, and those that the
  check files themselves state.

usage: /usr/bin/python3 tests/model/encoder_vectors.py ../shared/encoders tests/model/encoder_vectors.json
"""
import base64
import json
import os
import struct
import sys

import numpy as np
import torch
import torch.nn.functional as F


def read(raw):
    length = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + length])
    metadata = header.pop("__metadata__")
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + o for o in entry["data_offsets"])
        kind = {"F32": "<f4", "F16": "<f2"}[entry["dtype"]]
        values = np.frombuffer(raw[begin:end], kind).astype("f8").reshape(entry["shape"])
        tensors[name] = torch.from_numpy(values)
    return tensors, metadata


def write(tensors, metadata, kind):
    header, data = {"__metadata__": metadata}, b""
    for name, values in tensors.items():
        raw = values.numpy().astype(kind).tobytes()
        header[name] = {"dtype": {"<f4": "F32", "<f2": "F16"}[kind], "shape": list(values.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def run(raw, images):
    """images: (rows, height, width, channels) of bytes -> features, logits."""
    t, m = read(raw)
    x = torch.from_numpy(images.astype("f8").transpose(0, 3, 1, 2)) / 255
    x = x.expand(-1, 3, -1, -1)
    if x.shape[2:] != (32, 32):
        x = F.interpolate(x, (32, 32), mode="bilinear", antialias=True)
    mean, std = (torch.tensor([float(v) for v in m[k].split(",")]).double().view(1, 3, 1, 1)
                 for k in ("mean", "std"))
    x = (x - mean) / std

    def conv(y, name, stride=1):
        w = t[name + ".weight"]
        return F.conv2d(y, w, t[name + ".bias"], stride=stride, padding=w.shape[2] // 2)

    if m["architecture"].startswith("vgg"):
        for layer in m["layers"].split(","):
            x = F.max_pool2d(x, 2) if layer == "pool2" else F.relu(conv(x, layer))
    else:
        x = F.relu(conv(x, "stem"))
        block = 0
        while f"block{block}.conv1.weight" in t:
            p = f"block{block}."
            skip = p + "skip.weight" in t
            y = conv(F.relu(conv(x, p + "conv1", 2 if skip else 1)), p + "conv2")
            x = F.relu(y + (conv(x, p + "skip", 2) if skip else x))
            block += 1
    features = x.mean((2, 3))
    return features, features @ t["fc.weight"].T + t["fc.bias"]


def small_encoders(rng):
    def tensors(shapes):
        out = {}
        for name, shape in shapes.items():
            scale = 1 / np.sqrt(np.prod(shape[1:]))
            out[name + ".weight"] = torch.from_numpy(rng.normal(0, scale, shape))
            out[name + ".bias"] = torch.from_numpy(rng.normal(0, 0.1, shape[0]))
        return out

    common = {"input": "RGB in [0,1], minus mean, over std", "mean": "0.5,0.4,0.3", "std": "0.25,0.2,0.3"}
    vgg = tensors({"a": (4, 3, 3, 3), "b": (6, 4, 3, 3), "fc": (3, 6)})
    resnet = tensors({"stem": (4, 3, 3, 3), "block0.conv1": (5, 4, 3, 3), "block0.conv2": (4, 5, 3, 3),
                      "block1.conv1": (6, 4, 3, 3), "block1.conv2": (6, 6, 3, 3),
                      "block1.skip": (6, 4, 1, 1), "fc": (2, 6)})
    return {"vgg-tiny": write(vgg, dict(common, architecture="vgg: tiny", layers="a,pool2,b"), "<f4"),
            "resnet-tiny": write(resnet, dict(common, architecture="resnet: tiny"), "<f2")}


def flat(values):
    return [float(v) for v in np.asarray(values).reshape(-1)]


def main(folder, out):
    rng = np.random.default_rng(7)
    small, real, images = [], [], None
    for name, raw in small_encoders(rng).items():
        cases = []
        for shape in [(2, 32, 32, 3), (2, 28, 28, 1), (1, 50, 40, 3), (1, 5, 9, 1)]:
            x = rng.integers(0, 256, shape, dtype=np.uint8)
            features, logits = run(raw, x)
            cases.append({"shape": list(shape), "pixels": base64.b64encode(x.tobytes()).decode(),
                          "features": flat(features), "logits": flat(logits)})
        small.append({"name": name, "file": base64.b64encode(raw).decode(), "cases": cases})
    for name in ["vgg-s", "vgg-m", "resnet18"]:
        check = np.load(os.path.join(folder, name + "_check.npz"))
        x = np.ascontiguousarray(check["x"].transpose(0, 2, 3, 1))
        assert images is None or (images == x).all()
        images = x
        with open(os.path.join(folder, name + ".safetensors"), "rb") as file:
            logits = run(file.read(), x)[1]
        real.append({"name": name, "logits": flat(logits), "stated": flat(check["logits"])})
    document = {"small": small, "real": real, "images": base64.b64encode(images.tobytes()).decode()}
    with open(out, "w") as file:
        json.dump(document, file, indent=0)
        file.write("\n")


main(*sys.argv[1:])
