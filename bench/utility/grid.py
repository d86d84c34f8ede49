#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The 2-D grid of the DP-MERF paper: 25 Gaussians on a 5 x 5 grid, five classes, five modes each.

Centres (r, c), r and c in 0..4, standard deviation 0.2, 4000 points per centre, 10 % of each class
held out: 90,000 training points. Measures
  nll_code    mean of -log((1/25) sum over the class's centres of exp(-d^2 / 2 s^2) / (sqrt(2 pi) s)),
              the formula of the authors' code, which has the normaliser of one dimension
  nll         the same with the normaliser of two dimensions, 1 / (2 pi s^2)
  modes       of 25, how many hold at least a tenth of their share within 3 s of their centre
  within_3s   share of all points within 3 s of a centre of their class
  least_mode  the smallest share of a mode, 1 meaning its due
and draws data and synthetic points side by side (--plot FOLDER, grid-METHOD-epsE.svg).
"""
import json
import os
import sys

import needs

CLASS_OF = [[0, 1, 2, 3, 4], [2, 3, 4, 0, 1], [4, 0, 1, 2, 3], [1, 2, 3, 4, 0], [3, 4, 0, 1, 2]]
DEVIATION = 0.2
PER_CENTRE = 4000
HELD_OUT = 0.1
LOW, HIGH = -1, 5  # public bounds
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00"]


def centres():
    """Array of (class, x, y)."""
    import numpy
    return numpy.array([(CLASS_OF[r][c], r, c) for r in range(5) for c in range(5)], dtype=float)


def points(seed):
    """x, y and class of the training points; the held-out tenth of each class is dropped."""
    import numpy
    random = numpy.random.default_rng([seed, 4])
    parts = []
    for label in range(5):
        own = numpy.concatenate([numpy.column_stack([random.normal((x, y), DEVIATION, (PER_CENTRE, 2)),
                                                     numpy.full(PER_CENTRE, label)])
                                 for k, x, y in centres() if k == label])
        random.shuffle(own)
        parts.append(own[round(len(own) * HELD_OUT):])
    together = numpy.concatenate(parts)
    random.shuffle(together)
    return together[:, 0], together[:, 1], together[:, 2].astype(int)


def write(folder, seed):
    import numpy
    os.makedirs(folder, exist_ok=True)
    number = {"type": "number", "constraints": {"minimum": LOW, "maximum": HIGH, "required": True}}
    schema = {"fields": [{"name": "x", **number}, {"name": "y", **number},
                         {"name": "label", "type": "string",
                          "constraints": {"enum": ["0", "1", "2", "3", "4"], "required": True}}],
              "semblance": {"label": "label", "task": "classification"}}
    with open(os.path.join(folder, "schema.json"), "w", encoding="utf-8") as file:
        json.dump(schema, file, indent=1)
    x, y, label = points(seed)
    numpy.savetxt(os.path.join(folder, "train.csv"), numpy.column_stack([x, y, label]),
                  fmt=["%.6f", "%.6f", "%d"], delimiter=",", header="x,y,label", comments="")


def measure(x, y, label):
    import numpy
    if len(x) == 0:
        raise ValueError("the synthetic table has no rows")
    grid = centres()
    squared = (x[:, None] - grid[:, 1]) ** 2 + (y[:, None] - grid[:, 2]) ** 2
    squared[label[:, None] != grid[:, 0]] = numpy.inf
    nearest = squared.min(axis=1)
    # log of a sum of exponentials, taken from the nearest centre so that nothing underflows
    sums = numpy.log(numpy.exp((nearest[:, None] - squared) / (2 * DEVIATION**2)).sum(axis=1))
    energy = nearest / (2 * DEVIATION**2) - sums + numpy.log(25)
    close = squared <= (3 * DEVIATION) ** 2
    due = (1 - numpy.exp(-4.5)) / 25  # a 2-D Gaussian has exp(-9/2) of its mass beyond 3 s
    share = close.mean(axis=0) / due
    return {"nll_code": float(energy.mean() + numpy.log(numpy.sqrt(2 * numpy.pi) * DEVIATION)),
            "nll": float(energy.mean() + numpy.log(2 * numpy.pi * DEVIATION**2)),
            "modes": int((share >= 0.1).sum()), "within_3s": float(close.any(axis=1).mean()),
            "least_mode": float(share.min()), "points": len(x)}


def scatter(panels, limit=2500):
    """SVG text: one panel per (title, x, y, label), at most `limit` points each."""
    side, gap, top = 400, 20, 34
    width, height = len(panels) * (side + gap) + gap, side + top + gap
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
             f'height="{height}" role="img" aria-label="{" beside ".join(p[0] for p in panels)}">',
             f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for i, (title, x, y, label) in enumerate(panels):
        left = gap + i * (side + gap)
        lines.append(f'<text x="{left}" y="22" font-family="sans-serif" font-size="15" fill="#222">{title}</text>')
        lines.append(f'<rect x="{left}" y="{top}" width="{side}" height="{side}" fill="none" stroke="#999"/>')
        scale = side / (HIGH - LOW)
        for k, colour in enumerate(COLOURS):
            own = [j for j in range(min(limit, len(x))) if label[j] == k]
            dots = "".join(f"M{left + (x[j] - LOW) * scale:.1f} {top + (HIGH - y[j]) * scale:.1f}h0" for j in own)
            lines.append(f'<path d="{dots}" stroke="{colour}" stroke-width="2.4" stroke-linecap="round" fill="none"/>')
    return "\n".join(lines + ["</svg>", ""])


def main(given=None):
    import single
    import tables
    parser = single.parser(__doc__, ["merf"])
    parser.add_argument("--plot", metavar="FOLDER", default="docs", help="'' draws nothing")
    args = parser.parse_args(given)
    folder = os.path.join(args.work, "grid")
    write(folder, 0)

    def look(job, table):
        x, y, label = table.values
        if job.eps is not None and args.plot and job.seed == int(args.seeds[0]):
            data = points(0)
            panels = [("data", *data), (f"{job.method}, epsilon = {job.eps}, delta = {job.delta}", x, y, label)]
            os.makedirs(args.plot, exist_ok=True)
            path = os.path.join(args.plot, f"grid-{job.method}-eps{job.eps}.svg")
            with open(path, "w", encoding="utf-8") as file:
                file.write(scatter(panels))
        return measure(x, y, label)

    def real(method, seed, schema):
        return tables.read_table(os.path.join(folder, "train.csv"), schema)

    return 1 if single.run(args, "grid", "grid", folder, ["real"], real, look) else 0


if __name__ == "__main__":
    needs.require(("numpy", "pandas"))
    sys.exit(main())
