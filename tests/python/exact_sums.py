# SPDX-License-Identifier: Apache-2.0
"""The exact sums of records, for tests that compare them to the last bit. NOT PRIVATE.

A part (docs/FORMATS.md#parts) is opened with the key of its plan, as whoever sums could.
"""
import hashlib
import hmac
import json

import numpy

from semblance import Synthesizer, _core
from semblance._data import table
from semblance._work import Work

MAGIC = b"semblance-sum SECRET\n"


def _key(plan, key):
    """HKDF-SHA256, one block."""
    secret = hmac.digest(hashlib.sha256(plan).digest(), bytes.fromhex(key.decode().strip()), "sha256")
    return hmac.digest(secret, b"semblance part files 1\0" + b"\1", "sha256")


def _quarter(x, a, b, c, d):
    for first, second, third, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        x[first] += x[second]
        x[third] ^= x[first]
        x[third] = x[third] << numpy.uint32(turn) | x[third] >> numpy.uint32(32 - turn)


def _stream(key, nonce, size):
    """ChaCha20 from block 1 on (RFC 8439), all blocks side by side."""
    blocks = -(-size // 64)
    words = numpy.frombuffer(b"expand 32-byte k" + key + bytes(4) + nonce, "<u4")
    start = numpy.repeat(words[:, None], blocks, axis=1).astype(numpy.uint32)
    start[12] = numpy.arange(1, blocks + 1)
    x = start.copy()
    for _ in range(10):
        for places in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
                       (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            _quarter(x, *places)
    return (x + start).T.astype("<u4").tobytes()[:size]


def opened(part, plan, key):
    """The number of rows and all sums of a part."""
    assert part.startswith(MAGIC)
    length = int.from_bytes(part[len(MAGIC) : len(MAGIC) + 4], "little")
    sealed = part[len(MAGIC) + 4 + length :]
    nonce, words = sealed[:12], sealed[12:-16]
    stream = numpy.frombuffer(_stream(_key(plan, key), nonce, len(words)), "<i8")
    return numpy.frombuffer(words, "<i8") ^ stream


class Sums:
    """Of round 1 of a run under this schema."""

    def __init__(self, schema, rows=1000, method="marginals"):
        handle = Synthesizer(1, schema=schema)._schema()._handle
        self.plan, self.key = _core.parts_plan(handle, rows, [("epsilon", "1"), ("method", method)])
        fields = tuple(field["name"] for field in json.loads(json.dumps(schema))["fields"])
        self.unit = schema.get("semblance", {}).get("unit")
        self.work = Work(self.plan, self.key, fields, self.unit)

    def of(self, data):
        """Of what ``fit`` takes."""
        name = "a" if self.unit is None else "1/1"
        return opened(_core.parts_sum(table(data), self.plan, self.key, name, 1, []), self.plan, self.key)

    def of_part(self, records):
        """Of what a worker sums."""
        return opened(self.work.part(0, records).sums, self.plan, self.key)
