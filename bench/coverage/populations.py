# SPDX-License-Identifier: Apache-2.0
"""Populations that tables are drawn from, by seeded numpy, and their schemas.

Five columns are the same in all of them: a (four categories) and b (two) depend on each other, age on both, the label y on all
three, and g on nothing. Further columns depend on one column before them each. With persons, a person has 1 to 8 rows, which share a
part of age and of y.
"""
import numpy

MOST_ROWS = 8  # of a person
A = numpy.array([0.4, 0.3, 0.2, 0.1])
B_GIVEN_A = numpy.array([0.2, 0.35, 0.5, 0.7])
LEVELS = (2, 3, 4, 6)


def category(name, count):
    return {"name": name, "type": "string", "constraints": {"enum": [str(i) for i in range(count)], "required": True}}


def integer(name, high):
    return {"name": name, "type": "integer", "constraints": {"minimum": 0, "maximum": high, "required": True}}


def persons_of(n, rng):
    """Which person each of n rows belongs to."""
    counts = numpy.minimum(1 + rng.poisson(2, n), MOST_ROWS)
    return numpy.repeat(numpy.arange(n), counts)[:n]


def further(columns, count, rng):
    """Columns x0, x1, ...: every third is an integer, the others are categories; each depends on one before it."""
    n = len(columns["a"])
    codes = [columns["a"], columns["b"], columns["age"] // 25, columns["y"]]
    for j in range(count):
        parent = codes[(j * 7) % len(codes)]
        if j % 3 == 2:
            value = numpy.clip(numpy.round(rng.normal(20 + 4 * parent, 8)), 0, 50).astype(int)
            codes.append(value // 13)
        else:
            levels = LEVELS[j % 4]
            value = numpy.where(rng.random(n) < 0.4, parent % levels, rng.integers(0, levels, n))
            codes.append(value)
        columns[f"x{j}"] = value


def draw(count, n, persons, rng):
    """n rows of the population with this number of columns: name -> integers. Column id where there are persons."""
    a = rng.choice(4, n, p=A)
    b = (rng.random(n) < B_GIVEN_A[a]).astype(int)
    who = persons_of(n, rng) if persons else numpy.arange(n)
    own = rng.standard_normal(n)[who] if persons else numpy.zeros(n)
    spread = 12 / numpy.sqrt(2) if persons else 12
    age = numpy.round(rng.normal(40 + 5 * a - 3 * b + 12 / numpy.sqrt(2) * own, spread))
    age = numpy.clip(age, 0, 99).astype(int)
    logit = -1.2 + 0.5 * a + 0.8 * b + 0.02 * (age - 40) + 0.5 * own
    y = (rng.random(n) < 1 / (1 + numpy.exp(-logit))).astype(int)
    columns = {"a": a, "b": b, "age": age, "y": y, "g": rng.integers(0, 2, n)}
    further(columns, count - 5, rng)
    if persons:
        columns["id"] = who
    return columns


def schema(count, persons):
    fields = [category("a", 4), category("b", 2), integer("age", 99), category("y", 2), category("g", 2)]
    for j in range(count - 5):
        fields.append(integer(f"x{j}", 50) if j % 3 == 2 else category(f"x{j}", LEVELS[j % 4]))
    made = {"fields": fields}
    if persons:
        fields.append({"name": "id", "semblance": {"role": "id"}})
        made["semblance"] = {"unit": "id", "max_rows_per_unit": MOST_ROWS}
    return made
