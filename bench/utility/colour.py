#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How well a network that learned from synthetic images alone reads real ones. NOT PRIVATE: real test images are read.

usage: bench/utility/colour.py SYNTHETIC TEST_BATCH [RESULTS]

SYNTHETIC is a folder that `semblance synth --images` or `sample` wrote (IDX, RGB, 32 x 32), TEST_BATCH CIFAR-10's
test_batch.bin. Six convolutions (64, 64, 128, 128, 256, 256) with batch norm, 12 passes, by two recipes: *plain*, mirror
images and shifts of two pixels, with which real training images give 89 % after 15 passes; and *varied*, shifts of
four, other brightness, contrast and saturation, and a square of 11 that is hidden, so that less is learnt of what
generated images have and real ones have not. Prints a JSON line, and appends it to RESULTS if that is given. Needs
torch, and a card to be quick."""
import gzip
import json
import os
import sys

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

PASSES, BATCH = 12, 256
HIDDEN = 11  # pixels of a side


def read_idx(path):
    with gzip.open(path) as file:
        data = file.read()
    rank = data[3]
    shape = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], "big") for i in range(rank)]
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)


def read_cifar(path):
    records = np.fromfile(path, np.uint8).reshape(-1, 3073)
    return records[:, 1:].reshape(-1, 3, 32, 32), records[:, 0]


def block(inputs, outputs, stride):
    def one(of, at):
        return [nn.Conv2d(of, outputs, 3, at, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]
    return nn.Sequential(*one(inputs, stride), *one(outputs, 1))


def shifted(images, by):
    down, right = np.random.randint(2 * by + 1, size=2)
    return F.pad(images, (by,) * 4, mode="reflect")[:, :, down:down + images.shape[2], right:right + images.shape[3]]


def between(low, high, like):
    """A number for each image."""
    return low + (high - low) * torch.rand(len(like), 1, 1, 1, device=like.device)


def in_other_light(images):
    light = images * between(0.6, 1.4, images) + between(-0.15, 0.15, images)
    grey = light.mean(1, keepdim=True)
    return grey + (light - grey) * between(0.5, 1.5, images)


def with_a_square_hidden(images):
    side = images.shape[-1]
    at = torch.arange(side, device=images.device)
    y, x = (torch.randint(side, (len(images), 1, 1, 1), device=images.device) for _ in range(2))
    hidden = ((at.view(1, 1, side, 1) - y).abs() <= HIDDEN // 2) & ((at.view(1, 1, 1, side) - x).abs() <= HIDDEN // 2)
    return torch.where(hidden, images.mean((2, 3), keepdim=True), images)


def shown(images, varied):
    images = images.flip(3) if torch.rand(1) < 0.5 else images
    return with_a_square_hidden(in_other_light(shifted(images, 4))) if varied else shifted(images, 2)


def score(images, labels, test_images, test_labels, device, varied):
    """Arrays of bytes (n, 3, 32, 32) and of classes. Per cent of the test images that are read right."""
    torch.manual_seed(0)
    np.random.seed(0)
    x, t = (torch.tensor(a.copy(), device=device).float() / 255 - 0.5 for a in (images, test_images))
    y, u = (torch.tensor(a.astype(np.int64), device=device) for a in (labels, test_labels))
    net = nn.Sequential(block(3, 64, 1), block(64, 128, 2), block(128, 256, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                        nn.Linear(256, 10)).to(device)
    optimiser = torch.optim.SGD(net.parameters(), 0.05, 0.9, weight_decay=5e-4, nesterov=True)
    steps = PASSES * (len(x) // BATCH + 1) + 1
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 0.1, total_steps=steps)
    for _ in range(PASSES):
        for some in torch.randperm(len(x), device=device).split(BATCH):
            with torch.autocast(device, torch.bfloat16):
                loss = F.cross_entropy(net(shown(x[some], varied)).float(), y[some])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    net.eval()
    with torch.no_grad():
        right = sum((net(a).argmax(1) == b).sum().item() for a, b in zip(t.split(1000), u.split(1000)))
    return 100 * right / len(t)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    folder = sys.argv[1]
    images = read_idx(os.path.join(folder, "images-idx4-ubyte.gz")).transpose(0, 3, 1, 2)
    labels = read_idx(os.path.join(folder, "labels-idx1-ubyte.gz"))
    device = "cuda" if torch.cuda.is_available() else "cpu"
    found = {name: round(score(images, labels, *read_cifar(sys.argv[2]), device, name == "varied") / 100, 4)
             for name in ("plain", "varied")}
    line = json.dumps({"notice": "NOT PRIVATE: computed from real records", "part": "colour", "synthetic": folder,
                       "images": len(images), "accuracy": found})
    print(line, flush=True)
    if len(sys.argv) == 4:
        with open(sys.argv[3], "a", encoding="utf-8") as file:
            file.write(line + "\n")


if __name__ == "__main__":
    main()
