#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same table as a CSV file and as an Arrow stream gives the same releases, over the library with the fixed key.

Each fit is a process of its own, so that the fixed key begins anew.
"""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from semblance import Synthesizer

import people
from same_bits import read

OPTIONS = {
    "marginals": {},
    "pairs": {},
    "merf": dict(features=32, hidden=[8], latent=2, steps=2, batch=8),
    "ron-gauss": dict(geometry="normalise"),
}


def fit(folder, method, form):
    """One fit of the table in the folder; its releases go to FORM.METHOD, .2, .3."""
    data = folder / "same.csv" if form == "file" else Synthesizer.load(folder / "model").sample(777, seed=5)
    path = folder / f"{form}.{method}"
    Synthesizer(epsilon=2, schema=people.SCHEMA, method=method, release=path, certificate=folder / f"{form}-{method}.json",
                ledger=folder / f"{form}-{method}.ledger", **OPTIONS[method]).fit(data)


class SameSums(unittest.TestCase):
    def test_of_every_method(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            path = people.write(folder / "people.csv", 400)
            first = Synthesizer(epsilon=4, schema=people.SCHEMA, method="marginals").fit(path)
            first.save(folder / "model")
            first.sample(777, seed=5).to_csv(folder / "same.csv")
            for method in OPTIONS:
                found = []
                for form in ("file", "arrow"):
                    subprocess.run([sys.executable, "-W", "ignore", __file__, "--fit", folder, method, form], check=True)
                    found.append([read(file.read_bytes()) for file in sorted(folder.glob(f"{form}.{method}*"))])
                self.assertGreater(len(found[0]), 1 if method == "pairs" else 0)
                self.assertEqual(*found, method)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--fit"]:
        fit(Path(sys.argv[2]), *sys.argv[3:])
    else:
        unittest.main()
