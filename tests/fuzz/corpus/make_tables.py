#!/usr/bin/env python3
"""Writes the seed inputs of fuzz_csv, fuzz_schema and fuzz_codec beside this file."""
import gzip
import json
import pathlib
import struct

here = pathlib.Path(__file__).parent


def put(target, name, data):
    folder = here / target
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


HEADER = "a,b,c,d,e,f\n"
ROW = "1,x,0.5,2001-02-03T04:05:06,true,note\n"
put("fuzz_csv", "plain", HEADER + ROW)
put("fuzz_csv", "crlf_bom", b"\xef\xbb\xbf" + (HEADER + ROW).replace("\n", "\r\n").encode())
put("fuzz_csv", "quotes", HEADER + '"1","y z","0.5","2001-02-03","0","a ""quoted""\nnote, long"\n' + ROW)
put("fuzz_csv", "open_quote", HEADER + '1,"x,0.5\n' + ROW)
put("fuzz_csv", "stray_quote", HEADER + '1,"x"x,0.5,,,\n' + ROW)
put("fuzz_csv", "short_and_long_rows", HEADER + "1\n\n,,,,,,,,\n" + ROW)
put("fuzz_csv", "missing", HEADER + "NA,,NA,,NA,\n" + ROW)
put("fuzz_csv", "bad_cells", HEADER + "1e999,q,nan,2001-02-30,maybe,\n-0x1,\xff,1e-400,,TRUE,\n")
put("fuzz_csv", "too_long", HEADER + "1,x," + "9" * 300 + ",,,\n" + ROW)
put("fuzz_csv", "long_number", HEADER + "0." + "3" * 200 + ",x,12345678901234567890e-20,,,\n" + ROW)
put("fuzz_csv", "other_order", "f,e,d,c,b,a,g\n,1,2001-02-03 04:05,.5,long name,-3,\n")
put("fuzz_csv", "no_header", ROW)
put("fuzz_csv", "twice", "a,a,b,c,d,e\n")
put("fuzz_csv", "empty", b"")
put("fuzz_csv", "nul", (HEADER + ROW).replace("x", "\0"))
packed = gzip.compress((HEADER + ROW * 20).encode(), mtime=0)
put("fuzz_csv", "gzip", packed)
put("fuzz_csv", "gzip_two_members", packed + gzip.compress(ROW.encode(), mtime=0) + bytes(16))
put("fuzz_csv", "gzip_cut_short", packed[:-9])

fields = [
    {"name": "n", "type": "integer", "constraints": {"minimum": 0, "maximum": 9, "required": True}},
    {"name": "x", "type": "number", "constraints": {"minimum": -0.5, "maximum": 1e3},
     "semblance": {"transform": "log", "decimals": 3}},
    {"name": "c", "type": "string", "constraints": {"enum": ["p", "q"]}, "categoriesOrdered": True,
     "semblance": {"other": "q"}, "missingValues": ["", "NA"]},
    {"name": "v", "type": "integer", "categories": [{"value": 1, "label": "one"}, 2]},
    {"name": "b", "type": "boolean", "trueValues": ["yes"], "falseValues": ["no"]},
    {"name": "d", "type": "date", "constraints": {"minimum": "1999-12-31", "maximum": "2024-02-29"}},
    {"name": "t", "type": "datetime",
     "constraints": {"minimum": "1999-12-31T00:00:00Z", "maximum": "2024-02-29T23:59:59Z"}},
    {"name": "i", "type": "any", "semblance": {"role": "ignore"}},
]
for field in fields:
    other = {"name": "z", "type": "boolean"}
    put("fuzz_schema", "field_" + field["name"], json.dumps({"fields": [field, other]}))
put("fuzz_schema", "all", json.dumps({"missingValues": [""], "fields": fields,
                                      "semblance": {"label": "c", "task": "classification"}}))
put("fuzz_schema", "regression", json.dumps({"fields": fields[:2], "semblance": {"label": "x"}}))
put("fuzz_schema", "unit", json.dumps({"fields": fields, "semblance": {"unit": "n"}}))
put("fuzz_schema", "not_json", "{")

put("fuzz_codec", "middle", struct.pack("<4d5I", 0.5, 0.25, 0.75, 0.125, 0, 1, 0, 0, 1))
put("fuzz_codec", "ends", struct.pack("<4d5I", 0, 1, 0, 1, 1, 2, 0, 1, 0))
put("fuzz_codec", "wild", struct.pack("<4d5I", float("nan"), float("inf"), -1e300, 5e-324,
                                      2**32 - 1, 7, 9, 3, 2))
put("fuzz_codec", "empty", b"")

# The first byte: a for an array, l for lines.
OBJECT = '{"a": 1, "b": "x", "c d": 0.5}'
put("fuzz_json", "lines", f"l{OBJECT}\n{OBJECT}\n")
put("fuzz_json", "array", f"a [\n{OBJECT},\n {OBJECT}\n]\n")
put("fuzz_json", "empty", "l")
put("fuzz_json", "empty_array", b"a\xef\xbb\xbf[ ]")
put("fuzz_json", "values", 'l{"a": -12, "b": true, "c d": null}\n{"a": 1e400, "b": [1, {"a": "]"}], "c d": {"b": {}}}\n')
put("fuzz_json", "numbers", "\n".join('l{"a": ' + n + "}" for n in "0 -0 01 1. .5 1e5 1E+5 1e -".split()) + '\n{"a": ' + "9" * 200 + "}")
put("fuzz_json", "escapes", r'l{"a": "\u00e9\ud83d\ude00\n\"\\\/\b\f\r\t", "\u0062": "\ud800", "c d": "\udc00\ud800x\u0000"}')
put("fuzz_json", "bad_lines", 'l\n\nnull\n{"a": 1\n{"a": 1}}\n{"a": 1,}\n{a: 1}\n"\n{"a": "\\x"}\n' + OBJECT)
put("fuzz_json", "bad_elements", 'a[null, {"a": 1}}, {"a"], , "],", {"a": 2}]')
put("fuzz_json", "open_string", 'a[{"a": "]]]')
put("fuzz_json", "open_array", "a[" + OBJECT)
put("fuzz_json", "open_after_comma", "a[" + OBJECT + ",")
put("fuzz_json", "behind", "a[] []")
put("fuzz_json", "twice", 'l{"a": 1, "a": 2, "b": "x", "b": null}')
put("fuzz_json", "deep", "l" + '{"a":' + "[" * 99 + "]" * 99 + '}\n{"b":' + "[" * 101 + "]" * 101 + "}")
put("fuzz_json", "bytes", b'l{"a": "\xff\xfe", "b": "\x00", "c d": "\x7f"}\n{"a":"\xc3\xa9"}')
put("fuzz_json", "long", 'l{"z": "' + "q" * 3000 + '", "a": "' + "r" * 2000 + '"}\n' + OBJECT)
