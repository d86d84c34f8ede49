# SPDX-License-Identifier: Apache-2.0
"""Tables of the shapes of the RON-Gauss paper's studies, by a public recipe that is not Gaussian.

    z   8 latent factors, standard normal
    h   24 hidden values, tanh(B z + b), B standard normal / 2
    x   columns, C h + 0.25 t, C standard normal / sqrt(24), t Student with 3 degrees of freedom;
        cut at [-4, 4] and written with 3 digits
    classification (117 columns)  label 1 when <w, h> + h_1 h_2 + 0.3 l > 0, w standard normal / 2,
                                  l logistic
    regression (77 columns)       y = tanh((<w, h> + h_1 h_2) / 2) + 0.1 t, cut at [-1, 1]

Every constant is drawn from the generator below with the seed named there; rows from further seeds.
"""

import json
import pathlib

import numpy as np

STUDIES = {
    "classification": {"rows": 216752, "test": 1290, "columns": 117, "seed": 11},
    "regression": {"rows": 573820, "test": 4715, "columns": 77, "seed": 12},
}
FACTORS, HIDDEN, BOUND = 8, 24, 4


def draw(study, rows, seed):
    """(x, label or y) of `rows` records."""
    facts = STUDIES[study]
    constants = np.random.default_rng(facts["seed"])
    mix = constants.normal(size=(FACTORS, HIDDEN)) / 2
    shift = constants.normal(size=HIDDEN) / 2
    weights = constants.normal(size=HIDDEN) / 2
    columns = constants.normal(size=(HIDDEN, facts["columns"])) / np.sqrt(HIDDEN)
    rng = np.random.default_rng([facts["seed"], seed])
    hidden = np.tanh(rng.normal(size=(rows, FACTORS)) @ mix + shift)
    x = hidden @ columns + 0.25 * rng.standard_t(3, size=(rows, facts["columns"]))
    score = hidden @ weights + hidden[:, 0] * hidden[:, 1]
    if study == "classification":
        y = (score + 0.3 * rng.logistic(size=rows) > 0).astype(int)
    else:
        y = np.clip(np.tanh(score / 2) + 0.1 * rng.standard_t(3, size=rows), -1, 1)
        y = np.round(y, 3)
    return np.round(np.clip(x, -BOUND, BOUND), 3), y


def schema(study):
    columns = STUDIES[study]["columns"]
    fields = [{"name": f"x{j}", "type": "number",
               "constraints": {"minimum": -BOUND, "maximum": BOUND, "required": True},
               "semblance": {"decimals": 3}} for j in range(columns)]
    if study == "classification":
        fields.append({"name": "y", "type": "string", "constraints": {"enum": ["0", "1"], "required": True}})
    else:
        fields.append({"name": "y", "type": "number", "semblance": {"decimals": 3},
                       "constraints": {"minimum": -1, "maximum": 1, "required": True}})
    return {"fields": fields, "missingValues": [""], "semblance": {"label": "y", "task": study}}


def write(study, folder, rows=None, chunk=20000):
    """train.csv, schema.json in folder; test rows come from draw(study, n, 1)."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "schema.json").write_text(json.dumps(schema(study)))
    path = folder / "train.csv"
    rows = rows or STUDIES[study]["rows"]
    if path.exists():
        return path
    digits = np.array([f"{i / 1000:.3f}" for i in range(-1000 * BOUND, 1000 * BOUND + 1)])
    x, y = draw(study, rows, 0)
    with open(path, "w") as out:
        out.write(",".join([f"x{j}" for j in range(x.shape[1])] + ["y"]) + "\n")
        for first in range(0, rows, chunk):
            part = np.rint(1000 * (x[first:first + chunk] + BOUND)).astype(int)
            last = y[first:first + chunk].tolist()
            cells = digits[part].tolist()
            out.write("".join(",".join(row) + f",{value:g}\n" for row, value in zip(cells, last)))
    return path
