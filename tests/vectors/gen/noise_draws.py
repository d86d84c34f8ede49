#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws under the first test key, computed a second time.

    tests/vectors/gen/noise_draws.py > tests/vectors/noise_draws.csv

ChaCha20 (RFC 8439), the samplers and the cumulative table are written anew here from
docs/mechanisms/noise.md, with unbounded integers, fractions and decimals; nothing is read from the C
sources. Keystream: nonce 0, blocks from 0, little-endian 64-bit words. A request for n bits takes the
n highest of one word.
"""
import hashlib
import struct
from bisect import bisect_right
from decimal import Decimal, getcontext
from fractions import Fraction

KEY = bytes(range(0x80, 0xA0))
K = 56
SHOWN = 20


def chacha20_words(key):
    def quarter(s, a, b, c, d):
        for x, y, z, r in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            s[x] = (s[x] + s[y]) & 0xFFFFFFFF
            t = s[z] ^ s[x]
            s[z] = (t << r | t >> (32 - r)) & 0xFFFFFFFF

    for block in range(2**32):
        start = [*struct.unpack("<4I", b"expand 32-byte k"), *struct.unpack("<8I", key), block, 0, 0, 0]
        s = list(start)
        for _ in range(10):
            for i in range(4):
                quarter(s, i, 4 + i, 8 + i, 12 + i)
            for i in range(4):
                quarter(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
        yield from struct.unpack("<8Q", struct.pack("<16I", *((a + b) & 0xFFFFFFFF for a, b in zip(s, start))))


class Source:
    def __init__(self):
        self.stream = chacha20_words(KEY)
        self.words = 0

    def bits(self, n):
        self.words += 1
        return next(self.stream) >> (64 - n)


def fraction_below(source, x):
    """Random bits, 64 at a time, read as a fraction, are below x."""
    while x:
        x *= 2**64
        drawn = source.bits(64)
        if drawn != x // 1:
            return drawn < x // 1
        x -= x // 1
    return False


def uniform(source, k):
    while True:
        product = source.bits(32) * k
        if product % 2**32 >= 2**32 % k:
            return product >> 32


def bernoulli_exp(source, x):
    """Bernoulli(exp(-x)), any x >= 0."""
    while x >= 1:
        k = 2
        while uniform(source, k) == 0:
            k += 1
        if k % 2 == 0:
            return False
        x -= 1
    k = 1
    while fraction_below(source, x) and (k == 1 or uniform(source, k) == 0):
        k += 1
    return k % 2 == 1


def laplace(source):
    while True:
        u = source.bits(K)
        while not bernoulli_exp(source, Fraction(u, 2**K)):
            u = source.bits(K)
        v = 0
        while bernoulli_exp(source, Fraction(1)):
            v += 1
        y = u + v * 2**K
        negative = source.bits(1)
        if not (negative and y == 0):
            return -y if negative else y


def gaussian(source):
    while True:
        y = laplace(source)
        if abs(y) < 127 * 2**K and bernoulli_exp(source, Fraction((abs(y) - 2**K) ** 2, 2 ** (2 * K + 1))):
            return y


def cumulative_table():
    getcontext().prec = 90
    s0_squared = Decimal(2) ** 112 / sum(Decimal(2) ** (10 * i) for i in range(11))
    law = [(-Decimal(j * j) / (2 * s0_squared)).exp() for j in range(1500)]
    total = 2 * sum(law) - law[0]
    sums, table = law[0], []
    for j in range(870):
        table.append(int((sums / total * 2**128).to_integral_value()))
        sums += 2 * law[j + 1]
    return table


TABLE = cumulative_table()


def constant_flow(source):
    signs, total = source.bits(64), 0
    for level in range(11):
        uniform128 = source.bits(64) << 64 | source.bits(64)
        magnitude = bisect_right(TABLE, uniform128)
        total = 32 * total + (-magnitude if signs >> level & 1 else magnitude)
    return total


def main():
    print("# tests/vectors/gen/noise_draws.py, Python standard library. The first draws under test key 0,")
    print("# the keystream words all of them took, and the SHA-256 of all, 16 bytes little-endian each.")
    print("sampler,item,value")
    for name, draw, count in (("constant-flow", constant_flow, 4095), ("gaussian", gaussian, 4096),
                              ("laplace", laplace, 1000)):
        source = Source()
        drawn = [draw(source) for _ in range(count)]
        for i in range(SHOWN):
            print(f"{name},{i},{drawn[i]}")
        digest = hashlib.sha256(b"".join(y.to_bytes(16, "little", signed=True) for y in drawn)).hexdigest()
        print(f"{name},count,{count}\n{name},words,{source.words}\n{name},sha256,{digest}")


if __name__ == "__main__":
    main()
