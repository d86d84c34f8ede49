#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Broken inputs: each is refused in one line that says what is wrong, with its exit code, and nothing is left behind: no
output, no release, no ledger.  broken_inputs.py SEMBLANCE

A case is (what is in the files, the arguments, the exit code, a part of the line)."""
import gzip
import json
import os
import subprocess
import sys
import tempfile

AGE = {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}}
TOWN = {"name": "town", "type": "string", "constraints": {"enum": ["Ayr", "Bath"]}}
GOOD = {"fields": [AGE, TOWN]}
ROWS = "age,town\n" + "".join(f"{i % 100},{'Ayr' if i % 2 else 'Bath'}\n" for i in range(50))
SYNTH = ["synth", "t.csv", "--schema", "s.json", "--epsilon", "1", "-o", "out.csv"]
DEEP = "[" * 5000 + "]" * 5000


def schema(*fields, **rest):
    return {"fields": list(fields), **rest}


def field(**changes):
    return {**{"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}}, **changes}


def bounds(kind, low, high, **rest):
    return {"name": "x", "type": kind, "constraints": {"minimum": low, "maximum": high}, **rest}


def persons(**options):
    return schema(AGE, TOWN, semblance={**{"max_rows_per_unit": 3}, **options})


def rules(*constraints):
    """A value that may be missing holds every rule: this one may not."""
    return schema(field(constraints={"minimum": 0, "maximum": 99, "required": True}), TOWN, semblance={"constraints": list(constraints)})


# Schemas: the text of s.json, or what it means.
SCHEMAS = [
    ("", "s.json"), ("{", "s.json"), ("[]", "s.json"), ("null", "s.json"), ("\x00", "s.json"), (DEEP, "s.json"), ('{"fields": 1}', "fields"),
    ('{"fields": []}', "empty"), ('{"fields": [1]}', "fields[0]"), ('{"fields": {}}', "fields"), ('{"a": 1}', "fields"),
    ('{"fields": [], "fields": []}', "s.json"), ("\xff\xfe", "s.json"),
    (schema({"type": "integer"}), "name"), (schema({"name": ""}), "name"), (schema({"name": 5}), "name"),
    (schema({"name": "a\nb", "type": "integer"}), "control"), (schema(AGE, AGE), "twice"), (schema({"name": "age"}), "type"),
    (schema(field(type="int")), "type"), (schema(field(type=5)), "type"), (schema(field(type="object")), "type"),
    (schema(field(constraints={})), "bounds"), (schema(field(constraints={"minimum": 0})), "maximum"),
    (schema(field(constraints={"maximum": 0})), "minimum"), (schema(field(constraints=[])), "constraints"),
    (schema(field(constraints={"minimum": 9, "maximum": 1})), "above"), (schema(field(constraints={"minimum": "0", "maximum": 9})), "number"),
    (schema(field(constraints={"minimum": 0.5, "maximum": 9})), "age"), (schema(field(constraints={"min": 0, "max": 9})), "did you mean"),
    (schema(field(constraints={"minimum": 0, "maximum": 9, "unique": True})), "unique"),
    (schema(field(constraints={"minimum": 0, "maximum": 9, "required": "yes"})), "required"),
    (schema(field(constraints={"minimum": 0, "maximum": 9, "multipleOf": 3})), "multipleOf"),
    (schema(field(constraints={"minimum": 0, "maximum": 9, "nullable": False})), "did you mean required"),
    (schema(field(semblance=1)), "semblance"), (schema(field(semblance={"role": "key"})), "role"), (schema(field(semblance={"scale": 2})), "scale"),
    (schema(field(semblance={"transform": "sqrt"})), "transform"), (schema(field(semblance={"decimals": 2})), "decimals"),
    (schema(field(semblance={"other": "x"})), "other"), (schema(field(semblance={"other": 1})), "other"),
    (schema({"name": "town", "type": "string"}), "enum"), (schema({**TOWN, "constraints": {"enum": []}}), "empty list"),
    (schema({**TOWN, "constraints": {"enum": "Ayr"}}), "list"), (schema({**TOWN, "constraints": {"enum": [1]}}), "category number 1"),
    (schema({**TOWN, "constraints": {"enum": ["a", "a"]}}), "twice"), (schema({**TOWN, "constraints": {"enum": ["a", ""]}}), "missingValues"),
    (schema({**TOWN, "categoriesOrdered": "yes"}), "categoriesOrdered"), (schema({**TOWN, "semblance": {"other": "Cork"}}), "other"),
    (schema({**TOWN, "missingValues": "x"}), "missingValues"), (schema({**TOWN, "missingValues": [1]}), "missingValues"),
    (schema({**TOWN, "missingValues": ["Ayr"]}), "missingValues"), (schema({**TOWN, "decimalChar": ","}), "not a number"),
    (schema({"name": "b", "type": "boolean", "constraints": {"enum": ["x"]}}), "boolean"),
    (schema({"name": "b", "type": "boolean", "trueValues": []}), "trueValues"),
    (schema({"name": "b", "type": "boolean", "trueValues": ["x"], "falseValues": ["x"]}), "both"),
    (schema(bounds("number", 0, 1, semblance={"decimals": -1})), "decimals"), (schema(bounds("number", 0, 1, semblance={"decimals": 99})), "decimals"),
    (schema(bounds("number", 0.4, 0.6, semblance={"decimals": 0})), "decimals"), (schema(bounds("number", -1.7e308, 1.7e308)), "far apart"),
    (schema(bounds("date", "2020", "2021")), "date"), (schema(bounds("date", "2020-13-01", "2021-01-01")), "date"),
    (schema(bounds("date", 1, 2)), "date"), (schema(bounds("date", "2020-01-01", "2021-01-01", format="%d/%m")), "format"),
    (schema(bounds("date", "2020-01-01", "2021-01-01", format="%d.%m.%Y %H:%M")), "format"),
    (schema(bounds("date", "2020-01-01", "2021-01-01", format="any")), "format"),
    (schema(bounds("datetime", "2020-01-01", "x")), "datetime"), (schema(bounds("datetime", "2020-01-01", "2021-01-01", format="%Y")), "format"),
    (schema(bounds("number", 0, 1, decimalChar=";")), "decimalChar"), (schema(bounds("number", 0, 1, groupChar="ab")), "groupChar"),
    (schema(bounds("number", 0, 1, groupChar=".")), "the same character"), (schema(bounds("number", 0, 1, decimalChar=",", groupChar=",")), "the same character"),
    (schema(AGE, dialect=1), "dialect"), (schema(AGE, dialect={"delimiter": "ab"}), "dialect.delimiter"),
    (schema(AGE, dialect={"delimiter": "x"}), "dialect.delimiter"), (schema(AGE, dialect={"quoteChar": "x"}), "dialect.quoteChar"),
    (schema(AGE, dialect={"commentChar": ";", "delimiter": ";"}), "commentChar"), (schema(AGE, dialect={"commentChar": "a"}), "commentChar"),
    (schema(AGE, dialect={"headerRows": 3}), "headerRows"), (schema(AGE, dialect={"headerRows": [1, 2]}), "headerRows"),
    (schema(AGE, dialect={"headerRows": [0]}), "headerRows"), (schema(AGE, dialect={"headerRows": [2], "header": False}), "no header"),
    (schema(AGE, dialect={"header": 1}), "dialect.header"), (schema(AGE, dialect={"escapeChar": "\\"}), "dialect.escapeChar"),
    (schema(AGE, dialect={"doubleQuote": False}), "dialect.doubleQuote"), (schema(AGE, encoding="ebcdic"), "encoding"), (schema(AGE, encoding=8), "encoding"),
    (schema(AGE, semblance=1), "semblance"), (schema(AGE, semblance={"label": 1}), "label"), (schema(AGE, semblance={"label": "town"}), "label"),
    (schema(AGE, semblance={"task": "regression"}), "label"), (schema(AGE, semblance={"task": "guess"}), "task"),
    (schema(AGE, semblance={"label": "age", "task": "classification"}), "categorical"), (schema(AGE, semblance={"lable": "age"}), "lable"),
    (schema(AGE, TOWN, semblance={"label": "town", "task": "regression"}), "classification"),
    (schema(AGE, TOWN, semblance={"label": "town", "task": "none"}), "none"),
    (schema({"name": "age", "semblance": {"role": "ignore"}}), "ignored"),
    (schema(AGE, {"name": "town", "semblance": {"role": "ignore"}}, semblance={"label": "town"}), "ignore"),
    (persons(unit="who"), "'who' is not one of the columns"), (persons(unit=5), "unit"), (persons(), "max_rows_per_unit"),
    (schema(AGE, TOWN, semblance={"order": "age"}), "order needs semblance.unit"), (persons(unit="town", order="when"), "'when' is not one"),
    (persons(unit="town", order="age"), "required"), (schema({**AGE, "semblance": {"per": "unit"}}, TOWN), "needs semblance.unit"),
    (schema({**AGE, "semblance": {"per": "row"}}, TOWN), "only 'unit'"), (persons(unit="town", max_rows_per_unit=0), "1 to 1024"),
    (persons(unit="town", max_rows_per_unit=1025), "1 to 1024"), (persons(unit="town", max_rows_per_unit="3"), "1 to 1024"),
    (persons(unit="town", max_rows_per_unit=2.5), "1 to 1024"), (persons(unit="town", label="town"), "identifies the person"),
    (schema({"name": "age"}, semblance={"unit": "age", "max_rows_per_unit": 3}), "ignored"),
    (schema(AGE, {"name": "town", "semblance": {"role": "fake", "fake": "name"}}, semblance={"unit": "town", "max_rows_per_unit": 3}), "'id'"),
    (schema(AGE, {"name": "town", "semblance": {"role": "id", "id": "none"}}, semblance={"unit": "town", "max_rows_per_unit": 3}), "pattern"),
    (schema(AGE, {"name": "town", "semblance": 1}, semblance={"unit": "town", "max_rows_per_unit": 3}), "semblance"),
    (schema(AGE, {"name": "town", "semblance": {"Id": "P-#"}}, semblance={"unit": "town", "max_rows_per_unit": 3}), "Id"),
    (persons(unit="town", constraints=["town = Ayr"]), "'town'"),
    (rules("age > aeg"), "'aeg'"), (rules("town = Ary"), "'Ary'"), (rules("age = town"), "age"), (rules("year(age) = 3"), "year"),
    (rules("age = age + 1"), "itself"), (schema(AGE, bounds("integer", 0, 99), semblance={"constraints": ["age = x + 1", "x = age - 1"]}), "itself"),
    (rules("age < 5", "age > 90"), "no row"), (rules("age < 0"), "no row"), (rules("age <"), "age <"), (rules("age < 5 and"), "and"),
    (rules("(" * 30 + "age" + ")" * 30 + " > 1"), "nested"), (rules("age > 1" + " or age > 1" * 200), "1000 bytes"), (rules("age > 1" + " or age > 1" * 80), "too long"), (rules(5), "constraints"),
    (rules(*["age >= 0"] * 101), "100"), (schema(AGE, semblance={"constraints": "age > 1"}), "constraints"), (rules("forbid age >= 0"), "no row"),
]

# Tables: the bytes of t.csv.
TABLES = [
    (b"", "empty"), (b"\xef\xbb\xbf", "empty"), (b"\n\n\n", "no header"), (b"age;town\n1;Ayr\n", "semicolons"), (b"age\ttown\n1\tAyr\n", "tabs"),
    (b"age|town\n1|Ayr\n", "bars"), (b"Age,town\n1,Ayr\n", "'Age'"), (b"age,Town\n1,Ayr\n", "'Town'"), (b"AGE,TOWN\n1,Ayr\n", "'AGE'"),
    (b" age,town\n1,Ayr\n", "' age'"), (b"age\n1\n", "town"), (b"town\nAyr\n", "age"), (b"x,y\n1,2\n", "no header"), (b"41,Ayr\n42,Bath\n", "no header"),
    (b"age,town,age\n1,Ayr,2\n", "twice"), (b"age,town\n", "no rows"), (b'age,"town\n1,Ayr\n', "quote"),
    (b'age,"town"x\n1,Ayr\n', "closing quote"), (b'age,town\n1,"Ayr\n', "quoted cell"), (b"age,to\x00wn\n1,Ayr\n", "binary"),
    (b"PK\x03\x04" + b"x" * 100, "zip"), (b"PAR1" + b"x" * 100, "Parquet"), (b"\x28\xb5\x2f\xfd" + b"x" * 100, "zstd"),
    ("age,town\n1,Ayr\n".encode("utf-16"), "utf-16"), (b"\xfe\xff" + "age,town\n".encode("utf-16-be"), "utf-16"),
    (gzip.compress(ROWS.encode())[:-9], "gzip"), (gzip.compress(ROWS.encode())[:20], "gzip"), (b"\x1f\x8b" + b"junk" * 20, "gzip"),
    (gzip.compress(ROWS.encode()) + b"tail", "gzip"), (gzip.compress(b""), "empty"), (b"\x89PNG\r\n\x1a\n" + b"\x00" * 50, "t.csv"),
    (b"<html><body>\n", "no header"), (b'{"age": 1}\n', "no header"), (b"%PDF-1.7\n1\n", "no header"), (b"x" * 3000000, "header"),
]


def synth(*more, drop=0, method=None):
    """The usual command, less its last arguments, with others in place of its own or after them."""
    given = SYNTH[:len(SYNTH) - drop] if drop else list(SYNTH)
    if more and more[0] in given:
        at = given.index(more[0])
        given[at:at + 2] = []
    return given + (["--method", method] if method else []) + list(more)


# Arguments: what was typed, the exit code, a part of the line.
ARGUMENTS = [
    (["synth"], 2, "INPUT"), (["synth", "t.csv"], 2, "--epsilon"), (synth(drop=2), 2, "--output"), (["synth", "t.csv", "--schema", "s.json", "-o", "o"], 2, "--epsilon"),
    (synth("--epsilon", "0"), 2, "--epsilon"), (synth("--epsilon", "-1"), 2, "--epsilon"), (synth("--epsilon", "nan"), 2, "--epsilon"),
    (synth("--epsilon", "inf"), 2, "--epsilon"), (synth("--epsilon", "one"), 2, "--epsilon"), (synth("--epsilon", "1,5"), 2, "--epsilon"),
    (synth("--delta", "0"), 2, "--delta"), (synth("--delta", "1"), 2, "--delta"), (synth("--delta", "0.5"), 2, "delta"), (synth("--delta", "x"), 2, "--delta"),
    (synth("--neighbours", "both"), 2, "--neighbours"), (synth("--method", "magic"), 2, "--method"), (synth("--pure", method="pairs"), 2, "choose from ron-gauss, marginals"),
    (synth("--pure", method="merf"), 2, "choose from ron-gauss, marginals"), (synth("--pure", "--rounds", "1"), 2, "rounds is not"), (synth("--bins", "8"), 2, "bins is not"), (synth("--bins", "0", method="marginals"), 2, "--bins"),
    (synth("--bins", "5000", method="marginals"), 2, "--bins"), (synth("--features", "7", method="merf"), 2, "even"),
    (synth("--steps", "0", method="merf"), 2, "--steps"), (synth("--batch", "1", method="merf"), 2, "--batch"), (synth("--hidden", "8,,8", method="merf"), 2, "--hidden"),
    (synth("--hidden", "0", method="merf"), 2, "--hidden"), (synth("--learning-rate", "2", method="merf"), 2, "--learning-rate"),
    (synth("--geometry", "round", method="ron-gauss"), 2, "--geometry"), (synth("--dimensions", "0", method="ron-gauss"), 2, "--dimensions"),
    (synth("--rounds", "4"), 2, "--rounds"), (synth("--rounds", "0"), 2, "--rounds"), (synth("--threads", "0"), 2, "--threads"),
    (synth("--threads", "1024"), 2, "--threads"), (synth("--threads", "-1"), 2, "--threads"), (synth("--seed", "-1"), 2, "--seed"), (synth("--seed", "1.5"), 2, "--seed"),
    (synth("--rows", "0"), 2, "--rows"), (synth("--rows", "many"), 2, "--rows"), (synth("--health", "maybe"), 2, "--health"), (synth("--progress", "often"), 2, "--progress"),
    (synth("--nonsense"), 2, "--nonsense"), (synth("--epsilom", "1"), 2, "--epsilo"), (synth("--quiet=1"), 2, "--quiet"), (synth("another.csv"), 5, "another.csv"),
    (["synht", "t.csv"], 2, "synht"), (["schema"], 2, "schema"), (["schema", "chekc"], 2, "chekc"), (["schema", "check"], 2, "SCHEMA"),
    (["schema", "check", "none.json"], 5, "none.json"), (["schema", "check", "s.json", "none.csv"], 5, "none.csv"), (["schema", "inspect"], 2, "INPUT"),
    (["schema", "inspect", "none.csv"], 5, "none.csv"), (["schema", "inspect", "-"], 2, "file"), (["schema", "inspect", "t.csv", "-o", "s.json"], 5, "s.json"),
    (["synth", "none.csv", *SYNTH[2:]], 5, "none.csv"), (["synth", "t.csv", "--schema", "none.json", *SYNTH[4:]], 5, "none.json"),
    (["synth", ".", *SYNTH[2:]], 2, "folder that is read"), (synth("-o", "out.parquet", "--duckdb", "no.so"), 2, "not DuckDB"), (synth("-o", "out.xlsx"), 2, ".xlsx"), (synth("-o", "out.json"), 2, ".json"),
    (synth("-o", "none/out.csv"), 5, "none/"), (synth("-o", "t.csv", "--overwrite"), 2, "INPUT"), (synth("-o", "s.json", "--overwrite"), 2, "s.json"),
    (synth("-o", "-"), 2, "release"), (synth("--ledger", "none.ledger"), 5, "none.ledger"), (synth("--ledger", "t.csv"), 3, "t.csv"),
    (synth("--release", "t.csv", "--overwrite"), 2, "t.csv"), (["fit", "t.csv", "--schema", "s.json", "--epsilon", "1", "--model", "none/m"], 5, "none/"),
    (["plan", "--schema", "s.json", "--epsilon", "1"], 2, "--rows"), (["plan", "--schema", "s.json", "--epsilon", "1", "--rows", "0"], 2, "--rows"),
    (["sample", "none.model", "-o", "x.csv"], 5, "none.model"), (["sample", "t.csv", "-o", "x.csv"], 3, "t.csv"), (["train", "t.csv", "--model", "m"], 3, "t.csv"),
    (["verify", "none.json"], 5, "none.json"), (["verify", "s.json"], 3, "s.json"), (["ledger", "show", "none"], 5, "none"), (["ledger", "show", "t.csv"], 3, "t.csv"),
    (["account", "--epsilon", "1", "--delta", "2"], 2, "--delta"), (["evaluate", "--real", "t.csv", "--synthetic", "none.csv", "--schema", "s.json"], 5, "none.csv"),
]


def text_of(meaning):
    if isinstance(meaning, str):
        return meaning.encode("latin-1")
    return json.dumps(meaning).encode()


def cases():
    good = text_of(GOOD)
    for meaning, part in SCHEMAS:
        yield text_of(meaning), ROWS.encode(), SYNTH, 3, part
    for table, part in TABLES:
        yield good, table, SYNTH, 3, part
    for arguments, code, part in ARGUMENTS:
        yield good, ROWS.encode(), arguments, code, part


def check(semblance, folder, case):
    schema_text, table, arguments, code, part = case
    for name, content in (("s.json", schema_text), ("t.csv", table)):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    done = subprocess.run([semblance, *arguments], cwd=folder, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)
    said = done.stderr.decode("utf-8", "replace")
    faults = []
    if done.returncode != code:
        faults.append(f"exit code {done.returncode}, not {code}")
    if said.count("\n") != 1 or not said.startswith("semblance: "):
        faults.append("not one line")
    if part not in said:
        faults.append(f"'{part}' is not in it")
    if done.stdout:
        faults.append("something on standard output")
    left = sorted(set(os.listdir(folder)) - {"s.json", "t.csv"})
    if left:
        faults.append(f"left behind: {', '.join(left)}")
    for name in left:
        os.unlink(os.path.join(folder, name))
    return [f"{' '.join(arguments)}: {fault}: {said.strip()[:200]}" for fault in faults]


def main():
    every = list(cases())
    with tempfile.TemporaryDirectory() as folder:
        faults = [fault for case in every for fault in check(sys.argv[1], folder, case)]
    print("\n".join(faults))
    print(f"{len(every)} broken inputs, {len(faults)} faults")
    return 1 if faults or len(every) < 150 else 0


sys.exit(main())
