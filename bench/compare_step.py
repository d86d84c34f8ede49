#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One DP-MERF training step: our program against a lean torch step (no einsum, oneDNN off), in
turns in one run, with as many threads.

usage: compare_step.py PATH/TO/bench_step [features numbers batch]
"""
import json
import subprocess
import sys
import time

import torch


def torch_seconds(features, numbers, batch, threads):
    torch.set_num_threads(threads)
    torch.backends.mkldnn.enabled = False
    net = torch.nn.Sequential(
        torch.nn.Linear(11, 200), torch.nn.BatchNorm1d(200), torch.nn.ReLU(),
        torch.nn.Linear(200, 100), torch.nn.BatchNorm1d(100), torch.nn.ReLU(),
        torch.nn.Linear(100, numbers), torch.nn.Sigmoid())
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3)
    weights = torch.randn(numbers, features // 2)
    target = torch.zeros(2, features)
    labels = torch.zeros(2, batch)
    labels[0, :batch // 2] = 1.0 / batch
    labels[1, batch // 2:] = 1.0 / batch
    best = 1e9
    for _ in range(6):
        start = time.perf_counter()
        phase = net(torch.randn(batch, 11)) @ weights
        mean = torch.cat([labels @ torch.cos(phase), labels @ torch.sin(phase)], dim=1)
        loss = ((mean - target) ** 2).sum() * (2 / features)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        best = min(best, time.perf_counter() - start)
    return best


def main():
    sizes = [int(a) for a in sys.argv[2:5]] or [10000, 108, 2256]
    best_torch, best = 1e9, None
    for _ in range(3):
        ours = json.loads(subprocess.check_output([sys.argv[1], *map(str, sizes)]))
        if best is None or ours["milliseconds"] < best["milliseconds"]:
            best = ours
        best_torch = min(best_torch, torch_seconds(*sizes, ours["threads"]))
    best["torch_milliseconds"] = round(1e3 * best_torch, 3)
    best["times_torch"] = round(1e3 * best_torch / best["milliseconds"], 2)
    json.dump(best, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
