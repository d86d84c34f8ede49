# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
make_people
cp people.csv saved.csv
try() { refused 2 "$1" synth people.csv --schema people.json --epsilon 1 --overwrite "${small[@]}" "${@:2}"; }
try '*INPUT are the same file*' -o people.csv
try '*INPUT are the same file*' -o ./people.csv
ln -s people.csv link.csv
try '*INPUT are the same file*' -o link.csv
refused 2 '*INPUT are the same file*' synth - --schema people.json --epsilon 1 --overwrite "${small[@]}" -o people.csv < people.csv
try '*--schema*same file*' -o people.json
try '*INPUT are the same file*' -o out.csv --release people.csv
try '*INPUT are the same file*' -o out.csv --model people.csv
try '*same file*' -o out.csv --release out.csv
try '*same file*' -o out.csv --release r --certificate ./r
accepted ledger init data.ledger --epsilon 5
cp data.ledger saved.ledger
try '*ledger*' -o out.csv --ledger data.ledger --certificate data.ledger
try '*ledger*' -o out.csv --ledger data.ledger --release data.ledger
try '*ledger*' -o data.ledger
try '*same file*' -o out.csv --release r --certificate people.csv.ledger
try '*same file*' -o people.csv.ledger --release r --certificate c
# Nor is a file of the program's own made where the run will make its ledger.
try '*--report and the ledger are the same file*' -o out.csv --report people.csv.ledger
try '*--save-job and the ledger are the same file*' -o out.csv --save-job ./people.csv.ledger
[ -e people.csv.ledger ] && fail "charged, or written"
cmp people.csv saved.csv && cmp data.ledger saved.ledger || fail "a file was overwritten"
ls out.csv* r r.ledger 2>/dev/null && fail "a refusal left files"
# Nor does a model take in what is not the certificate of its release.
accepted fit people.csv --schema people.json --epsilon 1 --model m "${small[@]}" --quiet
accepted fit people.csv --schema people.json --epsilon 1 --model other "${small[@]}" --quiet
refused 3 'people.csv*' train m.release --model n --certificate people.csv
refused 3 '*another release*' train m.release --model n --certificate other.certificate.json
exit 0
