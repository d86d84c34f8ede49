# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
make_people
accepted ledger init data.ledger --epsilon 1.5
accepted synth people.csv --schema people.json --epsilon 1 -o a.csv --ledger data.ledger "${small[@]}"
accepted synth people.csv --schema people.json --epsilon 1 -o b.csv --ledger data.ledger "${small[@]}"
refused 4 '*data.ledger*epsilon*' synth people.csv --schema people.json --epsilon 1 -o c.csv --ledger data.ledger "${small[@]}"
ls c.csv* 2>/dev/null && fail "a refused release left files"
# Without --ledger the data has one, and every run says what all of them cost.
for run in 1 2 3; do
    accepted synth people.csv --schema people.json --epsilon 1 -o d.csv --overwrite "${small[@]}"
    grep -q "^THIS RUN: eps=1; ALL RELEASES OF THIS LEDGER ($run): eps=" accepted.err || fail "run $run: $(<accepted.err)"
done
grep -q 'LEDGER (3): eps=1.8' accepted.err || fail "three runs at epsilon 1: $(<accepted.err)"
accepted verify d.csv.certificate.json --ledger people.csv.ledger
# It can be limited later, and then refuses; another name of the data is no way round.
accepted ledger limit people.csv.ledger --epsilon 2
refused 2 '*can only be lowered*' ledger limit people.csv.ledger --epsilon 3
ln -s people.csv link.csv
refused 4 '*people.csv.ledger*' synth link.csv --schema people.json --epsilon 1 -o e.csv "${small[@]}"
refused 3 '*replace-one*add-remove*' synth people.csv --schema people.json --epsilon 0.1 --neighbours add-remove -o e.csv "${small[@]}"
refused 4 '*people.csv.ledger*' synth - --schema people.json --epsilon 1 -o e.csv "${small[@]}" < people.csv
ls e.csv* 2>/dev/null && fail "a refused release left files"
# A limit beside a symbolic link is one of the data, too.
cp people.csv elsewhere.csv
ln -sf elsewhere.csv link.csv
accepted ledger init link.csv.ledger --epsilon 0.5
refused 4 '*link.csv.ledger*' synth link.csv --schema people.json --epsilon 1 -o e.csv "${small[@]}"
# What comes through a pipe has no ledger of its own, and that is said.
accepted synth - --schema people.json --epsilon 1 -o f.csv "${small[@]}" < <(cat people.csv)
grep -q 'made for this run only: other runs on the same data are not counted' accepted.err || fail "$(<accepted.err)"
[ -e f.csv.release.ledger ] || fail "no ledger beside the output"
# A delta that means nothing is refused before any charge.
cp people.csv.ledger before
refused 2 '*delta*1e-3*' synth people.csv --schema people.json --epsilon 0.1 --delta 0.002 -o g.csv "${small[@]}"
cmp before people.csv.ledger || fail "charged"
exit 0
