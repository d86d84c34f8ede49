#!/usr/bin/env python3
"""Writes torch_vectors.bin: what torch makes of the layers and of one training step of the DP-MERF
image generator, for test_net_torch.c.

The inputs and weights are not stored: both sides make them from the same integer hash, in the order
of our arrays (channels last; weights (outputs, k, k, inputs)).

Format: records of a name (32 bytes, zeros behind it), a count (uint32) and so many float32, all
little-endian.

usage: /usr/bin/python3 tests/nn/torch_vectors.py tests/nn/torch_vectors.bin
"""
import struct
import sys

import numpy as np
import torch
from torch import nn

SAMPLE = 97  # of a large tensor, every 97th number is stored


def numbers(salt, count):
    """Numbers between -1 and 1, as test_net_torch.c makes them."""
    mask = np.uint64(0xFFFFFFFF)
    h = (np.arange(1, count + 1, dtype=np.uint64) * np.uint64(2654435761) +
         np.uint64(salt) * np.uint64(40503)) & mask
    h ^= h >> np.uint64(15)
    h = (h * np.uint64(2246822519)) & mask
    h ^= h >> np.uint64(13)
    return (h.astype(np.float64) / 2**31 - 1).astype(np.float32)


def batch(salt, rows, height, width, channels):
    x = numbers(salt, rows * height * width * channels).reshape(rows, height, width, channels)
    return torch.from_numpy(np.ascontiguousarray(x.transpose(0, 3, 1, 2)))


def to_ours(t):
    """NCHW (or a row) as our flat order; a kernel (o, i, k, k) becomes (o, k, k, i) the same way."""
    t = t.detach()
    return (t.permute(0, 2, 3, 1) if t.dim() == 4 else t).contiguous().numpy().reshape(-1)


class Out:
    def __init__(self, path):
        self.file = open(path, "wb")

    def put(self, name, values):
        values = np.asarray(values, dtype="<f4").reshape(-1)
        self.file.write(struct.pack("<32sI", name.encode(), values.size))
        self.file.write(values.tobytes())


def set_weights(module, salt):
    """All parameters from one sequence: weights, then bias; gamma and beta as they are drawn."""
    for p in module.parameters():
        n = p.numel()
        values = 0.5 * numbers(salt, n)
        salt += 1
        if p.dim() == 4:
            o, i, k, l = p.shape
            values = values.reshape(o, k, l, i).transpose(0, 3, 1, 2)
        p.data = torch.from_numpy(np.ascontiguousarray(values.reshape(p.shape)))


class Groups(nn.Module):
    def forward(self, x):
        return torch.cat([torch.softmax(x[:, :2], 1), x[:, 2:3] * 0 + 1, torch.softmax(x[:, 3:], 1)], 1)


def layers(out):
    rows, h, w, c = 2, 5, 4, 7
    cases = {
        "conv3": nn.Conv2d(c, 4, 3, 1, 1),
        "conv5s2": nn.Conv2d(c, 9, 5, 2, 2),
        "convt4s2": nn.ConvTranspose2d(c, 4, 4, 2, 1),
        "convt3s2": nn.ConvTranspose2d(c, 3, 3, 2, 1, 1),
        "norm": nn.BatchNorm2d(c),
        "relu": nn.ReLU(),
        "leaky": nn.LeakyReLU(0.2),
        "tanh": nn.Tanh(),
        "sigmoid": nn.Sigmoid(),
        "softmax": Groups(),
        "corners": nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True),
        "halves": nn.Upsample(scale_factor=3, mode="bilinear", align_corners=False),
        "nearest": nn.Upsample(scale_factor=2, mode="nearest"),
        "maxpool": nn.MaxPool2d(3, 2),
        "meanpool": nn.AvgPool2d(2, 2),
    }
    for name, module in cases.items():
        x = batch(1, rows, h, w, c).requires_grad_()
        set_weights(module, 10)
        y = module(x)
        dy = batch(2, rows, y.shape[2], y.shape[3], y.shape[1])
        y.backward(dy)
        out.put(name + ".y", to_ours(y))
        out.put(name + ".dx", to_ours(x.grad))
        grads = [to_ours(p.grad) for p in module.parameters()]
        out.put(name + ".dw", np.concatenate(grads) if grads else [])


class Generator(nn.Module):
    """The image generator of Harder, Adamczewski and Park (2021): fc, BN, ReLU, fc, BN, 16x7x7, up, conv, ReLU,
    up, conv, sigmoid."""

    def __init__(self):
        super().__init__()
        self.fc1, self.bn1 = nn.Linear(15, 200), nn.BatchNorm1d(200)
        self.fc2, self.bn2 = nn.Linear(200, 784), nn.BatchNorm1d(784)
        self.conv1, self.conv2 = nn.Conv2d(16, 8, 5, 1, 2), nn.Conv2d(8, 1, 5, 1, 2)
        self.up = nn.UpsamplingBilinear2d(scale_factor=2)

    def forward(self, z):
        x = torch.relu(self.bn1(self.fc1(z)))
        x = self.bn2(self.fc2(x))
        x = x.reshape(-1, 7, 7, 16).permute(0, 3, 1, 2)  # the order of our reshape
        x = torch.relu(self.conv1(self.up(x)))
        return torch.sigmoid(self.conv2(self.up(x)))


def step(out):
    rows = 10
    net = Generator()
    # in the order of our weights: 0.5 (hash); gamma 1 + that
    for salt, (name, p) in enumerate(net.named_parameters()):
        set_weights(nn.ParameterList([p]), 100 + salt)
        if name in ("bn1.weight", "bn2.weight"):
            p.data += 1
        if name == "fc2.weight":
            p.data *= 0.2
    optimiser = torch.optim.Adam(net.parameters(), lr=0.01)
    z = torch.from_numpy(3 * numbers(3, rows * 15).reshape(rows, 15))
    target = batch(4, rows, 28, 28, 1)
    y = net(z)
    loss = ((y - target) ** 2).sum() / rows
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    out.put("step.y", to_ours(y))
    out.put("step.loss", [loss.item()])
    grads = np.concatenate([to_ours(p.grad) for p in net.parameters()])
    weights = np.concatenate([to_ours(p) for p in net.parameters()])
    out.put("step.gradient", grads[::SAMPLE])
    out.put("step.weights", weights[::SAMPLE])
    out.put("step.gradient2", [np.sqrt((grads.astype(np.float64) ** 2).sum())])
    out.put("step.running", np.concatenate([t.numpy() for bn in (net.bn1, net.bn2)
                                            for t in (bn.running_mean, bn.running_var)]))


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    out = Out(sys.argv[1])
    layers(out)
    step(out)


if __name__ == "__main__":
    main()
