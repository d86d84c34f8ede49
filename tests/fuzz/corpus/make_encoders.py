#!/usr/bin/env python3
"""Writes tests/fuzz/corpus/fuzz_encoder: small encoder files, whole and damaged in single ways.

usage: python3 tests/fuzz/corpus/make_encoders.py
"""
import json
import os
import struct

HERE = os.path.dirname(os.path.abspath(__file__))
COMMON = {"input": "RGB in [0,1], minus mean, over std", "mean": "0.5,0.4,0.3", "std": "0.25,0.2,0.3"}
SIZES = {"F32": 4, "F16": 2, "BF16": 2}


def file_of(shapes, metadata, kind="F32", change=None, extra=b""):
    header, at = {"__metadata__": metadata}, 0
    for name, shape in shapes.items():
        size = SIZES[kind]
        for side in shape:
            size *= side
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    if change:
        change(header)
    text = json.dumps(header).encode()
    data = bytes((37 * i) % 50 for i in range(at)) if kind == "F32" else bytes(at)
    return struct.pack("<Q", len(text)) + text + data + extra


def layers(**convolutions):
    shapes = {}
    for name, shape in convolutions.items():
        name = name.replace("_", ".")
        shapes[name + ".weight"] = shape
        shapes[name + ".bias"] = (shape[0],)
    return shapes


VGG = layers(a=(2, 3, 3, 3), b=(2, 2, 3, 3), fc=(3, 2))
RESNET = layers(stem=(2, 3, 3, 3), block0_conv1=(2, 2, 3, 3), block0_conv2=(2, 2, 3, 3),
                block1_conv1=(3, 2, 3, 3), block1_conv2=(3, 3, 3, 3), block1_skip=(3, 2, 1, 1), fc=(2, 3))
VGG_WORDS = dict(COMMON, architecture="vgg: small", layers="a,pool2,b")
RESNET_WORDS = dict(COMMON, architecture="resnet: small")


def norm(name, count):
    return {f"{name}.{part}": (count,) for part in ("weight", "bias", "running_mean", "running_var")}


THEIR_VGG = {**layers(features_0=(2, 3, 3, 3), features_4=(2, 2, 3, 3)), **norm("features.1", 2)}
THEIR_RESNET = {"conv1.weight": (2, 3, 7, 7), **norm("bn1", 2), "layer1.0.conv1.weight": (2, 2, 3, 3),
                **norm("layer1.0.bn1", 2), "layer1.0.conv2.weight": (2, 2, 3, 3), **norm("layer1.0.bn2", 2)}
for LAYER in (2, 3, 4):
    P = f"layer{LAYER}.0."
    THEIR_RESNET.update({P + "conv1.weight": (2, 2, 3, 3), P + "conv2.weight": (2, 2, 3, 3),
                         P + "downsample.0.weight": (2, 2, 1, 1), **norm(P + "bn1", 2), **norm(P + "bn2", 2),
                         **norm(P + "downsample.1", 2)})
SQUEEZE = layers(conv1=(2, 3, 3, 3))
for FIRE in range(2, 10):
    SQUEEZE.update({f"fire{FIRE}/{part}.{what}": shape for part, weight in
                    (("squeeze1x1", (1, 2, 1, 1)), ("expand1x1", (1, 1, 1, 1)), ("expand3x3", (1, 1, 3, 3)))
                    for what, shape in (("weight", weight), ("bias", (1,)))})


def set_member(tensor, member, value):
    def change(header):
        header[tensor][member] = value
    return change


FILES = {
    "vgg": file_of(VGG, VGG_WORDS),
    "vgg_half": file_of(VGG, VGG_WORDS, "F16"),
    "resnet": file_of(RESNET, RESNET_WORDS),
    "no_head": file_of(layers(a=(2, 3, 3, 3)), dict(VGG_WORDS, layers="a")),
    "many_pools": file_of(layers(a=(1, 3, 1, 1)), dict(VGG_WORDS, layers="a,pool2,pool2,pool2,pool2,pool2,pool2")),
    "cut_short": file_of(VGG, VGG_WORDS)[:-5],
    "too_long": file_of(VGG, VGG_WORDS, extra=b"more"),
    "long_header": struct.pack("<Q", 2**63) + b"{}",
    "not_json": struct.pack("<Q", 4) + b"{\"a\"",
    "empty": b"",
    "overlap": file_of(VGG, VGG_WORDS, change=set_member("b.bias", "data_offsets", [0, 8])),
    "huge_shape": file_of(VGG, VGG_WORDS, change=set_member("a.bias", "shape", [2**62, 2**62])),
    "negative": file_of(VGG, VGG_WORDS, change=set_member("a.bias", "data_offsets", [-8, 0])),
    "even_kernel": file_of(layers(a=(2, 3, 2, 2)), dict(VGG_WORDS, layers="a")),
    "other_architecture": file_of(VGG, dict(VGG_WORDS, architecture="vit")),
    "metadata_is_a_list": file_of(VGG, ["vgg"]),
    "bfloat16": file_of(VGG, VGG_WORDS, "BF16"),
    "torchvision_vgg": file_of(THEIR_VGG, {}),
    "torchvision_vgg_norm_lacks_a_part": file_of({k: v for k, v in THEIR_VGG.items() if "running_var" not in k}, {}),
    "torchvision_resnet": file_of(THEIR_RESNET, {}),
    "torchvision_resnet_of_three": file_of({**THEIR_RESNET, "layer1.0.conv3.weight": (2, 2, 1, 1)}, {}),
    "squeezenet": file_of(SQUEEZE, {}),
    "squeezenet_expands_by_five": file_of({**SQUEEZE, "fire4/expand3x3.weight": (1, 1, 5, 5)}, {}),
}

folder = os.path.join(HERE, "fuzz_encoder")
os.makedirs(folder, exist_ok=True)
for name, content in FILES.items():
    with open(os.path.join(folder, name), "wb") as out:
        out.write(content)
