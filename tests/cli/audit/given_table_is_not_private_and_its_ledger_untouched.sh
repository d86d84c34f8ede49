# SPDX-License-Identifier: Apache-2.0
# On a table: every output says NOT PRIVATE first, and the table's own ledger is not touched.
. "$CLI_TESTS/lib.sh"
make_people
echo "not a ledger" > people.csv.ledger
accepted audit people.csv --schema people.json --method marginals --delta 0 --neighbours add-remove \
    --json a.json --report a.md
head -n 1 accepted.out | grep -q '^NOT PRIVATE' || fail "the first line does not say NOT PRIVATE"
sed -n 1p a.md | grep -q 'NOT PRIVATE' || fail "the page does not say NOT PRIVATE"
grep -q '"warning": "NOT PRIVATE' a.json || fail "the JSON does not say NOT PRIVATE"
[ "$(stat -c %a a.json a.md | sort -u)" = 600 ] || fail "others may read what is NOT PRIVATE"
[ "$(< people.csv.ledger)" = "not a ledger" ] || fail "the table's ledger was touched"
for word in Ayr Cork 50K; do ! grep -q "$word" accepted.out a.json a.md || fail "a cell is shown"; done
refused 2 '*--schema is missing*' audit people.csv
sed 's/"maximum": 99, //' people.json > open.json
refused 3 '*age*' audit people.csv --schema open.json
refused 2 '*' audit people.csv --schema people.json --report people.csv --overwrite
