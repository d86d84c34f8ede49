#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes ../account.csv: privacy arithmetic with 60 digits, independent of the C code.

Gaussian deltas come from mpmath's erfc, calibrations from bisection, the discrete
Gaussian from plain sums over integers. Run by hand; needs python3-mpmath. Arguments are decimal
texts; the C tests read them as doubles, and so does this script (number()), so both sides compute
with the same binary numbers.
"""
import os
import random

import mpmath
from mpmath import mp, mpf

mp.dps = 60
PRINTED = 30


def number(text):
    """The double that C reads from text, exactly."""
    return mpf(float(text))


def gdp_delta(mu, eps):
    """Balle and Wang 2018, theorem 8. Extra digits against the cancellation of the two terms."""
    if mu == 0:
        return max(mpf(0), 1 - mpmath.exp(eps))
    with mpmath.workdps(120 + int(min(900, abs(eps / mu) ** 2 / 2))):
        a = eps / mu - mu / 2
        b = eps / mu + mu / 2
        root = mpmath.sqrt(2)
        return (mpmath.erfc(a / root) - mpmath.exp(eps) * mpmath.erfc(b / root)) / 2


def solve(function, low, high):
    """The root of a monotone function by bisection on the logarithm, 45 digits."""
    sign = function(low) > 0
    assert sign != (function(high) > 0)
    for _ in range(170):
        middle = mpmath.sqrt(low * high)
        if (function(middle) > 0) == sign:
            low = middle
        else:
            high = middle
    return low


def gdp_mu(eps, delta):
    return solve(lambda mu: gdp_delta(mu, eps) - delta, mpf("1e-12"), mpf(1000))


def gdp_epsilon(mu, delta):
    if gdp_delta(mu, mpf(0)) <= delta:
        return mpf(0)
    return solve(lambda eps: gdp_delta(mu, eps) - delta, mpf("1e-12"), mpf(10) ** 7)


def mixed_delta(mu, eps0, parts, eps):
    q = 1 / (1 + mpmath.exp(-eps0))
    return mpmath.fsum(
        mpmath.binomial(parts, j) * q**j * (1 - q) ** (parts - j)
        * gdp_delta(mu, eps - (2 * j - parts) * eps0)
        for j in range(parts + 1))


def mixed_epsilon(mu, eps0, parts, delta):
    if mixed_delta(mu, eps0, parts, mpf(0)) <= delta:
        return mpf(0)
    return solve(lambda eps: mixed_delta(mu, eps0, parts, eps) - delta, mpf("1e-12"), mpf(10) ** 4)


def laplace_1d_delta(mu, eps0, eps):
    """One real Laplace variable beside the Gaussian, exactly."""
    inner = mpmath.quad(
        lambda loss: mpmath.exp(-(eps0 - loss) / 2) * gdp_delta(mu, eps - loss) / 4,
        mpmath.linspace(-eps0, eps0, 9))
    return gdp_delta(mu, eps - eps0) / 2 + mpmath.exp(-eps0) * gdp_delta(mu, eps + eps0) / 2 + inner


def discrete_delta(scale, shift, eps):
    """Canonne, Kamath and Steinke 2020, theorem 7: one coordinate, integer shift."""
    reach = 40 * scale
    weight = [mpmath.exp(-mpf(k * k) / (2 * scale * scale)) for k in range(reach + 1)]
    total = 2 * mpmath.fsum(weight) - weight[0]

    def above(threshold):
        first = int(mpmath.floor(threshold)) + 1
        assert first > 0
        return mpmath.fsum(weight[first:]) / total

    centre = eps * scale * scale / shift
    half = mpf(shift) / 2
    return above(centre - half) - mpmath.exp(eps) * above(centre + half)


def allowance(draws, releases, eps):
    """The formulas of docs/mechanisms/discretisation.md with L = 100, scale 2^56."""
    d, k, length, s = mpf(draws), mpf(releases), mpf(100), mpf(2) ** 56
    eta1 = d / (24 * s**2)
    norm = s * mpmath.sqrt(d + 2 * mpmath.sqrt(k * d * length) + 2 * k * length) + mpmath.sqrt(d) / 2
    eta = eta1 + norm**2 / (24 * s**4)
    delta = (mpmath.expm1(eta1) + mpmath.exp(eta1) * k * mpmath.exp(eps - length)
             + (1 + mpmath.exp(eps + eta)) * d * mpf("1e-32"))
    return eta, delta


ROWS = []


def add(quantity, arguments, value):
    cells = [str(a) for a in arguments] + [""] * (4 - len(arguments))
    ROWS.append(",".join([quantity] + cells + [mpmath.nstr(value, PRINTED)]))


def calibration():
    pairs = [(e, d) for d in ("1e-5", "1e-6", "1e-9")
             for e in ("0.1", "0.2", "0.5", "1", "2", "5", "10")]
    pairs += [(e, "1e-5") for e in ("0.3", "0.6", "0.8")]
    pairs += [(e, "5e-6") for e in ("0.1", "0.2", "0.5", "0.6", "0.8", "1")]
    pairs += [(e, d) for d in ("1e-3", "1e-12", "1e-30", "0.1", "0.5", "0.9", "0.999")
              for e in ("0.001", "0.03", "1", "8", "40")]
    pairs += [("1e-8", "1e-5"), ("3", "1e-100"), ("100", "1e-5"), ("0.7", "1e-300")]
    for eps, delta in pairs:
        mu = gdp_mu(number(eps), number(delta))
        add("mu", (eps, delta), mu)
        for k in (1, 2, 3, 10, 100):
            add("sigma", (eps, delta, k), mpmath.sqrt(k) / mu)


def conversions():
    pairs = [("0.1", "0.3"), ("1", "3"), ("2", "5"), ("0.5", "-0.3"), ("1", "0"), ("1e-6", "0")]
    pairs += [(m, e) for m in ("0.25", "0.5", "1", "2") for e in ("0.5", "1", "2", "4")]
    draw = random.Random(20240607)
    for _ in range(150):
        mu = 10 ** draw.uniform(-7, 2)
        eps = draw.choice((mu * draw.uniform(0, 36), mu * mu / 2 * draw.uniform(0.5, 1.5),
                           -mu * draw.uniform(0, 5)))
        pairs.append(("%.6g" % mu, "%.6g" % eps))
    for mu, eps in pairs:
        add("delta", (mu, eps), gdp_delta(number(mu), number(eps)))
    pairs = [("0.1", "1e-5"), ("0.5", "1e-6"), ("1", "1e-5"), ("2", "1e-9"), ("4", "1e-6"),
             ("0.001", "1e-5"), ("30", "1e-5"), ("0.01", "1e-40"), ("1", "0.5"), ("3", "0.85")]
    for mu, delta in pairs:
        add("epsilon", (mu, delta), gdp_epsilon(number(mu), number(delta)))
    for sigma in ("0.5", "1", "2", "5", "10", "25"):
        for delta in ("1e-5", "1e-6"):
            add("epsilon_sigma", (sigma, delta), gdp_epsilon(1 / number(sigma), number(delta)))


def mixtures():
    cases = [("0.25", "0.1", 1, "1"), ("0.5", "0.3", 1, "1"), ("0.5", "0.3", 1, "2"),
             ("0.25", "0.5", 1, "1"), ("1", "1", 1, "4")]
    for mu, eps0, parts, eps in cases:
        values = [number(v) for v in (mu, eps0, eps)]
        add("mixed", (mu, eps0, parts, eps), mixed_delta(values[0], values[1], 1, values[2]))
        add("laplace_1d", (mu, eps0, parts, eps), laplace_1d_delta(*values))
    for mu, eps0, parts, eps in [("0.25", "0.1", 5, "1"), ("0.3", "0", 7, "0.9"), ("0", "0.5", 1, "0.2"),
                                 ("0", "0.1", 30, "1.5"), ("0.2", "0.01", 200, "1.3"),
                                 ("0.1", "2", 3, "5"), ("0.4", "0.2", 0, "1.5"), ("1", "0.25", 1, "-0.5")]:
        add("mixed", (mu, eps0, parts, eps), mixed_delta(number(mu), number(eps0), parts, number(eps)))
    for mu, eps0, parts, delta in [("0.25", "0.1", 1, "1e-5"), ("0.5", "0.3", 4, "1e-6"),
                                   ("0", "0.5", 1, "0.1"), ("0", "0.1", 10, "1e-3"), ("2", "1", 1, "1e-9"),
                                   ("0.2", "0.02", 100, "1e-5"), ("0.1", "0.2", 1, "0.5")]:
        add("mixed_epsilon", (mu, eps0, parts, delta),
            mixed_epsilon(number(mu), number(eps0), parts, number(delta)))


def discreteness():
    for scale, shift, eps in [(4, 1, "1"), (4, 1, "0.5"), (8, 1, "1"), (16, 4, "1"), (64, 16, "1"),
                              (256, 64, "1"), (1024, 256, "1")]:
        add("discrete", (scale, shift, eps), discrete_delta(scale, shift, number(eps)))
    for draws, releases, eps in [(1, 1, "1"), (10**6, 1, "1"), (10**7, 1, "10"), (10**7, 10**5, "10"),
                                 (4096, 3, "0.1"), (10**4, 1, "50")]:
        eta, delta = allowance(draws, releases, number(eps))
        add("allowance_epsilon", (draws, releases, eps), eta)
        add("allowance_delta", (draws, releases, eps), delta)


def main():
    calibration()
    conversions()
    mixtures()
    discreteness()
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, os.pardir, "account.csv"), "w", encoding="ascii") as out:
        out.write("# Written by gen/account.py (mpmath %s, %d digits). Do not edit.\n" % (mpmath.__version__, mp.dps))
        out.write("# mu: largest mu at (epsilon, delta). sigma: noise over sensitivity for k releases.\n")
        out.write("# delta: at (mu, epsilon). epsilon: at (mu, delta); epsilon_sigma: at (sigma, delta).\n")
        out.write("# mixed, laplace_1d: delta at (mu, epsilon0, parts, epsilon). mixed_epsilon: (mu, epsilon0, parts, delta).\n")
        out.write("# discrete: (scale, shift, epsilon). allowance_*: (draws, releases, epsilon).\n")
        out.write("quantity,a,b,c,d,value\n")
        out.write("\n".join(ROWS) + "\n")


if __name__ == "__main__":
    main()
