#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""DP-MEPF with the built-in encoder: our pass over private images and our training step against a lean torch
implementation of the same job (vgg-s with oneDNN's kernels, the same generator and features, dense frequencies), in
turns in one run, with as many threads. With one thread all times are processor time.

usage: compare_mepf.py PATH/TO/bench_encoder PATH/TO/vgg-s.safetensors [batch [turns]]
Prints one JSON line per job: perceptual and moments (the whole batch through the encoder), best (the default step:
pixels of the whole batch, a fifth of it through the encoder).
"""
import json
import struct
import subprocess
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

from compare_images import Generator

FEATURES, CLASSES, PART = 10000, 10, 0.2


class Encoder:
    """vgg-s on images of 28 x 28: padded to 32 x 32, three channels, normalised."""

    def __init__(self, path):
        with open(path, "rb") as file:
            raw = file.read()
        length = struct.unpack("<Q", raw[:8])[0]
        header = json.loads(raw[8:8 + length])
        metadata = header.pop("__metadata__")
        self.layers = metadata["layers"].split(",")
        self.mean, self.std = (torch.tensor([float(v) for v in metadata[k].split(",")]).view(1, 3, 1, 1)
                               for k in ("mean", "std"))
        self.tensors = {}
        for name, entry in header.items():
            begin, end = (8 + length + o for o in entry["data_offsets"])
            values = np.frombuffer(raw[begin:end], {"F32": "<f4", "F16": "<f2"}[entry["dtype"]]).astype("f4")
            self.tensors[name] = torch.from_numpy(values.reshape(entry["shape"]).copy())

    def __call__(self, images):
        x = F.pad(images.view(-1, 1, 28, 28), (2, 2, 2, 2)).expand(-1, 3, -1, -1)
        x, found = (x - self.mean) / self.std, []
        for layer in self.layers:
            if layer == "pool2":
                x = F.max_pool2d(x, 2)
            else:
                x = F.relu(F.conv2d(x, self.tensors[layer + ".weight"], self.tensors[layer + ".bias"], padding=1))
                found.append(x)
        return found


def points(activations):
    taken = [activations[i] for i in (1, 3, 5)]
    pooled = [F.normalize(F.adaptive_avg_pool2d(a, 4).flatten(1)) for a in taken]
    return torch.cat(pooled, 1) / 3 ** 0.5


def moments(activations, count):
    e = torch.cat([a.flatten(1) for a in activations], 1)
    return torch.cat([F.normalize(e), F.normalize(e * e)], 1) if count == 2 else F.normalize(e)


class Job:
    """What is embedded, by the name of ours."""

    def __init__(self, name, encoder):
        self.name, self.encoder = name, encoder
        self.perceptual = torch.randn(3584, FEATURES // 2) / 0.4
        self.pixels = torch.randn(784, FEATURES // 2) / 5

    @staticmethod
    def fourier(x, frequencies):
        phase = x @ frequencies
        return torch.cat([torch.cos(phase), torch.sin(phase)], 1) / (FEATURES // 2) ** 0.5

    def of_encoder(self, images):
        found = self.encoder(images)
        count = {"moments": 2, "best": 1}.get(self.name)
        return moments(found, count) if count else self.fourier(points(found), self.perceptual)

    def blocks(self, images, part):
        """Features of each block with the images that it looks at; images are sorted by class."""
        rows = images.shape[0] // CLASSES
        some = images.view(CLASSES, rows, -1)[:, :max(2, round(part * rows))].reshape(-1, images.shape[1])
        yield self.of_encoder(some if part < 1 else images)
        if self.name == "best":
            yield self.fourier(images, self.pixels)


def clock(threads):
    return time.process_time if threads == 1 else time.perf_counter


def step_seconds(job, batch, threads):
    rows = batch // CLASSES * CLASSES
    net = Generator(32, 256, (32, 16))
    adam = torch.optim.Adam(net.parameters(), lr=1e-3)
    codes = F.one_hot(torch.arange(CLASSES).repeat_interleave(batch // CLASSES), CLASSES).float()
    part = PART if job.name == "best" else 1
    now, best = clock(threads), 1e9
    for _ in range(3):
        start = now()
        loss = 0
        for phi in job.blocks(net(torch.cat([torch.randn(rows, 32), codes], 1)), part):
            loss = loss + (phi.view(CLASSES, -1, phi.shape[1]).mean(1) ** 2).sum()
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()
        best = min(best, now() - start)
    return best


def sum_seconds(job, threads):
    """Per image, summed by class, 100 at a time."""
    images = torch.rand(100, 784)
    labels = F.one_hot(torch.arange(100) % CLASSES, CLASSES).float()
    now, best = clock(threads), 1e9
    with torch.no_grad():
        for _ in range(3):
            start = now()
            for phi in job.blocks(images, 1):
                labels.T @ phi
            best = min(best, now() - start)
    return best / 100


def compare(name, program, encoder, batch, turns):
    best, step, sums = None, 1e9, 1e9
    for _ in range(turns):
        ours = json.loads(subprocess.check_output([program, str(batch), name]))
        best = ours if best is None else best
        for key in ("sum_microseconds_per_image", "step_milliseconds"):
            best[key] = min(best[key], ours[key])
        best["gflops"] = max(best["gflops"], ours["gflops"])
        torch.set_num_threads(ours["threads"])
        job = Job(name, encoder)
        step = min(step, step_seconds(job, batch, ours["threads"]))
        sums = min(sums, sum_seconds(job, ours["threads"]))
    wall_sum = best["sum_microseconds_per_image"] / best["threads"]  # images are shared out evenly
    # Against the best rate of a large product in all turns; there and back is twice the way there.
    there = 1e-3 * best["encoder_mflop"] / best["gflops"]
    bound = 2 * there * batch * (PART if name == "best" else 1)
    best.update(roofline_milliseconds=round(1e3 * bound, 1), share=round(1e3 * bound / best["step_milliseconds"], 2),
                sum_share=round(1e6 * there * best["threads"] / best["sum_microseconds_per_image"], 2))
    best.update(torch=torch.__version__, onednn=torch.backends.mkldnn.is_available(),
                torch_step_milliseconds=round(1e3 * step, 2), torch_sum_microseconds_per_image=round(1e6 * sums, 1),
                times_torch_step=round(1e3 * step / best["step_milliseconds"], 2),
                times_torch_sum=round(1e6 * sums / wall_sum, 2))
    print(json.dumps(best))


def main():
    batch, turns = (int(a) for a in (sys.argv[3:5] + ["100", "3"][len(sys.argv[3:5]):]))
    encoder = Encoder(sys.argv[2])
    for name in ("perceptual", "moments", "best"):
        compare(name, sys.argv[1], encoder, batch, turns)


if __name__ == "__main__":
    main()
