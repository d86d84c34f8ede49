# SPDX-License-Identifier: Apache-2.0
"""Estimates and their variances from one table, with numpy alone.

Every estimate comes with the influence of each row; its variance is the sum over persons of the square of their rows' sum. A row
without a person is a person of its own. So the same code is valid for both, and for regressions whose model is not exact.
"""
import numpy


def clustered(influence, who):
    """The variance of an estimate from (rows, estimates) influences."""
    influence = numpy.atleast_2d(influence.T).T
    if who is not None:
        _, place = numpy.unique(who, return_inverse=True)
        influence = numpy.stack([numpy.bincount(place, column) for column in influence.T], 1)
    return (influence ** 2).sum(0)


def mean_of(value, inside):
    """The mean over some rows, and influences on it."""
    count = max(inside.sum(), 1)
    mean = value[inside].sum() / count
    return mean, numpy.where(inside, value - mean, 0) / count


def mean(value, inside, who):
    estimate, influence = mean_of(value, inside)
    return estimate, clustered(influence, who)[0]


def difference(value, first, second, who):
    (one, left), (two, right) = mean_of(value, first), mean_of(value, second)
    return one - two, clustered(left - right, who)[0]


def linear(design, outcome, who):
    """Coefficients of least squares, and variances."""
    inverse = numpy.linalg.inv(design.T @ design + 1e-9 * numpy.eye(design.shape[1]))
    beta = inverse @ design.T @ outcome
    return beta, clustered(design * (outcome - design @ beta)[:, None] @ inverse, who)


def logistic(design, outcome, who):
    """Coefficients of a logistic regression by Newton's method, and variances."""
    beta = numpy.zeros(design.shape[1])
    for _ in range(15):
        p = 1 / (1 + numpy.exp(-design @ beta))
        hessian = (design * (p * (1 - p))[:, None]).T @ design + 1e-9 * numpy.eye(len(beta))
        beta = beta + numpy.linalg.solve(hessian, design.T @ (outcome - p))
    return beta, clustered(design * (outcome - p)[:, None] @ numpy.linalg.inv(hessian), who)


def of_population(columns):
    """The statistics of a simulated table: name -> (estimate, variance)."""
    a, b, age, y, g = (columns[name] for name in ("a", "b", "age", "y", "g"))
    who = columns.get("id")
    every = numpy.ones(len(a), bool)
    found = {
        "share of y": mean(y, every, who),
        "share of y, a = 3": mean(y, a == 3, who),
        "mean of age": mean(age, every, who),
        "age by a (strong)": difference(age, a == 3, a == 0, who),
        "age by b (weak)": difference(age, b == 1, b == 0, who),
        "age by g (absent)": difference(age, g == 1, g == 0, who),
        "y by g (absent)": difference(y, g == 1, g == 0, who),
    }
    ones = numpy.ones(len(a))
    for kind, names, fitted in (
        ("linear", ("1", "a", "b", "y"), linear(numpy.stack([ones, a, b, y], 1), age, who)),
        ("logistic", ("1", "a", "b", "age", "g"),
         logistic(numpy.stack([ones, a, b, (age - 40) / 10, g], 1), y, who)),
    ):
        found |= {f"{kind} {name}": (q, u) for name, q, u in zip(names, *fitted)}
    if "x2" in columns:
        found["mean of x2"] = mean(columns["x2"], every, who)
        found["x2 by x0"] = difference(columns["x2"], columns["x0"] == 1, columns["x0"] == 0, who)
    return {name: (float(q), float(u)) for name, (q, u) in found.items()}


ABSENT = ("age by g (absent)", "y by g (absent)")


def inside(columns, name, value):
    """Rows of a category, or rows above a number."""
    return columns[name] == value if isinstance(value, str) else columns[name] > value


def values_of(column, number, rng):
    """Two categories, or one number inside the column's range, which divide its rows; both sides have at least 100."""
    if number:
        chosen = [float(numpy.quantile(column, rng.uniform(0.2, 0.8)))]
        return chosen if 100 <= (column > chosen[0]).sum() <= len(column) - 100 else []
    names, counts = numpy.unique(column, return_counts=True)
    names = names[counts >= 100]
    return [str(name) for name in rng.choice(names, 2, replace=False)] if len(names) >= 2 else []


def random_questions(columns, kinds, count, rng):
    """Statistics of any table: (kind, column, None or a value, by, values of by). kinds: name -> is it a number?
    A mean or a share, of all rows, in a group, or the difference of two groups."""
    names = sorted(kinds)
    asked = []
    for _ in range(100 * count):
        if len(asked) == count:
            break
        name, by = (str(one) for one in rng.choice(names, 2, replace=False))
        values, groups = (values_of(columns[one], kinds[one], rng) for one in (name, by))
        if not values or not groups:
            continue
        value = None if kinds[name] and rng.random() < 0.5 else values[0]
        asked.append((("all", "group", "difference")[rng.integers(0, 3)], name, value, by, groups))
    return asked


def answer(question, columns, who):
    kind, name, value, by, groups = question
    numbers = (columns[name] if value is None else inside(columns, name, value)).astype(float)
    first = inside(columns, by, groups[0])
    if kind == "all":
        return mean(numbers, numpy.ones(len(numbers), bool), who)
    if kind == "group":
        return mean(numbers, first, who)
    return difference(numbers, first, inside(columns, by, groups[1]) if len(groups) == 2 else ~first, who)
