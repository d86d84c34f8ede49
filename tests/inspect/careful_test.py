#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Small tables with odd marks, ids and dates, each with the schema that a careful person would write:
careful_test.py PROGRAM. `schema inspect` agrees on all types, persons and missing marks, and says what it did.

Tables are made here. Types are those of fields, or a role that is proposed: id, fake."""
import json
import os
import random
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
TABLES = []


def table(function):
    TABLES.append(function)
    return function


def day(rng, first=2010, last=2023):
    return rng.randint(first, last), rng.randint(1, 12), rng.randint(1, 28)


def iso(parts):
    return "%04d-%02d-%02d" % parts


def persons(rng, count, most=6):
    """One (number, sex, date of birth) per row, the rows of a person mixed with those of others."""
    rows = []
    for who in range(count):
        about = (who, rng.choice("fm"), iso(day(rng, 1930, 2005)))
        rows += [about] * rng.randint(1, most)
    rng.shuffle(rows)
    return rows


@table
def exponents(rng):
    """As pandas writes small and large numbers."""
    rows = [[repr(rng.gauss(0, 1) * 10.0 ** rng.randint(-7, 0)), repr(10.0 ** rng.randint(14, 17) * rng.random()), rng.choice("ab")] for _ in range(200)]
    return ["effect", "count", "arm"], rows, {"effect": "number", "count": "number", "arm": "string"}, {}


@table
def exponents_with_decimal_commas(rng):
    rows = [[("%.3e" % rng.gauss(0, 1e-4)).replace(".", ","), ("%.2f" % rng.uniform(0, 90)).replace(".", ",")] for _ in range(200)]
    return ["rate", "share"], rows, {"rate": "number", "share": "number"}, {"delimiter": ";"}


@table
def sodium(rng):
    """Na is a test among tests, and an empty value is missing."""
    tests = ["Na", "K", "Cl", "Ca", "Mg", "CRP", "Hb"]
    rows = [["L%05d" % (r // 4), rng.choice(tests), "" if r % 40 == 0 else "%.1f" % rng.uniform(1, 140)] for r in range(400)]
    return ["sample", "test", "result"], rows, {"sample": "person", "test": "string", "result": "number"}, {"categories": {"test": set(tests)}, "missing": {"result": {""}}}


@table
def namibia(rng):
    codes = ["NA", "DE", "US", "FR", "ZA", "BW", "IN"]
    rows = [[rng.choice(codes), rng.randint(1, 90)] for _ in range(300)]
    return ["country", "age"], rows, {"country": "string", "age": "integer"}, {"categories": {"country": set(codes)}}


@table
def marks_unlike_the_rest(rng):
    """NA among words in lower case, and a dash among words, mean missing: each is reported with its count."""
    rows = [["NA" if r % 10 == 0 else rng.choice(["yes", "no"]), "-" if r % 20 == 0 else rng.choice(["mild", "severe"]), "n/a" if r % 25 == 0 else rng.choice("XYZ")] for r in range(300)]
    return ["smoker", "grade", "code"], rows, {"smoker": "string", "grade": "string", "code": "string"}, {
        "missing": {"smoker": {"NA"}, "grade": {"-"}, "code": {"n/a"}},
        "says": ["smoker: 'NA' is taken to mean missing, in 30 of 300 rows", "grade: '-' is taken to mean missing, in 15 of 300 rows", "code: 'n/a' is taken to mean missing, in 12 of 300 rows"]}


@table
def marks_among_numbers(rng):
    rows = [["-" if r % 10 == 0 else rng.randint(0, 300), "k. A." if r % 8 == 0 else "%.1f" % rng.uniform(35, 41), "unknown" if r % 9 == 0 else iso(day(rng))] for r in range(300)]
    return ["dose", "temperature", "seen"], rows, {"dose": "integer", "temperature": "number", "seen": "date"}, {
        "missing": {"dose": {"-"}, "temperature": {"k. A."}, "seen": {"unknown"}}, "says": ["dose: '-' is taken to mean missing, in 30 of 300 rows"]}


@table
def results_with_signs(rng):
    """A dash is a value where a plus is one, and none is a grade among grades."""
    rows = [[rng.choice(["+", "-", "++"]), rng.choice(["none", "mild", "severe"])] for _ in range(200)]
    return ["rhesus", "pain"], rows, {"rhesus": "string", "pain": "string"}, {"categories": {"rhesus": {"+", "-", "++"}, "pain": {"none", "mild", "severe"}}}


@table
def patients_by_any_name(rng):
    rows = [[70000 + who * 7, sex, born, iso(day(rng)), rng.choice(["eyes", "skin"]), "%.2f" % rng.uniform(10, 900)] for who, sex, born in persons(rng, 120)]
    return ["Zr", "s", "geb", "kam", "ward", "bill"], rows, {"Zr": "person", "s": "string", "geb": "date", "kam": "date", "ward": "string", "bill": "number"}, {}


@table
def stays_of_patients(rng):
    """The person is the patient, not the stay within which the patient is constant; nor is it the code of a diagnosis with its text."""
    codes = {"%s%02d.%d" % (rng.choice("ABCD"), i, i % 9): "text %d" % i for i in range(60)}
    rows, stay = [], 0
    for who in range(90):
        about = rng.choice("fm"), str(rng.randint(1930, 2010))
        for _ in range(rng.randint(1, 4)):
            stay += 1
            ward, came = rng.choice(["W1", "W2", "W3"]), iso(day(rng))
            for _ in range(rng.randint(1, 4)):
                code = rng.choice(sorted(codes))
                rows.append(["F%06d" % (stay * 3), "X%05d" % (who * 11), *about, ward, came, code, codes[code]])
    rng.shuffle(rows)
    return ["fall", "knr", "sex", "year", "ward", "came", "drg", "drg_text"], rows, {
        "fall": "text", "knr": "person", "sex": "string", "year": "integer", "ward": "string", "came": "date"}, {"silent": ["drg: values repeat", "came: values repeat"]}


@table
def nobody(rng):
    """Ages with their groups, postcodes with their states, codes with their texts: no column is a person."""
    rows = []
    for _ in range(400):
        age, code, job = rng.randint(18, 90), rng.randint(10000, 10079), rng.randint(0, 29)
        rows.append([age, "%d0s" % (age // 10), code, "state %d" % ((code - 10000) // 10), 100 + job, "job %s" % chr(97 + job % 26) * (1 + job // 26), rng.randint(0, 9) * 100])
    return ["age", "decade", "plz", "state", "isco", "job", "pay"], rows, {
        "age": "integer", "decade": "string", "plz": "integer", "state": "string", "isco": "integer", "job": "string", "pay": "integer"}, {"silent": ["values repeat"]}


@table
def nearly_unique(rng):
    """0.4 % of the patients are there twice."""
    people = [(50000 + 3 * who, rng.choice("fm"), rng.randint(1920, 2015), rng.choice("ABCD")) for who in range(6000)]
    rows = [list(one) for one in people + people[:24]]
    rng.shuffle(rows)
    return ["mrnr", "sex", "born", "group"], rows, {"mrnr": "id", "sex": "string", "born": "integer", "group": "string"}, {
        "says": ["mrnr: nearly unique, 0.4 % of its values are in several rows"]}


@table
def grouped_laboratory(rng):
    """No other column is the person's, but the rows of a person follow each other."""
    rows = [[20000 + 13 * who, rng.choice(["K", "Na", "CRP"]), "%.1f" % rng.uniform(1, 150)] for who in range(80) for _ in range(rng.randint(2, 9))]
    return ["num", "test", "value"], rows, {"num": "person", "test": "string", "value": "number"}, {"categories": {"test": {"K", "Na", "CRP"}}}


@table
def mixed_dates(rng):
    rows = []
    for r in range(400):
        when = day(rng)
        rows.append([iso(when) if r % 5 else "%02d.%02d.%04d" % when[::-1], rng.choice("ab")])
    return ["seen", "arm"], rows, {"seen": "date", "arm": "string"}, {
        "format": {"seen": ["default", "%d.%m.%Y"]}, "says": ["seen: dates in 2 formats, 80 % ISO 8601, 20 % %d.%m.%Y"]}


@table
def named_months(rng):
    months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
    rows = []
    for _ in range(200):
        (y, m, d), (y2, m2, d2) = day(rng), day(rng)
        rows.append(["%02d %s %d" % (d, months[m - 1], y), "%04d%02d%02d" % (y2, m2, d2)])
    return ["born", "came"], rows, {"born": "date", "came": "date"}, {"format": {"born": ["%d %b %Y"], "came": ["%Y%m%d"]}}


@table
def times_of_day(rng):
    rows = [["%02d:%02d" % (rng.randint(6, 21), rng.randint(0, 59)), "%02d:%02d:%02d" % (rng.randint(0, 23), rng.randint(0, 59), rng.randint(0, 59)),
             "" if r % 10 == 0 else "%04d-%02d-%02d 12:%02d" % (*day(rng), r % 60)] for r in range(200)]
    return ["opens", "called", "seen"], rows, {"opens": "time", "called": "time", "seen": "datetime"}, {"missing": {"seen": {""}}}


@table
def names_of_people(rng):
    first, last = ["Anna", "Ben", "Clara", "David", "Eva", "Finn"], ["Meyer", "Stone", "Kurz", "Lund", "Rossi", "Novak"]
    rows = [[rng.choice(first) + " " + rng.choice(last) + rng.choice(["", "-" + rng.choice(last)]), rng.choice(last) + rng.choice("abcdefgh") + rng.choice("xyz"),
             rng.choice(["female", "male"]), rng.randint(18, 90)] for _ in range(300)]
    return ["name", "Nachname", "sex", "age"], rows, {"name": "fake", "Nachname": "fake", "sex": "string", "age": "integer"}, {}


@table
def units_and_percents(rng):
    rows = [["%d kg" % rng.randint(40, 130), "%d%%" % rng.randint(0, 100), "%.1f mg/dl" % rng.uniform(0, 9), "{:,}".format(rng.randint(900, 3000000))] for _ in range(200)]
    return ["weight", "share", "crp", "income"], rows, {"weight": "integer", "share": "integer", "crp": "number", "income": "integer"}, {
        "suffix": {"weight": " kg", "share": "%", "crp": " mg/dl"}, "delimiter": ";", "again": True}


@table
def line_ends(rng):
    rows = [["%d.%03d,%02d EUR" % (rng.randint(1, 9), rng.randint(0, 999), rng.randint(0, 99)), "%02d.%02d.%d" % (*day(rng)[::-1][:2], 2020)] for _ in range(200)]
    return ["bill", "paid"], rows, {"bill": "number", "paid": "date"}, {"delimiter": ";", "end": "\r\n", "suffix": {"bill": " EUR"}, "format": {"paid": ["%d.%m.%Y"]}, "again": True}


@table
def codes_with_zeros(rng):
    rows = [["%03d" % rng.randint(1, 12), rng.choice([0, 1]), "2%03d0000000000000" % r] for r in range(300)]
    return ["drg", "died", "card"], rows, {"drg": "string", "died": "string", "card": "id"}, {}


@table
def uuids(rng):
    rows = []
    for who, sex, born in persons(rng, 60):
        rows.append(["%08x-0000-4000-8000-%012x" % (who * 7919, who * 104729), "%08x-0000-4000-8000-%012x" % (rng.getrandbits(32), rng.getrandbits(48)), sex, born])
    return ["w", "event", "sex", "born"], rows, {"w": "person", "event": "id", "sex": "string", "born": "date"}, {}


@table
def ids_with_a_point(rng):
    """As pandas writes whole numbers of a column with an empty cell."""
    rows = [["" if rng.random() < 0.03 else "%d.0" % (10000 + 13 * who), sex, born, "%.2f" % rng.uniform(1, 99)] for who, sex, born in persons(rng, 120)]
    return ["pid", "sex", "born", "cost"], rows, {"pid": "person", "sex": "string", "born": "date", "cost": "number"}, {}


@table
def words_among_numbers(rng):
    """Two answers that are no number; two limits of detection; two words among dates."""
    rows = [[rng.choice(["refused", "don't know"]) if r % 6 == 0 else rng.randint(80, 9000), rng.choice(["<0.6", "<1.0"]) if r % 4 == 0 else "%.1f" % rng.uniform(0.6, 200),
             rng.choice(["never", "planned"]) if r % 5 == 0 else iso(day(rng))] for r in range(500)]
    return ["income", "crp", "seen"], rows, {"income": "integer", "crp": "number", "seen": "date"}, {
        "missing": {"income": {"refused", "don't know"}, "crp": {"<0.6", "<1.0"}, "seen": {"never", "planned"}},
        "says": ["income: numbers but for 2 texts, in 84 of 500 rows", "crp: numbers but for 2 texts, in 125 of 500 rows", "limit of detection", "seen: dates but for 2 texts"]}


@table
def floors(rng):
    """Numbers next to words that are few enough to be categories: floors, and rooms."""
    rows = [[rng.choice(["G", "B", *range(1, 13)]), rng.choice(["ICU", "OR", *range(101, 130)])] for _ in range(600)]
    return ["floor", "room"], rows, {"floor": "string", "room": "string"}, {}


@table
def days_that_mean_none(rng):
    """9999-12-31 is "until further notice", and 01.01.1900 "not known"; a first of January among others is a day."""
    rows = []
    for r in range(400):
        year, month, date = day(rng)
        rows.append([iso((year, month, date)), "9999-12-31" if r % 3 == 0 else iso((year + rng.randint(0, 3), month, date)),
                     "01.01.1900" if r % 20 == 0 else "%02d.%02d.%04d" % day(rng, 1930, 2005)[::-1], "%04d-01-01" % rng.randint(1900, 1990),
                     "9999-12-31 00:00:00" if r % 4 == 0 else "%s 10:%02d:00" % (iso(day(rng)), r % 60)])
    return ["begins", "ends", "born", "built", "left"], rows, {"begins": "date", "ends": "date", "born": "date", "built": "date", "left": "datetime"}, {
        "missing": {"ends": {"9999-12-31"}, "born": {"01.01.1900"}, "left": {"9999-12-31 00:00:00"}},
        "says": ["ends: '9999-12-31' is taken to mean missing, in 134 of 400 rows", "born: '01.01.1900' is taken to mean missing, in 20 of 400 rows"],
        "until": {"ends": "2026-12-31", "left": "2023-12-31T23:59:59"}, "again": True}


@table
def halves_of_the_day(rng):
    """As spreadsheets write times in the United States."""
    rows = []
    for _ in range(300):
        (year, month, date), hour, minute = day(rng), rng.randint(0, 23), rng.randint(0, 59)
        clock = "%02d:%02d %s" % (hour % 12 or 12, minute, "AM" if hour < 12 else "PM")
        rows.append(["%d/%d/%d %s" % (month, date, year, clock.lstrip("0")), clock, clock.lower()])
    return ["seen", "opens", "closes"], rows, {"seen": "datetime", "opens": "time", "closes": "time"}, {
        "format": {"seen": ["%m/%d/%Y %I:%M %p"], "opens": ["%I:%M %p"], "closes": ["%I:%M %p"]}}


@table
def durations(rng):
    """Hours and minutes, of more than a day too, name neither rows nor people. Row numbers do name rows."""
    rows = [[r + 1, "%02d:%02d" % (rng.randint(0, 99), rng.randint(0, 59)), "%d days %02d:%02d:00" % (rng.randint(0, 9), rng.randint(0, 23), rng.randint(0, 59)),
             rng.choice(["low", "high"])] for r in range(400)]
    return ["line", "worked", "wait", "load"], rows, {"line": "id", "worked": "text", "wait": "text", "load": "string"}, {
        "silent": ["worked: nearly", "worked: values repeat", "wait: nearly", "wait: values repeat"]}


@table
def infinities(rng):
    rows = [[rng.choice(["inf", "-inf"]) if r % 10 == 0 else "%.3f" % rng.gauss(0, 1), rng.choice("ab")] for r in range(400)]
    return ["z", "arm"], rows, {"z": "number", "arm": "string"}, {"says": ["z: infinities in 40 of 400 rows, which count as the nearer bound"], "silent": ["z: numbers but for"]}


@table
def other_marks(rng):
    """Of databases, German forms and spreadsheets; capitals that differ are said."""
    rows = [["\\N" if r % 9 == 0 else rng.randint(1, 30), "k.A." if r % 8 == 0 else rng.choice("JN"), "#DIV/0!" if r % 7 == 0 else "%.2f" % rng.uniform(0, 1),
             rng.choice(["Surgery", "surgery", "Eyes"])] for r in range(300)]
    return ["days", "smoker", "ratio", "ward"], rows, {"days": "integer", "smoker": "string", "ratio": "number", "ward": "string"}, {
        "missing": {"days": {"\\N"}, "smoker": {"k.A."}, "ratio": {"#DIV/0!"}}, "says": ["ward: categories differ in capitals alone, such as 'Surgery' and 'surgery'"]}


@table
def codes_below_and_beside(rng):
    """-999.9 below temperatures of which some are negative; 98 and 99 above hours; months as numbers are said."""
    rows = [["-999.9" if r % 25 == 0 else "%.1f" % rng.gauss(5, 5), rng.choice([98, 99]) if r % 20 == 0 else rng.randint(0, 40), "%d%02d" % (rng.randint(2015, 2023), rng.randint(1, 12))]
            for r in range(600)]
    return ["temperature", "hours", "month"], rows, {"temperature": "number", "hours": "integer", "month": "integer"}, {
        "says": ["temperature: 4 % of the rows hold -999.9; all else lies between", "rows hold 98", "rows hold 99; all else lies between 0 and 40", "month: years with months"]}


@table
def partial_dates(rng):
    """Some days are not known, as trials write it: the column is ignored, and it is said why."""
    rows = [["%04d-%02d-UN" % day(rng)[:2] if r % 10 == 0 else iso(day(rng)), rng.choice("AB")] for r in range(400)]
    return ["onset", "arm"], rows, {"onset": "text", "arm": "string"}, {"says": ["onset: dates or times in 360 of 400 rows, and texts in others (first in row 1)"]}


@table
def policies_in_groups(rng):
    """582 296 070 is not an amount; the row number has no name, as in a file of pandas."""
    rows = [[r, "%03d %03d %03d" % (100 + who, who * 7 % 1000, who * 31 % 1000), sex, born, "%d %03d,%02d" % (rng.randint(1, 9), rng.randint(0, 999), rng.randint(0, 99))]
            for r, (who, sex, born) in enumerate(persons(rng, 120))]
    return ["", "policy", "sex", "born", "paid"], rows, {"policy": "person", "sex": "string", "born": "date", "paid": "number"}, {"delimiter": ";"}


@table
def dates_with_one_digit(rng):
    rows = [["%d-%d-%d" % day(rng), "%d-%02d-%02d %d:%02d" % (*day(rng), rng.randint(0, 23), rng.randint(0, 59))] for _ in range(200)]
    return ["seen", "logged"], rows, {"seen": "date", "logged": "datetime"}, {"format": {"seen": ["%Y-%m-%d"], "logged": ["%Y-%m-%d %H:%M"]}}


@table
def title_and_last_delimiter(rng):
    rows = [[rng.choice(["Bern", "Basel", "Genf"]), "%d'%03d.%02d" % (rng.randint(1, 9), rng.randint(0, 999), rng.randint(0, 99)), iso(day(rng)), ""] for _ in range(300)]
    return ["Stadt", "Betrag", "Tag", ""], rows, {"Stadt": "string", "Betrag": "number", "Tag": "date"}, {
        "delimiter": ";", "above": "Auszug vom 1.2.2020", "says": ["the column names are in line 2"]}


@table
def points_and_commas(rng):
    """Decimal points in some cells and commas in others: no schema reads both, and it is said."""
    rows = [[("%.1f" % rng.uniform(15, 50)).replace(".", rng.choice(".,")), rng.choice("ab")] for _ in range(400)]
    return ["bmi", "arm"], rows, {"bmi": "text", "arm": "string"}, {"delimiter": ";", "says": ["bmi: numbers that are written in several ways"]}


# ---- what was found ----

def found_of(schema):
    """The type of each column or the role that is proposed for it, and the person."""
    types, person = {}, None
    for field in schema["fields"]:
        types[field["name"]] = field.get("type", "text")
    for proposal in schema.get("semblance", {}).get("proposals", []):
        for piece in proposal.get("fields", []):
            if proposal["kind"] in ("id", "fake"):
                types[piece["name"]] = proposal["kind"]
        if proposal["kind"] == "unit":
            person = proposal["semblance"]["unit"]
            types[person] = "person"
    return types, person


def marks_of(schema, field, cells):
    own = field.get("missingValues", schema.get("missingValues", [""]))
    return {cell for cell in cells if cell in own}


def compare(name, schema, notes, head, rows, expected, options):
    wrong = []
    types, person = found_of(schema)
    fields = {field["name"]: field for field in schema["fields"]}
    for column, kind in expected.items():
        if types.get(column) != kind:
            wrong.append("%s is %s, not %s" % (column, types.get(column), kind))
    declared = [column for column, kind in expected.items() if kind == "person"]
    if person not in (declared or [None]):
        wrong.append("the person is %s" % person)
    for i, column in enumerate(head):
        cells = {str(row[i]) for row in rows}
        if column not in fields or expected.get(column) in ("person", "id", "fake", "text", None):  # have no marks
            continue
        marks = marks_of(schema, fields[column], cells)
        if marks != options.get("missing", {}).get(column, set()):
            wrong.append("%s has the marks %s" % (column, sorted(marks)))
        listed = options.get("categories", {}).get(column)
        if listed is not None and set(fields[column]["constraints"].get("enum", [])) != listed:
            wrong.append("%s has the categories %s" % (column, fields[column]["constraints"]))
        wanted = options.get("format", {}).get(column)
        given = fields[column].get("format", "default")
        if wanted is not None and (given if isinstance(given, list) else [given]) != wanted:
            wrong.append("%s has the format %s" % (column, given))
        last = options.get("until", {}).get(column)
        if last is not None and fields[column]["constraints"]["maximum"] > last:
            wrong.append("%s ends with %s" % (column, fields[column]["constraints"]["maximum"]))
        if fields[column].get("semblance", {}).get("suffix") != options.get("suffix", {}).get(column):
            wrong.append("%s has another suffix" % column)
    wrong += ["it does not say: " + words for words in options.get("says", []) if words not in notes]
    wrong += ["it says: " + words for words in options.get("silent", []) if words in notes]
    return ["%s: %s" % (name, words) for words in wrong]


def again(name, folder, path, options):
    """A synthetic table is written as the table was."""
    out = os.path.join(folder, name + ".out.csv")
    done = subprocess.run([PROGRAM, "synth", path, "--schema", path + ".json", "--epsilon", "10", "--method", "marginals", "-o", out, "--quiet"], capture_output=True, text=True)
    if done.returncode != 0:
        return ["%s: synth: %s" % (name, done.stderr)]
    with open(out, newline="", encoding="utf-8") as file:
        text = file.read()
    lines = text.split(options.get("end", "\n"))
    line = lines[1].split(options.get("delimiter", ","))
    with open(path, newline="", encoding="utf-8") as file:
        real = file.read().split(options.get("end", "\n"))[1].split(options.get("delimiter", ","))
    blurred = [["".join("#" if c.isdigit() else c for c in cell).lstrip("#,") for cell in row] for row in (line, real)]
    return [] if blurred[0] == blurred[1] and "\n" not in lines[1] else ["%s: written as %s" % (name, line)]


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for make in TABLES:
            head, rows, expected, options = make(random.Random(make.__name__))
            sign, end = options.get("delimiter", ","), options.get("end", "\n")
            path = os.path.join(folder, make.__name__ + ".csv")
            with open(path, "w", newline="", encoding="utf-8") as file:
                above = [[options["above"]]] if "above" in options else []
                file.write(end.join(sign.join(map(str, row)) for row in [*above, head, *rows]) + end)
            done = subprocess.run([PROGRAM, "schema", "inspect", path, "-o", path + ".json"], capture_output=True, text=True)
            if done.returncode != 0:
                wrong.append("%s: %s" % (make.__name__, done.stderr))
                continue
            with open(path + ".json", encoding="utf-8") as file:
                schema = json.load(file)
            bad = compare(make.__name__, schema, done.stderr, head, rows, expected, options)
            if bad and "-v" in sys.argv:
                print(done.stderr)
            wrong += bad
            if options.get("again"):
                wrong += again(make.__name__, folder, path, options)
    print("\n".join(wrong) if wrong else "%d tables" % len(TABLES))
    return 1 if wrong or len(TABLES) < 20 else 0


sys.exit(main())
