#!/usr/bin/env python3
"""Writes the corpus of fuzz_sum_file beside this script: a valid partial sum under that target's
layout and key, and files that go wrong at each step of the reader."""
import hashlib
import hmac
import pathlib
import struct

U64 = struct.Struct("<Q").pack


def layout_hash():
    head = U64(2) + U64(2) + U64(1) + U64(1000) + bytes(32)
    digest = hashlib.sha256(b"semblance layout 1\n\0" + head).digest()
    for name, per_class, nonnegative, bound2, bound1 in ((b"a", 1, 0, 100, 0), (b"b", 0, 1, 9, 4)):
        block = name.ljust(32, b"\0") + U64(2) + U64(0) + U64(per_class) + U64(nonnegative)
        block += U64(bound2) + U64(bound1) + struct.pack("<d", 1.0)
        digest = hashlib.sha256(digest + block).digest()
    return digest


def sum_file(rows=3, values=(10, -4, 20, 0, 5, 9, 1, 2), magic=b"SBLSUM1\n", version=1, count=None,
             plan=None):
    body = magic + struct.pack("<I", version) + (plan or layout_hash()) + U64(rows)
    body += U64(len(values) if count is None else count) + struct.pack(f"<{len(values)}q", *values)
    return body + hmac.digest(bytes(32), body, "sha256")


FILES = {
    "valid": sum_file(),
    "empty_sum": sum_file(0, (0,) * 8),
    "at_row_cap": sum_file(1000, (4000, -4000, 6000, 6000, 3000, 0, 400, 600)),
    "over_row_cap": sum_file(1001, (0, 0, 0, 0, 0, 0, 401, 600)),
    "wrong_magic": sum_file(magic=b"SBLREL1\n"),
    "version_2": sum_file(version=2),
    "other_plan": sum_file(plan=bytes(32)),
    "wrong_seal": sum_file()[:-1] + b"\0",
    "truncated": sum_file()[:-9],
    "header_only": sum_file()[:60],
    "half_a_header": sum_file()[:20],
    "one_byte_more": sum_file() + b"\0",
    "huge_count": sum_file(count=2**64 - 1),
    "values_missing": sum_file(values=(1, 2)),
    "sum_too_large": sum_file(values=(11, 0, 0, 0, 0, 0, 1, 2)),
    "sum_of_int64_min": sum_file(values=(-2**63, 0, 0, 0, 0, 0, 1, 2)),
    "negative_in_nonnegative": sum_file(values=(0, 0, 0, 0, -1, 0, 1, 2)),
    "negative_count": sum_file(values=(0, 0, 0, 0, 0, 0, -1, 4)),
    "counts_do_not_add_up": sum_file(values=(0, 0, 0, 0, 0, 0, 1, 1)),
    "empty_file": b"",
}

if __name__ == "__main__":
    folder = pathlib.Path(__file__).parent / "fuzz_sum_file"
    folder.mkdir(exist_ok=True)
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
