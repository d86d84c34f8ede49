#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many of the 2^20 tapes of 20 bits give each outcome of an exact sampler at scale 2 (k = 1).

    tests/vectors/gen/noise_tape.py > tests/vectors/noise_tape.csv

Independent of the C code and of any enumeration: an event is the list of how many bit strings of each
length lead to it (a generating function in the number of bits used), "and then" is a product of
series, a loop is a geometric series. The algorithms are those of Canonne, Kamath and Steinke 2020 as
docs/mechanisms/noise.md states them, with a fraction compared bit by bit and uniform integers from
3 bits. Before anything is written, the same text is run on probabilities instead of series and
compared with the true laws.
"""
import math
from fractions import Fraction

DEPTH = 20


class Series:
    """Number of bit strings by length, up to DEPTH bits."""

    def __init__(self, counts=()):
        self.counts = (list(counts) + [0] * (DEPTH + 1))[: DEPTH + 1]

    def __add__(self, other):
        return Series(a + b for a, b in zip(self.counts, other.counts))

    def __mul__(self, other):
        product = [0] * (DEPTH + 1)
        for i, a in enumerate(self.counts):
            for j in range(DEPTH + 1 - i):
                product[i + j] += a * other.counts[j]
        return Series(product)

    def over(self):
        return not any(self.counts)

    def tapes(self):
        return sum(c << (DEPTH - n) for n, c in enumerate(self.counts))


class Chance:
    """The same events by their probability alone."""

    def __init__(self, counts=()):
        self.p = math.fsum(c / 2**n for n, c in enumerate(counts))

    def __add__(self, other):
        return Chance([self.p + other.p])

    def __mul__(self, other):
        return Chance([self.p * other.p])

    def over(self):
        return self.p < 1e-18


Event = Chance
UNIFORM_BITS = 32


def bits(n, how_many):
    """how_many of the 2^n strings of n bits."""
    return Event([0] * n + [how_many])


def repeat_until(success, retry):
    """retry* then success."""
    total, again = Event(), Event([1])
    while not again.over():
        total += again * success
        again = again * retry
    return total


def fraction_below(x):
    """(true, false) of: random bits, read as a fraction, are below x."""
    true, false, used = Event(), Event(), 0
    while x and used < DEPTH:
        used += 1
        x *= 2
        if x >= 1:
            true += bits(used, 1)
            x -= 1
        else:
            false += bits(used, 1)
    return true, false + (Event() if x else bits(used, 1))


def one_in(k):
    """(true, false) of: a uniform integer below k is 0. Lemire: x k / 2^3 without the first
    2^3 mod k fractional parts."""
    size = 2**UNIFORM_BITS
    kept = size - size % k  # values of x that are not drawn again: size // k for each result
    retry = bits(UNIFORM_BITS, size - kept)
    zero = bits(UNIFORM_BITS, kept // k)
    other = bits(UNIFORM_BITS, kept - kept // k)
    return repeat_until(zero, retry), repeat_until(other, retry)


def bernoulli_exp_unit(x):
    """(true, false) of Bernoulli(exp(-x)), 0 <= x <= 1."""
    outcome = {1: Event(), 0: Event()}
    reached, k = Event([1]), 1
    while not reached.over() and k <= 2**UNIFORM_BITS:
        go, stop = (Event([1]), Event()) if x == 1 else fraction_below(x)
        if k > 1:
            hit, miss = one_in(k)
            go, stop = go * hit, stop + go * miss
        outcome[k % 2] += reached * stop
        reached, k = reached * go, k + 1
    return outcome[1], outcome[0]


def bernoulli_exp(x):
    true, false = Event([1]), Event()
    one = bernoulli_exp_unit(Fraction(1))
    for _ in range(math.floor(x)):
        true, false = true * one[0], false + true * one[1]
    rest = bernoulli_exp_unit(x - math.floor(x))
    return true * rest[0], false + true * rest[1]


def laplace(k):
    """{(negative, magnitude): series}."""
    parts = {u: bernoulli_exp_unit(Fraction(u, 2**k)) for u in range(2**k)}
    accepted = {u: bits(k, 1) * parts[u][0] for u in parts}
    retry = Event()
    for u in parts:
        retry += bits(k, 1) * parts[u][1]
    one = bernoulli_exp_unit(Fraction(1))
    candidates, scales, v = {}, Event([1]), 0
    while not scales.over() and v < 127:
        for u in parts:
            unsigned = repeat_until(accepted[u], retry) * scales * one[1]
            for negative in (0, 1):
                candidates[negative, u + (v << k)] = unsigned * bits(1, 1)
        scales, v = scales * one[0], v + 1
    restart = candidates.pop((1, 0))
    return {y: repeat_until(s, restart) for y, s in candidates.items() if not s.over()}


def gaussian(k):
    candidates = laplace(k)
    tests = {m: bernoulli_exp(Fraction((m - 2**k) ** 2, 2 ** (2 * k + 1))) for m in {m for _, m in candidates}}
    retry = Event()
    for (_, m), s in candidates.items():
        retry += s * tests[m][1]
    return {(n, m): repeat_until(s * tests[m][0], retry) for (n, m), s in candidates.items()}


def samplers():
    yes_no = lambda pair: {1: pair[0], 0: pair[1]}  # noqa: E731
    signed = lambda law: {(-m if n else m): s for (n, m), s in law.items()}  # noqa: E731
    return {
        "bernoulli-exp-0": yes_no(bernoulli_exp(Fraction(0))),
        "bernoulli-exp-3/8": yes_no(bernoulli_exp(Fraction(3, 8))),
        "bernoulli-exp-1": yes_no(bernoulli_exp(Fraction(1))),
        "bernoulli-exp-17/8": yes_no(bernoulli_exp(Fraction(17, 8))),
        "laplace": signed(laplace(1)),
        "gaussian": signed(gaussian(1)),
    }


def check():
    weights = {"laplace": lambda y: math.exp(-abs(y) / 2), "gaussian": lambda y: math.exp(-y * y / 8)}
    for sampler, law in samplers().items():
        if sampler in weights:
            total = math.fsum(map(weights[sampler], range(-400, 401)))
            truth = {y: weights[sampler](y) / total for y in range(-9, 10)}
        else:
            truth = {1: math.exp(-Fraction(sampler.split("-")[2]))}
        for y, p in truth.items():
            assert abs(law[y].p / p - 1) < 1e-12, (sampler, y, law[y].p, p)


def main():
    global Event, UNIFORM_BITS
    check()
    Event, UNIFORM_BITS = Series, 3
    print("# tests/vectors/gen/noise_tape.py, Python standard library. Tapes of 20 bits per outcome.")
    print("sampler,outcome,tapes")
    for sampler, law in samplers().items():
        for outcome in sorted(law):
            if law[outcome].tapes():
                print(f"{sampler},{outcome},{law[outcome].tapes()}")


if __name__ == "__main__":
    main()
