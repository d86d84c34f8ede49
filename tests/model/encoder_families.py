#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes encoder_families.json: small networks under the tensor names of torchvision's VGG (batch norm, bfloat16) and
ResNet (float32; blocks of two convolutions and of three) and of SqueezeNet, as files in base64, with images of 32 x 32 and what plain sums in double precision
make of them (numpy; no framework), for test_encoder.c. Batch norm is applied as written, not folded.

usage: /usr/bin/python3 tests/model/encoder_families.py tests/model/encoder_families.json
"""
import base64
import json
import struct
import sys

import numpy as np

rng = np.random.default_rng(23)


def conv(x, w, b=None, stride=1, pad=None):
    """x (rows, inputs, h, w), w (outputs, inputs, k, k)."""
    k = w.shape[2]
    pad = k // 2 if pad is None else pad
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    h, v = (x.shape[2] - k) // stride + 1, (x.shape[3] - k) // stride + 1
    y = np.zeros((x.shape[0], w.shape[0], h, v))
    for i in range(k):
        for j in range(k):
            part = x[:, :, i:i + stride * h:stride, j:j + stride * v:stride]
            y += np.einsum("rihv,oi->rohv", part, w[:, :, i, j])
    return y if b is None else y + b[None, :, None, None]


def pool(x, k, stride, pad=0):
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), constant_values=-np.inf)
    h, v = (x.shape[2] - k) // stride + 1, (x.shape[3] - k) // stride + 1
    return np.max([x[:, :, i:i + stride * h:stride, j:j + stride * v:stride] for i in range(k) for j in range(k)], 0)


def relu(x):
    return np.maximum(x, 0)


def norm(x, t, name):
    part = [t[f"{name}.{p}"][None, :, None, None] for p in ("weight", "bias", "running_mean", "running_var")]
    return part[0] * (x - part[2]) / np.sqrt(part[3] + 1e-5) + part[1]


def vgg(t, x):
    x = relu(norm(conv(x, t["features.0.weight"], t["features.0.bias"]), t, "features.1"))
    x = relu(norm(conv(x, t["features.3.weight"], t["features.3.bias"]), t, "features.4"))
    return relu(conv(pool(x, 2, 2), t["features.7.weight"], t["features.7.bias"]))


def resnet(t, x):
    x = pool(relu(norm(conv(x, t["conv1.weight"], stride=2), t, "bn1")), 3, 2, 1)
    for layer in range(1, 5):
        p, stride = f"layer{layer}.0.", 2 if layer > 1 else 1
        three = p + "conv3.weight" in t  # the second of them has the stride
        y = relu(norm(conv(x, t[p + "conv1.weight"], stride=1 if three else stride), t, p + "bn1"))
        y = norm(conv(y, t[p + "conv2.weight"], stride=stride if three else 1), t, p + "bn2")
        y = norm(conv(relu(y), t[p + "conv3.weight"]), t, p + "bn3") if three else y
        if p + "downsample.0.weight" in t:
            x = norm(conv(x, t[p + "downsample.0.weight"], stride=stride), t, p + "downsample.1")
        x = relu(x + y)
    return x


def squeezenet(t, x):
    x = relu(conv(x[:, ::-1], t["conv1.weight"], t["conv1.bias"], 2, 0))
    for fire in range(2, 10):
        if fire in (2, 4, 6):
            x = pool(x, 3, 2)
        a, b, c = (f"fire{fire}/{part}" for part in ("squeeze1x1", "expand1x1", "expand3x3"))
        x = relu(conv(x, t[a + ".weight"], t[a + ".bias"]))
        x = relu(np.concatenate([conv(x, t[n + ".weight"], t[n + ".bias"]) for n in (b, c)], 1))
    return x


def layers(shapes, biases=True):
    out = {}
    for name, shape in shapes.items():
        out[name + ".weight"] = rng.normal(0, 1 / np.sqrt(np.prod(shape[1:])), shape)
        if biases or len(shape) == 2:
            out[name + ".bias"] = rng.normal(0, 0.1, shape[0])
    return out


def norms(counts):
    out = {}
    for name, n in counts.items():
        out.update({name + ".weight": rng.uniform(0.5, 1.5, n), name + ".bias": rng.normal(0, 0.2, n),
                    name + ".running_mean": rng.normal(0, 0.2, n), name + ".running_var": rng.uniform(0.1, 2, n),
                    name + ".num_batches_tracked": None})
    return out


def families():
    """name, tensors, dtype, network, mean, deviation."""
    imagenet = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
    theirs = layers({"features.0": (4, 3, 3, 3), "features.3": (4, 4, 3, 3), "features.7": (6, 4, 3, 3)})
    theirs.update(norms({"features.1": 4, "features.4": 4}))
    yield "torchvision vgg", theirs, "BF16", vgg, *imagenet
    shapes, counts = {"conv1": (4, 3, 7, 7), "fc": (2, 6)}, {"bn1": 4}
    for layer, (inputs, outputs) in enumerate([(4, 4), (4, 5), (5, 6), (6, 6)], 1):
        p = f"layer{layer}.0."
        shapes.update({p + "conv1": (outputs, inputs, 3, 3), p + "conv2": (outputs, outputs, 3, 3)})
        counts.update({p + "bn1": outputs, p + "bn2": outputs})
        if layer > 1:
            shapes[p + "downsample.0"] = (outputs, inputs, 1, 1)
            counts[p + "downsample.1"] = outputs
    yield "torchvision resnet", {**layers(shapes, False), **norms(counts)}, "F32", resnet, *imagenet
    shapes = {"conv1": (4, 3, 3, 3)}
    for fire in range(2, 10):
        shapes.update({f"fire{fire}/squeeze1x1": (2, 4 if fire == 2 else 6, 1, 1),
                       f"fire{fire}/expand1x1": (3, 2, 1, 1), f"fire{fire}/expand3x3": (3, 2, 3, 3)})
    squeeze = layers(shapes)
    squeeze["conv1.weight"] /= 128  # its input goes to 255
    yield "squeezenet", squeeze, "F32", squeezenet, [123 / 255, 117 / 255, 104 / 255], [1 / 255] * 3
    shapes, counts = {"conv1": (4, 3, 7, 7), "fc": (2, 6)}, {"bn1": 4}
    for layer, (inputs, inner, outputs) in enumerate([(4, 2, 5), (5, 3, 5), (5, 2, 6), (6, 3, 6)], 1):
        p = f"layer{layer}.0."
        shapes.update({p + "conv1": (inner, inputs, 1, 1), p + "conv2": (inner, inner, 3, 3), p + "conv3": (outputs, inner, 1, 1),
                       p + "downsample.0": (outputs, inputs, 1, 1)})
        counts.update({p + "bn1": inner, p + "bn2": inner, p + "bn3": outputs, p + "downsample.1": outputs})
    yield "torchvision resnet", {**layers(shapes, False), **norms(counts)}, "F32", resnet, *imagenet


def stored(tensors, dtype):
    """The file, and the tensors as it holds them."""
    header, data, held = {}, b"", {}
    for name, values in tensors.items():
        if values is None:
            raw, kind, shape = struct.pack("<q", 7), "I64", []
        else:
            single = values.astype("<f4")
            if dtype == "BF16":
                single = (single.view("<u4") >> 16 << 16).view("<f4")
            raw = (single.view("<u4") >> 16).astype("<u2").tobytes() if dtype == "BF16" else single.tobytes()
            kind, shape, held[name] = dtype, list(values.shape), single.astype("f8")
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data, held


def main(out):
    found = []
    for name, tensors, dtype, network, mean, deviation in families():
        raw, held = stored(tensors, dtype)
        images = rng.integers(0, 256, (2, 32, 32, 3), dtype=np.uint8)
        x = (images.transpose(0, 3, 1, 2) / 255 - np.reshape(mean, (1, 3, 1, 1))) / np.reshape(deviation, (1, 3, 1, 1))
        features = network(held, x).mean((2, 3))
        logits = features @ held["fc.weight"].T + held["fc.bias"] if "fc.weight" in held else np.zeros(0)
        found.append({"name": name, "file": base64.b64encode(raw).decode(),
                      "cases": [{"shape": list(images.shape), "pixels": base64.b64encode(images.tobytes()).decode(),
                                 "features": features.reshape(-1).tolist(), "logits": logits.reshape(-1).tolist()}]})
    with open(out, "w") as file:
        json.dump({"families": found}, file, indent=0)
        file.write("\n")


main(*sys.argv[1:])
