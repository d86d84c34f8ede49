# SPDX-License-Identifier: Apache-2.0
# Persons cost what their rows may add, add-remove hides n, and parts, files and formats are asked alike.
. "$CLI_TESTS/lib.sh"
make_people
asked=(--count town --mean age --by income --regress 'age ~ income')
# A person with up to 3 rows: three times the noise of a row, and no sampling error that could be known.
sed 's/"missingValues"/"x": 0, "missingValues"/; s/"fields": \[/"fields": [{"name": "id", "semblance": {"role": "ignore"}},/; s/"semblance": {"label"/"semblance": {"unit": "id", "max_rows_per_unit": 3, "label"/' \
    people.json | sed 's/"x": 0, //' > visits.json
awk -F, 'NR == 1 { print "id," $0; next } { print int(NR / 2) "," $0 }' people.csv > visits.csv
accepted ask people.csv --schema people.json --epsilon 1 --delta 1e-5 --neighbours add-remove "${asked[@]}" --health off -o rows.json
accepted ask visits.csv --schema visits.json --epsilon 1 --delta 1e-5 --neighbours add-remove "${asked[@]}" --health off -o persons.json
accepted verify persons.json.certificate.json --output persons.json --release persons.json.release --ledger visits.csv.ledger
python3 - <<'PYTHON' || fail "rows and persons"
import json
rows, persons = json.load(open("rows.json")), json.load(open("persons.json"))
assert rows["rows"] == 0 and persons["rows_per_person"] == 3
ratio = persons["questions"][0]["sum_noise"] / rows["questions"][0]["sum_noise"]
assert 3 <= ratio < 3.1, ratio # and the paid count of rows per person
assert rows["questions"][0]["answers"][0]["population_low"] is not None
assert all(a["population_low"] is None for q in persons["questions"] for a in q["answers"])
PYTHON
# In parts: planned, summed in two, merged, released, and read.
{ head -n 1 people.csv; tail -n +102 people.csv; } > second.csv
head -n 101 people.csv > first.csv
accepted plan --schema people.json --epsilon 1 -n 200 "${asked[@]}" --save p.plan
accepted sum first.csv --plan p.plan -o 1.sum
accepted sum second.csv --plan p.plan -o 2.sum
accepted merge 1.sum 2.sum --plan p.plan -o all.sum
accepted release all.sum --plan p.plan -o parts.release
accepted ask --from parts.release
grep -q '^age ~ income' accepted.out || fail "$(cat accepted.out)"
# JSON lines and a list of files are tables, too.
python3 -c '
import csv, json
for row in csv.DictReader(open("people.csv")): print(json.dumps(row))' > people.ndjson
accepted ask people.ndjson --schema people.json --epsilon 1 "${asked[@]}" -o lines.csv
accepted ask first.csv second.csv --schema people.json --epsilon 1 "${asked[@]}" -o list.csv
[ "$(wc -l < lines.csv)" = "$(wc -l < list.csv)" ] || fail "other answers"
