# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# Before the first release: the ledger says what it protects, and a run on persons finds it so.
accepted ledger init data.csv.ledger --unit person --epsilon 2
[[ $(<accepted.err) == *', of persons' ]] || fail "$(<accepted.err)"
accepted ledger show data.csv.ledger --json
grep -q '"rows_per_unit": *50' accepted.out || fail "$(<accepted.out)"
printf '{"fields":[{"name":"id"},{"name":"x","type":"boolean"}],"semblance":{"unit":"id"}}' > s.json
{ echo id,x; for i in $(seq 100); do echo "p$i,true"; echo "p$i,false"; done; } > data.csv
accepted synth data.csv --schema s.json --epsilon 1 -o whole.csv -q
accepted synth data.csv --schema s.json --histories off --epsilon 0.5 -o rows.csv -q
accepted verify whole.csv.certificate.json --ledger data.csv.ledger
accepted ledger init three.ledger --unit person --rows-per-person 3 -q
accepted ledger init row.ledger --unit row -q
refused 2 '*--rows-per-person is for --unit person*' ledger init f.ledger --unit row --rows-per-person 3
refused 2 '*--unit*' ledger init f.ledger --unit household
# The same by a limit before the first release.
cp data.csv other.csv
accepted ledger limit other.csv.ledger --epsilon 1 --unit person -q
accepted synth other.csv --schema s.json --epsilon 0.5 -o other_out.csv -q
