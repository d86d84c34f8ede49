# SPDX-License-Identifier: Apache-2.0
"""A training step of mepf on a card, beside the same in torch: the generator that a model holds, the built-in
network, batches of 500, Fourier features of pixels and first moments of a part of each class, Adam.

    compare_step.py MODEL ENCODER SEMBLANCE RELEASE [OPTION...]

MODEL: any model of `semblance train RELEASE` with the generator's options; its network is built in torch, too.
ENCODER: src/base/encoder/vgg-s.safetensors. Ours: the difference of two trainings' wall clocks over that of their steps,
so that starting is left out, and validations and checkpoints are in. Torch: eager and compiled
(mode reduce-overhead, which makes CUDA graphs), in float32 with and without TF32, a median of batches of steps."""
import json
import struct
import subprocess
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH, PART, FREQUENCIES = 500, 0.2, 5000


def read(path):
    data = open(path, "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8:8 + size]), data[8 + size:]


class Generator(nn.Module):
    """The layers of sbl_net_describe(), channels first."""

    def __init__(self, network):
        super().__init__()
        self.asks, self.made = network["layers"], nn.ModuleList()
        height, width, channels = network["input"]
        for ask in self.asks:
            kind, layer = ask["kind"], nn.Identity()
            if kind == "dense":
                layer, channels = nn.Linear(height * width * channels, ask["channels"]), ask["channels"]
                height = width = 1
            elif kind == "conv":
                layer = nn.Conv2d(channels, ask["channels"], ask["kernel"], ask.get("stride", 1),
                                  ask.get("padding", 0), bias=not ask.get("no_bias", False))
                channels = ask["channels"]
            elif kind == "batch_norm":
                layer = nn.BatchNorm1d(channels) if height == 1 else nn.BatchNorm2d(channels)
            elif kind == "reshape":
                height, width, channels = ask["volume"]
            elif kind in ("bilinear", "nearest"):
                height, width = height * ask["factor"], width * ask["factor"]
            self.made.append(layer)
        self.volume = height, width, channels

    def forward(self, x):
        outputs = []
        for ask, layer in zip(self.asks, self.made):
            kind = ask["kind"]
            if kind == "reshape":
                height, width, channels = ask["volume"]
                x = x.reshape(-1, channels, height, width)
            elif kind == "relu":
                x = F.relu(x)
            elif kind == "sigmoid":
                x = torch.sigmoid(x)
            elif kind == "bilinear":
                x = F.interpolate(x, scale_factor=ask["factor"], mode="bilinear",
                                  align_corners=ask.get("align_corners", False))
            elif kind == "nearest":
                x = F.interpolate(x, scale_factor=ask["factor"], mode="nearest")
            elif kind == "add":
                x = x + outputs[ask["from"]]
            elif kind in ("dense", "conv", "batch_norm"):
                x = layer(x)
            else:
                sys.exit("no layer of torch for " + kind)
            outputs.append(x)
        return x


class Encoder(nn.Module):
    def __init__(self, path):
        super().__init__()
        head, body = read(path)
        self.order = head["__metadata__"]["layers"].split(",")

        def tensor(name):
            first, last = head[name]["data_offsets"]
            values = torch.frombuffer(bytearray(body[first:last]), dtype=torch.float32)
            return values.reshape(head[name]["shape"])

        self.convs = nn.ModuleDict()
        for name in self.order:
            if name.startswith("conv"):
                weight = tensor(name + ".weight")
                self.convs[name] = nn.Conv2d(weight.shape[1], weight.shape[0], 3, padding=1)
                self.convs[name].weight.data, self.convs[name].bias.data = weight, tensor(name + ".bias")
        self.requires_grad_(False)

    def forward(self, x):
        taken = []
        for name in self.order:
            if name.startswith("pool"):
                x = F.max_pool2d(x, 2)
            else:
                x = F.relu(self.convs[name](x))
                taken.append(x.flatten(1))
        return torch.cat(taken, 1)


class Step:
    def __init__(self, network, encoder, classes):
        torch.manual_seed(1)
        self.generator, self.encoder = Generator(network).cuda(), Encoder(encoder).cuda()
        self.classes, self.each = classes, BATCH // classes
        self.seen = int(PART * self.each + 0.5)
        height, width, channels = self.generator.volume
        self.pad = [(32 - width) // 2, 32 - width - (32 - width) // 2, (32 - height) // 2,
                    32 - height - (32 - height) // 2]
        numbers = height * width * channels
        self.frequencies = torch.randn(numbers, FREQUENCIES, device="cuda") / numbers**0.5
        self.pixel_target = torch.rand(classes, 2 * FREQUENCIES, device="cuda") * 0.1
        self.target = torch.rand(classes, 114688, device="cuda") * 0.003
        self.inputs = network["input"][2]
        self.codes = F.one_hot(torch.arange(classes, device="cuda").repeat_interleave(self.each), classes).float()
        self.mean = torch.tensor([0.4914, 0.4822, 0.4465], device="cuda").view(1, 3, 1, 1)
        self.deviation = torch.tensor([0.2470, 0.2435, 0.2616], device="cuda").view(1, 3, 1, 1)
        self.past = torch.zeros(classes, 114688, device="cuda")
        self.optimiser = torch.optim.Adam(self.generator.parameters(), lr=0.005, capturable=True)

    def loss(self, latents):
        images = self.generator(torch.cat([latents, self.codes], 1))
        stretched = 1.04 * images - 0.02
        held = stretched.clamp(0, 1)
        pixels = held + 0.01 * (stretched - held)
        phases = pixels.flatten(1) @ self.frequencies
        means = torch.cat([torch.cos(phases), torch.sin(phases)], 1)
        means = means.view(self.classes, self.each, -1).mean(1)
        loss = ((means - self.pixel_target)**2).sum()
        few = pixels.view(self.classes, self.each, *pixels.shape[1:])[:, :self.seen].flatten(0, 1)
        padded = F.pad(few, self.pad)
        e = self.encoder((padded.expand(-1, 3, -1, -1) - self.mean) / self.deviation)
        phi = (e / e.norm(dim=1, keepdim=True)).view(self.classes, self.seen, -1).mean(1)
        matched = 0.9 * self.past + 0.1 * phi
        return loss + ((matched - self.target)**2).sum(), phi.detach()

    def whole(self, loss):
        latents = torch.randn(BATCH, self.inputs - self.classes, device="cuda")
        self.optimiser.zero_grad(set_to_none=True)
        value, phi = loss(latents)
        value.backward()
        self.optimiser.step()
        self.past.mul_(0.9).add_(phi, alpha=0.1)
        return value


def torch_time(network, encoder, classes, compiled, tf32):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    torch.backends.cudnn.benchmark = True
    step = Step(network, encoder, classes)
    loss = torch.compile(step.loss, mode="reduce-overhead") if compiled else step.loss
    for _ in range(15):
        float(step.whole(loss))
    times = []
    for _ in range(5):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(20):
            float(step.whole(loss))  # ours reads the loss of every step, too
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) / 20 * 1000)
    return sorted(times)[2]


def our_time(program, release, options):
    def run(steps):
        start = time.perf_counter()
        subprocess.run([program, "train", release, "--model", "/tmp/compare.model", "--overwrite", "-q", "--steps",
                        str(steps), *options], check=True)
        return time.perf_counter() - start

    few, many = (60, 260) if "residual" in options else (300, 2300)
    run(5)
    return (run(many) - run(few)) / (many - few) * 1000


def main():
    model, encoder, program, release = sys.argv[1:5]
    head, _ = read(model)
    network = json.loads(head["__metadata__"]["semblance.network"])
    classes = head["class_shares"]["shape"][0]
    rows, ours = [], {}
    for tf32 in (False, True):
        name = "TF32" if tf32 else "float32"
        ours[tf32] = our_time(program, release, [*sys.argv[5:], "--device-precision", "tf32" if tf32 else "single"])
        rows.append(("ours, " + name, ours[tf32], tf32))
        for compiled in (False, True):
            name = "torch %s, %s" % ("compiled" if compiled else "eager", "TF32" if tf32 else "float32")
            try:
                rows.append((name, torch_time(network, encoder, classes, compiled, tf32), tf32))
            except Exception as error:  # a torch that cannot compile here says so
                print(name, "failed:", str(error)[:200])
    print("%-26s %10s %10s" % ("step", "ms", "x ours"))
    for name, milliseconds, tf32 in rows:
        print("%-26s %10.3f %10.2f" % (name, milliseconds, milliseconds / ours[tf32]))


main()
