#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The made-up hospital through the program: every synthetic row holds every rule, whatever the method, and what cannot
# hold is refused before a ledger is there.   hospital_test.sh PYTHON, with SEMBLANCE in the environment
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$1" "$here/make_hospital.py" 1200 1 real.csv schema.json
"$1" "$here/check_hospital.py" real.csv >/dev/null && { echo "the real ids pass for made ones"; exit 1; }
for method in "pairs --rounds 1" marginals; do
    name=${method%% *}
    # At epsilon 1 noise leaves less than one row in a thousand with what is asked for below in one table of twenty.
    "$SEMBLANCE" synth real.csv --schema schema.json --epsilon 4 --method $method -o $name.csv --model $name.model \
        --quiet 2>log || { cat log; exit 1; }
    "$1" "$here/check_hospital.py" $name.csv real.csv
    [ "$(wc -l <$name.csv)" = 1201 ]
    "$SEMBLANCE" sample $name.model -n 300 --where icu=yes --seed 4 -o yes.csv --overwrite --quiet
    "$1" "$here/check_hospital.py" yes.csv real.csv >/dev/null
    [ "$(grep -c ',yes,' yes.csv)" = 300 ]
    "$SEMBLANCE" sample $name.model -n 300 --where icu=yes --seed 4 -o - --threads 1 --quiet | cmp - yes.csv
    # Several columns, one of them computed from others: rows that were mended are looked at as they are written.
    "$SEMBLANCE" sample $name.model -n 60 --where sex=female --where los=3 --where icu=no --seed 4 -o some.csv --overwrite --quiet
    "$1" "$here/check_hospital.py" some.csv real.csv >/dev/null
    "$1" -c 'import csv; r = list(csv.DictReader(open("some.csv")))
assert len(r) == 60 and all((x["sex"], x["los"], x["icu"]) == ("female", "3", "no") for x in r), r[:3]'
    if "$SEMBLANCE" sample $name.model -n 5 --where patient=R-0000001 -o - --quiet >none 2>log; then exit 1; fi
    grep -q "'patient' is left out or made up" log
done
grep -q 'the constraints between columns that the schema declares' pairs.csv.certificate.json
grep -q 'which columns are ids' pairs.csv.certificate.json
"$SEMBLANCE" evaluate --real real.csv --synthetic pairs.csv --schema schema.json --models none --report r.html >text
grep -q 'los = discharge - admission  *1.0000  *1.0000' text
grep -q 'Share of rows that satisfy each constraint' r.html
# A table of stays: several of a patient, of whom one is protected. Rules, ids and names hold as before, and the ids repeat.
"$1" "$here/make_hospital.py" 1500 3 stays.csv stays.json --unit 3
[ "$(cut -d, -f1 stays.csv | sort -u | wc -l)" -lt 900 ]
for method in pairs marginals; do
    "$SEMBLANCE" synth stays.csv --schema stays.json --epsilon 2 --method $method -o stays.$method.csv --quiet 2>log || { cat log; exit 1; }
    "$1" "$here/check_hospital.py" stays.$method.csv stays.csv 3
done
"$SEMBLANCE" verify stays.pairs.csv.certificate.json --ledger stays.csv.ledger >text
grep -q 'for one person under replace-one neighbours (n is private)' text
grep -q "At most 3 rows of a person count" text
# What the program counts is what the script counts, of a table that breaks every rule: columns shuffled one by one.
"$1" - <<'P'
import csv, random
rows = list(csv.DictReader(open("real.csv")))
rng = random.Random(5)
for name in rows[0]:
    cells = [row[name] for row in rows]
    rng.shuffle(cells)
    for row, cell in zip(rows, cells):
        row[name] = cell
with open("broken.csv", "w", newline="") as out:
    writer = csv.DictWriter(out, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
P
"$SEMBLANCE" evaluate --real real.csv --synthetic broken.csv --schema schema.json --models none --json >broken.json
("$1" "$here/check_hospital.py" broken.csv || true) >broken.txt
"$1" - <<'P'
import json
counted = {entry["rule"]: entry for entry in json.load(open("broken.json"))["constraints"]}
lines = [line.split(None, 1) for line in open("broken.txt") if line.startswith(" ")]
assert len(lines) == len(counted) == 12
for share, rule in lines:
    entry = counted[rule.strip()]
    assert abs(entry["synthetic"] - float(share)) < 6e-5 and entry["synthetic"] < 1, (rule, share, entry)
    assert entry["real"] == 1 and entry["train"] is None, entry
P
# Refused, in one line, before anything is charged or written.
for rule in 'los > nowhere' 'age < 5 and age > 90' 'los = los + 1' 'age = admission' 'sex = female or'; do
    "$1" - "$rule" <<'P'
import json, sys
schema = json.load(open("schema.json"))
schema["semblance"]["constraints"] = [sys.argv[1]]
json.dump(schema, open("bad.json", "w"))
P
    cp real.csv fresh.csv
    status=0
    "$SEMBLANCE" synth fresh.csv --schema bad.json --epsilon 1 -o bad.csv --quiet 2>log || status=$?
    [ $status = 3 ] && [ "$(wc -l <log)" = 1 ] || { cat log; exit 1; }
    [ ! -e fresh.csv.ledger ] && [ ! -e bad.csv ]
done
echo "every row holds every rule"
