#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""DP-MERF on images: our sums and training step against a lean torch implementation of the same job
(the same features, network and batch; dense frequencies, whichever of oneDNN on and off is faster),
in turns in one run, with as many threads.

usage: compare_images.py PATH/TO/bench_images [batch hidden channels channels]
"""
import json
import subprocess
import sys
import time

import torch
from torch import nn


class Generator(nn.Module):
    def __init__(self, latent, hidden, channels):
        super().__init__()
        first, second = channels
        self.channels = first
        self.dense = nn.Sequential(nn.Linear(latent + 10, hidden), nn.BatchNorm1d(hidden), nn.ReLU(),
                                   nn.Linear(hidden, first * 49), nn.BatchNorm1d(first * 49), nn.ReLU())
        up = lambda: nn.UpsamplingBilinear2d(scale_factor=2)
        self.image = nn.Sequential(up(), nn.Conv2d(first, second, 5, padding=2), nn.BatchNorm2d(second), nn.ReLU(),
                                   up(), nn.Conv2d(second, 1, 5, padding=2), nn.Sigmoid())

    def forward(self, inputs):
        return self.image(self.dense(inputs).view(-1, self.channels, 7, 7)).flatten(1)


def step_seconds(ours):
    torch.set_num_threads(ours["threads"])
    batch, latent, features = ours["batch"], ours["latent"], ours["features"]
    net = Generator(latent, ours["hidden"], ours["channels"])
    adam = torch.optim.Adam(net.parameters(), lr=1e-3)
    frequencies = torch.randn(784, features // 2) / 10
    target = torch.zeros(10, features)
    codes = nn.functional.one_hot(torch.arange(10).repeat_interleave(batch // 10), 10).float()
    rows = batch // 10 * 10
    best = 1e9
    for _ in range(4):
        start = time.perf_counter()
        phase = net(torch.cat([torch.randn(rows, latent), codes], 1)) @ frequencies
        mean = torch.cat([torch.cos(phase).view(10, -1, features // 2).mean(1),
                          torch.sin(phase).view(10, -1, features // 2).mean(1)], 1)
        loss = ((mean - target) ** 2).sum()
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()
        best = min(best, time.perf_counter() - start)
    return best


def sum_seconds(ours):
    """Seconds per image of summing features by class, in batches of 1000."""
    torch.set_num_threads(ours["threads"])
    half = ours["features"] // 2
    images, frequencies = torch.rand(1000, 784), torch.randn(784, half) / 10
    labels = nn.functional.one_hot(torch.arange(1000) % 10, 10).float()
    best = 1e9
    with torch.no_grad():
        for _ in range(3):
            start = time.perf_counter()
            phase = images @ frequencies
            labels.T @ torch.cos(phase), labels.T @ torch.sin(phase)
            best = min(best, time.perf_counter() - start)
    return best / 1000


def main():
    best, step, sums, mkldnn = None, 1e9, 1e9, None
    for turn in range(4):
        ours = json.loads(subprocess.check_output([sys.argv[1], *sys.argv[2:6]]))
        if best is None:
            best = ours
        for key in ("sum_microseconds_per_image", "step_milliseconds"):
            best[key] = min(best[key], ours[key])
        torch.backends.mkldnn.enabled = turn % 2 == 0
        took = step_seconds(ours)
        if took < step:
            step, mkldnn = took, turn % 2 == 0
        sums = min(sums, sum_seconds(ours))
    wall_sum = best["sum_microseconds_per_image"] / best["threads"]  # images are shared out evenly
    fit = (60000 * wall_sum * 1e-6 + best["steps"] * best["step_milliseconds"] * 1e-3)
    fit_torch = 60000 * sums + best["steps"] * step
    best.update(torch=torch.__version__, torch_onednn=mkldnn, torch_step_milliseconds=round(1e3 * step, 2),
                torch_sum_microseconds_per_image=round(1e6 * sums, 2),
                times_torch_step=round(1e3 * step / best["step_milliseconds"], 2),
                times_torch_sum=round(1e6 * sums / wall_sum, 2),
                fit_seconds=round(fit, 1), torch_fit_seconds=round(fit_torch, 1),
                times_torch_fit=round(fit_torch / fit, 2))
    json.dump(best, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
