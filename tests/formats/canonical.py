# SPDX-License-Identifier: Apache-2.0
"""Canonical JSON as docs/FORMATS.md describes it: what digests of certificates, plans and models are taken of.

Real numbers are written with 17 digits there, whatever the file has: people read shorter ones.
"""
import json
import re


def loads(text):
    return json.loads(text)


def real(value):
    text = "%.17g" % value
    if "e" in text:
        digits, exponent = text.split("e")
        return f"{digits}e{int(exponent)}"
    return text if "." in text else text + ".0"


def dumps(value):
    if isinstance(value, float):
        return real(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{dumps(name)}:{dumps(value[name])}" for name in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(dumps, value)) + "]"
    # Capital hex digits in escapes.
    return re.sub(r"\\u[0-9a-f]{4}", lambda m: "\\u" + m.group()[2:].upper(), json.dumps(value))
