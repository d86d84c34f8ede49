#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Three networks learn from synthetic images and are tried on all real test images: those that the figures asked of mepf were
measured with in a prototype (bench/utility/images.py has the papers' twelve and a smaller CNN, which ask more of the images).

usage: three.py DATA_FOLDER NAME=SYNTHETIC_FOLDER... (NAME=real: the real training images)

Logistic regression, a perceptron of 100 and a CNN of 32 and 64 channels with dropout, ten passes each of Adam in batches
of 256, its rate rising to 3e-3 and falling to zero: short trainings, which stop before they know the noise of a synthetic set by
heart. Then the CNN once more, *varied*: it sees each image turned, scaled, slanted and moved a little, in other light, under some noise, so
that less is learnt of what generated images have and real ones have not. On a card where there is one. Prints a JSON line per set. Every number is computed from real records and is NOT PRIVATE.
"""
import json
import os
import sys
import time

import images
import needs

PASSES, BATCH, RATE = 10, 256, 3e-3
VARIED = "CNN, varied"


def network(kind):
    from torch import nn
    if kind == "logistic regression":
        return nn.Sequential(nn.Flatten(), nn.Linear(784, 10))
    if kind == "MLP":
        return nn.Sequential(nn.Flatten(), nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 10))
    block = lambda before, after: [nn.Conv2d(before, after, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
    return nn.Sequential(*block(1, 32), *block(32, 64), nn.Flatten(), nn.Dropout(0.3), nn.Linear(64 * 49, 128), nn.ReLU(),
                         nn.Dropout(0.3), nn.Linear(128, 10))


def varied(x):
    import torch
    from torch.nn import functional as F
    about = lambda width: (torch.rand(len(x), device=x.device) - 0.5) * width
    turn, scale, slant, right, down = about(0.3), 1 + about(0.2), about(0.2), about(0.2), about(0.2)
    rows = [torch.stack([scale * turn.cos(), slant - scale * turn.sin(), right], 1),
            torch.stack([scale * turn.sin(), scale * turn.cos(), down], 1)]
    moved = F.grid_sample(x, F.affine_grid(torch.stack(rows, 1), x.shape, align_corners=False), align_corners=False)
    light, noise = 1 + about(0.4), 0.05 + about(0.1)
    return moved * light.view(-1, 1, 1, 1) + noise.view(-1, 1, 1, 1) * torch.randn_like(moved)


def accuracy(kind, x, y, x_test, y_test):
    import torch
    torch.manual_seed(1)
    net = network(kind).to(x.device)
    adam = torch.optim.Adam(net.parameters())
    steps = PASSES * len(x) // BATCH
    rate = torch.optim.lr_scheduler.OneCycleLR(adam, RATE, total_steps=steps + 1)
    for _ in range(steps):
        rows = torch.randint(len(x), (BATCH,), device=x.device)
        shown = x[rows].float() / 255
        loss = torch.nn.functional.cross_entropy(net(varied(shown) if kind == VARIED else shown), y[rows])
        adam.zero_grad()
        loss.backward()
        adam.step()
        rate.step()
    net.eval()
    with torch.no_grad():
        found = torch.cat([net(part.float() / 255).argmax(1) for part in x_test.split(1000)])
    return float((found == y_test).float().mean())


def read(folder, names):
    import torch
    x, y = (images.read_idx(os.path.join(folder, name)) for name in names)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.tensor(x, device=device).unsqueeze(1), torch.tensor(y, device=device).long()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    data = sys.argv[1]
    test = read(data, images.FILES[2:])
    for name, _, folder in (word.partition("=") for word in sys.argv[2:]):
        train = read(data, images.FILES[:2]) if folder == "real" else read(folder, ("images-idx3-ubyte.gz", "labels-idx1-ubyte.gz"))
        start = time.process_time()
        found = {kind: round(accuracy(kind, *train, *test), 4) for kind in ("logistic regression", "MLP", "CNN", VARIED)}
        print(json.dumps({"notice": "NOT PRIVATE: computed from real records", "set": os.path.basename(os.path.normpath(data)),
                          "name": name, "images": len(train[0]), "accuracy": found,
                          "cpu_seconds": round(time.process_time() - start)}), flush=True)


if __name__ == "__main__":
    needs.require(("numpy", "torch"))
    main()
