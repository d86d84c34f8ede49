# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# Whose data, when, by whom, of which schema, of which columns: in the summary, the certificate and the report.
make_people
accepted synth people.csv --schema people.json --epsilon 1 -o a.csv --method pairs --title 'Visits of 2025' --by 'A. Officer'
grep -q '^  One row is protected, not one person. A person with several rows gets weaker protection' accepted.err || fail "no caveat: $(<accepted.err)"
grep -A1 '^  for one row' accepted.err | tail -n 1 | grep -qE '^  over ALL releases \([0-9]+\) recorded in ledger [0-9a-f]+\.$' ||
    fail "a sentence of the summary has no end: $(<accepted.err)"
! grep -q 'about one person' accepted.err || fail "the summary speaks of one person"
releases=$(printf ',%s' a.csv.release*)
accepted verify a.csv.certificate.json --ledger people.csv.ledger --release "${releases#,}" --output a.csv
grep -q '^DATA SET: Visits of 2025\.$' accepted.out || fail "no title"
grep -qE '^MADE: 20[0-9-]+T[0-9:]+Z, by A\. Officer\.$' accepted.out || fail "no date, or nobody"
grep -q '^  its bounds and categories: declared\.$' accepted.out || fail "no origin"
grep -q 'noise on age (tables.1, ' accepted.out || fail "blocks without columns: $(<accepted.out)"
grep -q 'age x town' accepted.out || fail "no pair by its columns"
# Where the schema says where its facts came from, so does the certificate.
python3 - <<'PY'
import json
schema = json.load(open("people.json"))
schema.setdefault("semblance", {})["origin"] = {"how": "the code book of the register"}
json.dump(schema, open("told.json", "w"))
PY
accepted synth people.csv --schema told.json --epsilon 1 -o b.csv --method marginals
accepted verify b.csv.certificate.json --release b.csv.release
grep -q '^  its bounds and categories: the code book of the register\.$' accepted.out || fail "no origin of its own"
! grep -q '^DATA SET' accepted.out || fail "a title that nobody gave"
# The schema by what it says: another layout and origin are the same, another bound is not.
accepted verify b.csv.certificate.json --schema told.json
accepted verify b.csv.certificate.json --schema people.json
grep -q 'people.json: says what the schema of the run said$' accepted.out || fail "$(<accepted.out)"
sed 's/"maximum": 99/"maximum": 98/' people.json > other.json
refused 3 '*other.json is not the schema that b.csv.certificate.json names: its facts differ*' verify b.csv.certificate.json --schema other.json
accepted plan --schema people.json --epsilon 1 -n 200 --method pairs
grep -q '^unit       one row; a person with several rows gets weaker protection$' accepted.out || fail "plan without its unit"
grep -q ' age (tables)$' accepted.out || fail "plan without columns: $(<accepted.out)"
# A title that cannot stand on a line costs nothing.
before=$(sha256sum people.csv.ledger)
refused 2 "*title must be a text of 1 to 200 bytes without control characters*" synth people.csv --schema people.json \
    --epsilon 1 -o c.csv --title $'two\nlines'
[ "$(sha256sum people.csv.ledger)" = "$before" ] || fail "it was charged"
