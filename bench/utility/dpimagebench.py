#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Synthetic images judged as DPImageBench judges them (Gong, Li, Lin and Wang 2025, arXiv 2503.14681): three networks learn from
synthetic images and are tried on all real test images. Beside them our CNN (three.py; of colour images that of colour.py, plain and varied) and a
Frechet distance by a public network.

usage: dpimagebench.py DATA_FOLDER NAME=SYNTHETIC_FOLDER... [--passes P] [--batch B] [--networks LIST] [--encoder FILE] [--side S] [--ours no]
       (NAME=real: the real training images)

The networks, as that paper names them and by the settings of its published evaluation: a ResNet of 110 layers (He et al. 2016, the one for
CIFAR), a WideResNet 40-4 with dropout .3 (Zagoruyko and Komodakis 2016) and a ResNeXt 29 with 8 groups (Xie et al. 2017). Pixels from -1 to 1,
Adam at 1e-4, 50 passes in batches of 512, no changes of the images, weights averaged with decay .9999 (less in the first steps). What is tried are the averaged weights after the
last pass: nothing is chosen by test images, nor by held-out private ones, which that paper allows under noise.

DATA_FOLDER has MNIST-like IDX files, CIFAR-10's binary batches, or folders train and test of a folder of pictures per class, which are cropped and
scaled to the size of the synthetic images as --resize does (needs Pillow). With --encoder, `semblance evaluate` (SEMBLANCE, or the one on the path)
gives the Frechet distance to real test images in IDX files. Prints a JSON line per set. Every number is computed from real records and is NOT PRIVATE.
"""
import argparse
import glob
import json
import os
import sys
import time

import frechet
import images
import needs
import three

PASSES, BATCH, RATE, DECAY = 50, 512, 1e-4, 0.9999


def norm_relu(channels):
    from torch import nn
    return nn.BatchNorm2d(channels), nn.ReLU()


def block_of():
    """One residual block; the way around is a 1x1 convolution where sizes or channels change."""
    from torch import nn

    class Block(nn.Module):
        def __init__(self, main, around, before=None, after=None):
            super().__init__()
            self.before, self.main, self.around, self.after = before, nn.Sequential(*main), around, after

        def forward(self, x):
            seen = self.before(x) if self.before is not None else x
            way = x if self.around is None else self.around(seen)
            y = self.main(seen) + way
            return self.after(y) if self.after is not None else y
    return Block


def conv(before, after, side, stride=1, groups=1):
    from torch import nn
    return nn.Conv2d(before, after, side, stride, side // 2, groups=groups, bias=False)


def resnet(channels, classes, depth=110):
    from torch import nn
    Block, layers, now = block_of(), [], 16
    layers += [conv(channels, 16, 3), *norm_relu(16)]
    for wide, first in ((16, 1), (32, 2), (64, 2)):
        for i in range((depth - 2) // 6):
            stride = first if i == 0 else 1
            around = None if stride == 1 and now == wide else nn.Sequential(conv(now, wide, 1, stride), nn.BatchNorm2d(wide))
            main = [conv(now, wide, 3, stride), *norm_relu(wide), conv(wide, wide, 3), nn.BatchNorm2d(wide)]
            layers.append(Block(main, around, after=nn.ReLU()))
            now = wide
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, classes))


def wide_resnet(channels, classes, depth=40, times=4, drop=0.3):
    from torch import nn
    Block, layers, now = block_of(), [conv(channels, 16, 3)], 16
    for wide, first in ((16 * times, 1), (32 * times, 2), (64 * times, 2)):
        for i in range((depth - 4) // 6):
            stride = first if i == 0 else 1
            main = [conv(now, wide, 3, stride), *norm_relu(wide), nn.Dropout(drop), conv(wide, wide, 3)]
            before = nn.Sequential(*norm_relu(now))
            # Where channels change the way around begins behind the norm, else it is the input itself.
            layers.append(Block(main, None if now == wide else conv(now, wide, 1, stride), before))
            now = wide
    return nn.Sequential(*layers, *norm_relu(now), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(now, classes))


def resnext(channels, classes, depth=29, groups=8, times=4):
    from torch import nn
    Block, layers, now = block_of(), [conv(channels, 64, 3), *norm_relu(64)], 64
    for wide, first in ((64 * times, 1), (128 * times, 2), (256 * times, 2)):
        inner = groups * wide // times
        for i in range((depth - 2) // 9):
            stride = first if i == 0 else 1
            around = None if now == wide else nn.Sequential(conv(now, wide, 1, stride), nn.BatchNorm2d(wide))
            main = [conv(now, inner, 1), *norm_relu(inner), conv(inner, inner, 3, stride, groups), *norm_relu(inner),
                    conv(inner, wide, 1), nn.BatchNorm2d(wide)]
            layers.append(Block(main, around, after=nn.ReLU()))
            now = wide
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(now, classes))


NETWORKS = {"ResNet": resnet, "WideResNet": wide_resnet, "ResNeXt": resnext}


def seen(x):
    return x.float() / 127.5 - 1


def averaged(past, now, steps):
    """Early averages forget faster, as in that evaluation."""
    import torch
    torch._foreach_lerp_(past, now, 1 - min(DECAY, (1 + float(steps)) / (10 + float(steps))))


def accuracy(make, x, y, x_test, y_test, passes, batch, seed=0):
    import torch
    torch.manual_seed(seed)
    on_card = x.is_cuda
    torch.backends.cudnn.benchmark = True
    net = make(x.shape[1], int(max(y.max(), y_test.max())) + 1).to(x.device, memory_format=torch.channels_last)
    kept = torch.optim.swa_utils.AveragedModel(net, multi_avg_fn=averaged)
    adam = torch.optim.Adam(net.parameters(), RATE, fused=on_card)
    for _ in range(passes):
        for rows in torch.randperm(len(x), device=x.device).split(batch):
            with torch.autocast("cuda", torch.bfloat16, enabled=on_card):
                loss = torch.nn.functional.cross_entropy(net(seen(x[rows])), y[rows])
            adam.zero_grad()
            loss.backward()
            adam.step()
            kept.update_parameters(net)
    for mean, last in zip(kept.module.buffers(), net.buffers()):  # statistics of norms are those of the last weights
        mean.copy_(last)
    kept.eval()
    with torch.no_grad(), torch.autocast("cuda", torch.bfloat16, enabled=on_card):
        found = torch.cat([kept(seen(part)).argmax(1) for part in x_test.split(1000)])
    return float((found == y_test).float().mean())


# ---- images: bytes (n, channels, height, width), and their classes ----

def of_idx(folder, start):
    """Files that begin with that word, of grey or colour images."""
    x = images.read_idx(glob.glob(os.path.join(folder, start + "images-idx[34]-ubyte.gz"))[0])
    return x[:, None] if x.ndim == 3 else x.transpose(0, 3, 1, 2), images.read_idx(os.path.join(folder, start + "labels-idx1-ubyte.gz"))


def of_cifar(folder, names):
    import colour
    import numpy
    parts = [colour.read_cifar(path) for path in sorted(glob.glob(os.path.join(folder, names)))]
    return tuple(numpy.concatenate(part) for part in zip(*parts))


def scaled(path, side):
    """The largest centred square; each pixel is the mean of the area that it covers."""
    import numpy
    from PIL import Image
    with Image.open(path) as picture:
        width, height = picture.size
        short = min(width, height)
        left, top = (width - short) // 2, (height - short) // 2
        small = picture.convert("RGB").resize((side, side), Image.BOX, (left, top, left + short, top + short))
        return numpy.asarray(small).transpose(2, 0, 1)


def of_pictures(folder, side):
    """Classes in the order of their names."""
    import numpy
    found = [sorted(glob.glob(os.path.join(folder, name, "*"))) for name in sorted(os.listdir(folder))]
    x = numpy.stack([scaled(path, side) for paths in found for path in paths])
    return x, numpy.repeat(numpy.arange(len(found)), [len(paths) for paths in found])


def real(data, part, side):
    """part: train or test."""
    if glob.glob(os.path.join(data, "*.bin")):
        return of_cifar(data, "data_batch_*.bin" if part == "train" else "test_batch.bin")
    if os.path.isdir(os.path.join(data, part)):
        return of_pictures(os.path.join(data, part), side)
    return of_idx(data, "train-" if part == "train" else "t10k-")


def measured(name, folder, data, asked):
    import colour
    import torch
    train = of_idx(folder, "") if folder != "real" else real(data, "train", asked.side)
    arrays = train + real(data, "test", train[0].shape[-1])
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tensors = [torch.tensor(a.copy(), device=device) for a in arrays]
    x, y, x_test, y_test = (a.long() if a.ndim == 1 else a for a in tensors)
    start = time.time()
    found = {kind: round(accuracy(NETWORKS[kind], x, y, x_test, y_test, asked.passes, asked.batch), 4) for kind in asked.networks}
    line = {"notice": "NOT PRIVATE: computed from real records", "set": os.path.basename(os.path.normpath(data)), "name": name,
            "images": len(x), "shape": list(x.shape[1:]), "passes": asked.passes, "batch": asked.batch, "accuracy": found,
            "mean": round(sum(found.values()) / max(len(found), 1), 4), "seconds": round(time.time() - start)}
    if asked.ours and len(arrays[0][0]) == 1:
        line["CNN"] = round(three.accuracy("CNN", x, y, x_test, y_test), 4)
    elif asked.ours:
        line |= {kind: round(colour.score(*arrays, device, kind == "CNN, varied") / 100, 4) for kind in ("CNN", "CNN, varied")}
    if asked.encoder and folder != "real":
        line["frechet"] = frechet.distance(os.environ.get("SEMBLANCE", "semblance"), glob.glob(os.path.join(data, "t10k-images-idx*"))[0],
                                           glob.glob(os.path.join(folder, "images-idx*"))[0], asked.encoder)
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--passes", type=int, default=PASSES)
    parser.add_argument("--batch", type=int, default=BATCH)
    parser.add_argument("--networks", type=lambda text: text.split(","), default=list(NETWORKS), help="of " + ", ".join(NETWORKS))
    parser.add_argument("--encoder")
    parser.add_argument("--side", type=int, default=32, help="to which pictures of the set `real` are brought")
    parser.add_argument("--ours", choices=("yes", "no"), default="yes", help="also by our CNN")
    asked = parser.parse_args()
    asked.ours = asked.ours == "yes"
    if not set(asked.networks) <= set(NETWORKS):
        sys.exit("dpimagebench.py: networks are " + ", ".join(NETWORKS))
    for name, _, folder in (word.partition("=") for word in asked.sets):
        print(json.dumps(measured(name, folder, asked.data, asked)), flush=True)


if __name__ == "__main__":
    needs.require(("numpy", "torch"))
    main()
