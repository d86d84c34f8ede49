#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of docs/CONSTRAINTS.md.

    docs_test.py CONSTRAINTS.md SEMBLANCE

The JSON block is a schema that `schema check` takes, and says what the text block holds. Each constraint of the first
table of constraints is taken alone, each of the second is refused for the reason beside it, in one line, those of a
person's rows are taken where the schema has a unit, and those of linked tables in a package.
"""
import json
import os
import re
import subprocess
import sys
import tempfile


def check(program, schema, folder):
    path = os.path.join(folder, "schema.json")
    with open(path, "w") as out:
        json.dump(schema, out)
    return subprocess.run([program, "schema", "check", path], capture_output=True, text=True)


def block(text, kind):
    return re.search(r"```%s\n(.*?)```" % kind, text, re.S).group(1)


def table(text, head, name="constraint"):
    """(constraint, note) of the table with these heads."""
    lines = iter(text.splitlines())
    for line in lines:
        if line.strip() == f"| {name} | {head} |".replace("  ", " "):
            break
    next(lines)
    rows = []
    for line in lines:
        found = re.match(r"\| `([^`]+)` \| ?(.*?) ?\|$", line)
        if not found:
            break
        rows.append(found.groups())
    return rows


def hospital(rule):
    """Patients, their stays and lab results, with one constraint of these."""
    def field(name, kind, **bounds): return {"name": name, "type": kind, "constraints": dict(bounds, required=True)}
    def day(name): return field(name, "date", minimum="2020-01-01", maximum="2024-12-31")
    def resource(name, fields, parent=None, **semblance):
        schema = {"fields": [field("id", "integer"), *fields], "primaryKey": "id", "semblance": semblance}
        if parent:
            schema["fields"].append(field("of", "integer"))
            schema["foreignKeys"] = [{"fields": "of", "reference": {"resource": parent, "fields": "id"}}]
        return {"name": name, "path": name + ".csv", "schema": schema}
    return {"resources": [
        resource("patients", [field("sex", "string", enum=["f", "m"]), field("born", "integer", minimum=1920, maximum=2024)]),
        resource("stays", [day("arrived"), day("left")], "patients"),
        resource("labs", [day("time"), field("test", "string", enum=["crp", "hcg"]), field("age", "integer", minimum=0, maximum=120)],
                 "stays", constraints=[rule])]}


def main():
    text = open(sys.argv[1]).read()
    program = sys.argv[2]
    schema = json.loads(block(text, "json"))
    with tempfile.TemporaryDirectory() as folder:
        result = check(program, schema, folder)
        assert result.returncode == 0, result.stderr
        for line in block(text, "text").splitlines():
            assert line in result.stdout.splitlines(), f"not said: {line}"
        good, bad = table(text, ""), table(text, "because it")
        assert len(good) > 8 and len(bad) > 4, "the tables were not found"
        for rule, _ in good:
            schema["semblance"]["constraints"] = [rule]
            result = check(program, schema, folder)
            assert result.returncode == 0, f"{rule}: {result.stderr}"
        for rule, why in bad:
            schema["semblance"]["constraints"] = [rule]
            result = check(program, schema, folder)
            assert result.returncode == 3, rule
            assert why in result.stderr and result.stderr.count("\n") == 1, f"{rule}: {result.stderr}"
        two = table(text, "", "constraint of a person's rows")
        assert len(two) > 3, "the table of persons was not found"
        schema["semblance"].update(unit="patient", order="admission")
        for rule, _ in two:
            schema["semblance"]["constraints"] = [rule]
            result = check(program, schema, folder)
            assert result.returncode == 0 and f"constraint: {rule} (of a person's rows" in result.stdout, f"{rule}: {result.stderr}"
        linked = table(text, "", "constraint of the table `labs`")
        assert len(linked) > 3, "the table of linked tables was not found"
        for rule, _ in linked:
            result = check(program, hospital(rule), folder)
            assert result.returncode == 0 and f"constraint: {rule}" in result.stdout, f"{rule}: {result.stderr}"
    print(f"{len(good) + len(two) + len(linked)} constraints taken, {len(bad)} refused")


if __name__ == "__main__":
    main()
