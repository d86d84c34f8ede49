#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes torch_vectors.bin: what torch makes of every kind of layer and of one training step of the image
generator, for test_net_torch.c. Torch works in double; what is stored is rounded to single.

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


def numbers(salt, count):
    """Numbers between -1 and 1, as test_net_torch.c makes them."""
    mask = np.uint64(0xFFFFFFFF)
    h = (np.arange(1, count + 1, dtype=np.uint64) * np.uint64(2654435761) +
         np.uint64(salt) * np.uint64(40503)) & mask
    h ^= h >> np.uint64(15)
    h = (h * np.uint64(2246822519)) & mask
    h ^= h >> np.uint64(13)
    return (h.astype(np.float64) / 2**31 - 1).astype(np.float32)


def scaled(salt, count, factor):
    """factor times such numbers: rounded to single, as our side has them, then double."""
    return (factor * numbers(salt, count).astype(np.float64)).astype(np.float32).astype(np.float64)


def from_ours(values, shape):
    """Our flat order to torch's shape: a batch or a kernel has its channels (inputs) second there."""
    if len(shape) == 4:
        n, c, h, w = shape
        values = values.reshape(n, h, w, c).transpose(0, 3, 1, 2)
    return torch.from_numpy(np.ascontiguousarray(values.reshape(shape)))


def to_ours(t):
    t = t.detach()
    return (t.permute(0, 2, 3, 1) if t.dim() == 4 else t).contiguous().numpy().reshape(-1)


class Out:
    def __init__(self, path):
        self.file = open(path, "wb")

    def put(self, name, values):
        values = np.asarray(values, dtype="<f4").reshape(-1)
        self.file.write(struct.pack("<32sI", name.encode(), values.size))
        self.file.write(values.tobytes())


def set_weights(module, salt, factors=None, gamma=0.0):
    """One sequence of numbers per parameter, in the order of our weights; gamma is added to a norm's."""
    norms = [m.weight for m in module.modules() if isinstance(m, (nn.BatchNorm1d, nn.BatchNorm2d))]
    for i, p in enumerate(module.parameters()):
        values = scaled(salt + i, p.numel(), factors[i] if factors else 0.5)
        if any(p is w for w in norms):
            values = (values.astype(np.float32) + np.float32(gamma)).astype(np.float64)
        p.data = from_ours(values, tuple(p.shape))


def set_running(module, salt):
    module.running_mean.data = torch.from_numpy(scaled(salt, module.num_features, 0.5))
    variance = scaled(salt + 1, module.num_features, 0.5).astype(np.float32) + np.float32(1)
    module.running_var.data = torch.from_numpy(variance.astype(np.float64))


class Groups(nn.Module):
    def forward(self, x):
        return torch.cat([torch.softmax(x[:, :2], 1), x[:, 2:3] * 0 + 1, torch.softmax(x[:, 3:], 1)], 1)


class Dense(nn.Module):
    """Of all numbers of an image, in our order; a vector is an image of one pixel."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.map = nn.Linear(inputs, outputs)

    def forward(self, x):
        return self.map(x.permute(0, 2, 3, 1).reshape(len(x), -1)).reshape(len(x), -1, 1, 1)


class Reshaped(nn.Module):
    """A reshape keeps our order, which a convolution behind it sees."""

    def __init__(self, height, width, channels):
        super().__init__()
        self.volume = height, width, channels
        self.map = nn.Conv2d(channels, 2, 3, 1, 1)

    def forward(self, x):
        return self.map(x.permute(0, 2, 3, 1).reshape(len(x), *self.volume).permute(0, 3, 1, 2))


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first, self.second = nn.Conv2d(channels, channels, 3, 1, 1), nn.Conv2d(channels, channels, 1)

    def forward(self, x):
        first = self.first(x)
        return first + self.second(torch.relu(first))


def check(out, name, module, shape, training=True):
    rows, h, w, c = shape
    module = module.double().train(training)
    x = from_ours(scaled(1, rows * h * w * c, 1), (rows, c, h, w)).requires_grad_()
    set_weights(module, 10)
    if not training:
        set_running(module, 20)
    y = module(x)
    y.backward(from_ours(scaled(2, y.numel(), 1), tuple(y.shape)))
    out.put(name + ".y", to_ours(y))
    out.put(name + ".dx", to_ours(x.grad))
    grads = [to_ours(p.grad) for p in module.parameters()]
    out.put(name + ".dw", np.concatenate(grads) if grads else [])
    if isinstance(module, nn.BatchNorm2d):
        out.put(name + ".running", np.concatenate([module.running_mean, module.running_var]))


def layers(out):
    c = 7
    plain = {
        "dense": Dense(5 * 4 * c, 6),
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
        "add": Residual(c),
        "reshape": Reshaped(7, 5, 4),
    }
    for name, module in plain.items():
        check(out, name, module, (2, 5, 4, c))
    check(out, "running", nn.BatchNorm2d(c), (2, 5, 4, c), training=False)
    # Enough channels for Winograd; sides that its tiles do not divide.
    check(out, "winograd3", nn.Conv2d(32, 16, 3, 1, 1), (3, 5, 6, 32))
    check(out, "winograd3wide", nn.Conv2d(16, 32, 3, 1, 1), (2, 6, 5, 16))
    check(out, "winograd5", nn.Conv2d(32, 16, 5, 1, 2), (3, 5, 4, 32))


class Generator(nn.Module):
    """src/after/model/generator.h, for grey images of 15 x 18 pixels (16 x 20 before the cut)."""

    def __init__(self):
        super().__init__()
        self.dense1, self.norm1 = nn.Linear(8, 8), nn.BatchNorm1d(8)
        self.dense2, self.norm2 = nn.Linear(8, 4 * 5 * 32), nn.BatchNorm1d(4 * 5 * 32)
        self.conv1, self.norm3 = nn.Conv2d(32, 16, 5, 1, 2), nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 1, 5, 1, 2)
        self.up = nn.UpsamplingBilinear2d(scale_factor=2)
        self.nearest_bend = 1.0  # least distance of a number from where a slope jumps

    def bend(self, x, *places):
        for place in places:
            self.nearest_bend = min(self.nearest_bend, (x - place).abs().min().item())
        return x

    def forward(self, z):
        x = torch.relu(self.bend(self.norm1(self.dense1(z)), 0))
        x = torch.relu(self.bend(self.norm2(self.dense2(x)), 0))
        x = self.up(x.reshape(-1, 4, 5, 32).permute(0, 3, 1, 2))
        x = self.up(torch.relu(self.bend(self.norm3(self.conv1(x)), 0)))
        x = self.bend(1.04 * torch.sigmoid(self.conv2(x))[:, :, 0:15, 1:19] - 0.02, 0, 1)
        held = x.clamp(0, 1)
        return held + 0.01 * (x - held) if self.training else held


def step(out):
    rows, rate = 9, 0.01
    net = Generator().double()
    set_weights(net, 100, factors=[0.5] * 12 + [0.25, 0.5], gamma=1.0)
    before = np.concatenate([to_ours(p) for p in net.parameters()])
    optimiser = torch.optim.Adam(net.parameters(), lr=rate)
    z = from_ours(scaled(6, rows * 8, 1), (rows, 8))
    target = from_ours(scaled(4, rows * 15 * 18, 1), (rows, 1, 15, 18))
    pixels = net(z)
    (((pixels - target) ** 2).sum() / rows).backward()
    grads = np.concatenate([to_ours(p.grad) for p in net.parameters()])
    out.put("step.pixels", to_ours(pixels))
    out.put("step.gradient", grads)
    out.put("step.running", np.concatenate([t.numpy() for norm in (net.norm1, net.norm2, net.norm3)
                                            for t in (norm.running_mean, norm.running_var)]))
    out.put("step.sampled", to_ours(net.eval()(z)))
    # Rounding to single must not push a number across a bend, where slopes jump.
    assert net.nearest_bend > 1e-5, net.nearest_bend
    # The test has the gradients only and takes Adam's first step from them by this formula.
    optimiser.step()
    after = np.concatenate([to_ours(p) for p in net.parameters()])
    assert np.abs(after - (before - rate * grads / (np.abs(grads) + 1e-8))).max() < 1e-12
    print(f"pixels beyond [0, 1]: {((pixels < 0) | (pixels > 1)).double().mean().item():.3f}, "
          f"nearest bend {net.nearest_bend:.1e}, largest gradient {np.abs(grads).max():.3g}, of {grads.size}")


def main():
    torch.set_num_threads(1)
    out = Out(sys.argv[1])
    layers(out)
    step(out)


if __name__ == "__main__":
    main()
