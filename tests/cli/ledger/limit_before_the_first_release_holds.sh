# SPDX-License-Identifier: Apache-2.0
# The limit of docs/PRIVACY.md, set before the first release: of rows, of persons, of linked tables and each of them alone.
. "$CLI_TESTS/lib.sh"
make_people
accepted ledger limit people.csv.ledger --epsilon 1
grep -q 'epsilon 1' accepted.err || fail "$(<accepted.err)"
accepted synth people.csv --schema people.json --epsilon 0.8 -o a.csv "${small[@]}" --quiet
refused 4 '*people.csv.ledger*' synth people.csv --schema people.json --epsilon 0.8 -o b.csv "${small[@]}"
refused 2 '*--rows-per-person is for a new ledger*' ledger limit people.csv.ledger --epsilon 0.9 --rows-per-person 2
# Not for data that is not there: a name with a mistake in it would limit nothing.
refused 5 '*peple.csv.ledger does not exist, and neither does the data set*ledger init*' ledger limit peple.csv.ledger --epsilon 1
[ ! -e peple.csv.ledger ] || fail "a refusal made a ledger"
make_visits
accepted ledger limit visits.csv.ledger --epsilon 1 --rows-per-person 20 --quiet
refused 4 '*visits.csv.ledger*' synth visits.csv --schema visits.json --epsilon 2 -o v.csv
make_bank 200
accepted ledger limit bank/bank.json.ledger --epsilon 0.5 --rows-per-person 12 --quiet
cp bank/bank.json bank/other.json
for package in bank other; do refused 4 '*bank/bank.json.ledger*' synth --package bank/$package.json --epsilon 1 -o out; done
[ "$(readlink bank/accounts.csv.ledger)" = bank.json.ledger ] || fail "$(ls -l bank)"
[ ! -e bank/districts.csv.ledger ] || fail "a public table has a ledger"
exit 0
