# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
make_people
accepted synth people.csv --schema people.json --epsilon 1 -o syn.csv "${small[@]}" --quiet
common=(evaluate --real people.csv --synthetic syn.csv --schema people.json --models none)
accepted "${common[@]}" --report r.html --certificate syn.csv.certificate.json
grep -q 'NOT PRIVATE' r.html || fail "the report does not say NOT PRIVATE"
refused 5 '*r.html*exists*' "${common[@]}" --report r.html
accepted "${common[@]}" --report r.html --overwrite
refused 2 '*report*' "${common[@]}" --certificate syn.csv.certificate.json
cp people.csv saved.csv
refused 2 '*--real are the same file*' "${common[@]}" --report people.csv --overwrite
refused 2 '*--schema are the same file*' "${common[@]}" --report people.json --overwrite
refused 2 '*ledger*' "${common[@]}" --report people.csv.ledger --overwrite
cmp people.csv saved.csv || fail "a file was overwritten"
refused 5 '*nofolder*' "${common[@]}" --report nofolder/r.html
refused 5 '*missing.json*' "${common[@]}" --report other.html --certificate missing.json
refused 3 '*' "${common[@]}" --report other.html --certificate people.json
[ ! -e other.html ] || fail "a refusal left a report"
