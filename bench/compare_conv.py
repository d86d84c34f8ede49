#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The layers of image networks: our program against torch, in turns in one run, with as many
threads. Torch is run with oneDNN and, once, without; the better of the two counts, and which kernels
oneDNN chose is in the result. With one thread (OMP_NUM_THREADS=1) both sides are timed by the
processor's clock, which other work on the machine moves less; else by the wall clock.

usage: compare_conv.py PATH/TO/bench_conv [ROUNDS] > bench/results/conv.jsonl
"""
import json
import os
import platform
import re
import subprocess
import sys
import time

import torch
import torch.nn.functional as F

CONV = [  # name, rows, height, width, inputs, channels, kernel, padding
    ("3x3 64@32", 100, 32, 32, 64, 64, 3, 1),
    ("3x3 128@16", 100, 16, 16, 128, 128, 3, 1),
    ("3x3 256@8", 100, 8, 8, 256, 256, 3, 1),
    ("5x5 64-32@14", 100, 14, 14, 64, 32, 5, 2),
    ("5x5 32-1@28", 100, 28, 28, 32, 1, 5, 2),
    ("5x5 16-8@14", 100, 14, 14, 16, 8, 5, 2),
    ("5x5 8-1@28", 100, 28, 28, 8, 1, 5, 2),
]
LAYERS = [("bilinear", 100, 16, 16, 64), ("bilinear", 100, 14, 14, 32), ("norm", 100, 32, 32, 64),
          ("norm", 100, 14, 14, 32)]
STEPS = [(100, 200, 16, 8), (100, 200, 64, 32)]


def best(times, name, work):
    clock = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
    start = clock()
    result = work()
    times[name] = min(times.get(name, 1e9), 1e3 * (clock() - start))
    return result


def torch_conv(case):
    _, n, h, w, i, c, k, p = case
    x, weight = torch.randn(n, i, h, w), torch.randn(c, i, k, k)
    dy, times = torch.randn(n, c, h, w), {}

    def back(mask):
        return torch.ops.aten.convolution_backward(dy, x, weight, None, [1, 1], [p, p], [1, 1],
                                                   False, [0, 0], 1, mask)
    for _ in range(4):
        best(times, "forward", lambda: F.conv2d(x, weight, padding=p))
        best(times, "backward_input", lambda: back([True, False, False]))
        best(times, "backward_weights", lambda: back([False, True, False]))
    return times


def torch_layer(case):
    kind, n, h, w, c = case
    x, times = torch.randn(n, c, h, w, requires_grad=True), {}
    module = (torch.nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True)
              if kind == "bilinear" else torch.nn.BatchNorm2d(c))
    for _ in range(5):
        y = best(times, "forward", lambda: module(x))
        dy = torch.randn_like(y)
        best(times, "backward", lambda: y.backward(dy))
        x.grad = None
    return times


def torch_step(case):
    n, hidden, wide, narrow = case
    net = torch.nn.Sequential(
        torch.nn.Linear(15, hidden), torch.nn.BatchNorm1d(hidden), torch.nn.ReLU(),
        torch.nn.Linear(hidden, 49 * wide), torch.nn.BatchNorm1d(49 * wide),
        torch.nn.Unflatten(1, (wide, 7, 7)), torch.nn.UpsamplingBilinear2d(scale_factor=2),
        torch.nn.Conv2d(wide, narrow, 5, 1, 2), torch.nn.ReLU(),
        torch.nn.UpsamplingBilinear2d(scale_factor=2), torch.nn.Conv2d(narrow, 1, 5, 1, 2),
        torch.nn.Sigmoid())
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3)
    x, dy, times = torch.randn(n, 15), torch.randn(n, 1, 28, 28), {}

    def step():
        optimiser.zero_grad(set_to_none=True)
        net(x).backward(dy)
        optimiser.step()
    for _ in range(8):
        best(times, "step", step)
    return times


def kernels_of_onednn():
    """The implementations that oneDNN names for one convolution, e.g. jit:avx512_core."""
    code = ("import torch;x=torch.randn(8,64,16,16,requires_grad=True);"
            "c=torch.nn.Conv2d(64,64,3,1,1);c(x).sum().backward()")
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                         env={**os.environ, "DNNL_VERBOSE": "1", "ONEDNN_VERBOSE": "1"}).stdout
    return sorted(set(re.findall(r"convolution,([a-z0-9_:]+),", out)))


def compare(program, name, arguments, run_torch, rounds, threads):
    ours, theirs = {}, {True: {}, False: {}}
    for turn in range(rounds):
        text = subprocess.check_output([program, *map(str, arguments)])
        for key, value in json.loads(text).items():
            faster = isinstance(value, float) and key != "gflop" and key in ours
            ours[key] = min(ours[key], value) if faster else value
        for onednn in (True, False) if turn == 0 else (True,):
            torch.backends.mkldnn.enabled = onednn
            for key, value in run_torch().items():
                theirs[onednn][key] = min(theirs[onednn].get(key, 1e9), value)
    result = {"job": name, "threads": threads, "ours_ms": ours, "torch_ms": {}, "times_torch": {}}
    for key in theirs[True]:
        with_it, without = theirs[True][key], theirs[False][key]
        least = min(with_it, without)
        result["torch_ms"][key] = {"onednn": round(with_it, 3), "plain": round(without, 3)}
        result["times_torch"][key] = round(least / ours[key], 2)
    return result


def cpu_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            return re.search(r"model name\s*: (.*)", info.read()).group(1)
    except (OSError, AttributeError):
        return platform.processor()


def main():
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    threads = json.loads(subprocess.check_output([program, "norm", "2", "2", "2", "2"]))["threads"]
    torch.set_num_threads(threads)
    print(json.dumps({"machine": {"cpu": cpu_name(), "cores": os.cpu_count()},
                      "torch": torch.__version__, "onednn_kernels": kernels_of_onednn(),
                      "clock": "processor" if threads == 1 else "wall",
                      "load": os.getloadavg()[0]}))
    for case in CONV:
        print(json.dumps(compare(program, "conv " + case[0], ["conv", *case[1:]],
                                 lambda: torch_conv(case), rounds, threads)), flush=True)
    for case in LAYERS:
        print(json.dumps(compare(program, "%s %dx%d, %d channels" % (case[0], *case[2:]), case,
                                 lambda: torch_layer(case), rounds, threads)), flush=True)
    for case in STEPS:
        print(json.dumps(compare(program, "step of the generator, %d and %d channels" % case[2:],
                                 ["step", *case], lambda: torch_step(case), rounds, threads)),
              flush=True)


if __name__ == "__main__":
    main()
