# SPDX-License-Identifier: Apache-2.0
"""Made-up visits of persons, some with more rows than count, some without an id, rows of one far apart."""
import random

SCHEMA = {
    "fields": [
        {"name": "person", "type": "string"},
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 100, "required": True}},
        {"name": "ward", "type": "string", "constraints": {"enum": ["eye", "heart", "skin"]}},
        {"name": "stay", "type": "string", "constraints": {"enum": ["long", "short"], "required": True}},
    ],
    "semblance": {"label": "stay", "unit": "person", "max_rows_per_unit": 3},
}


def rows(count, seed=5):
    draw = random.Random(seed)
    for _ in range(count):
        person = None if draw.random() < 0.03 else f"P{draw.randint(1, count // 3)}"
        yield {"person": person, "age": draw.randint(0, 100), "ward": draw.choice(["eye", "heart", "skin", None]),
               "stay": draw.choice(["long", "short"])}


def columns(count, seed=5):
    """The same by column."""
    listed = [*rows(count, seed)]
    return {name: [row[name] for row in listed] for name in listed[0]}
