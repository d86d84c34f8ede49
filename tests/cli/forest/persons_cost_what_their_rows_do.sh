# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# Up to three rows of a person are three ones in every table: nine times the squared sensitivity, in every one of the six releases.
LABEL='{"label": "odd", "task": "classification", "unit": "who", "max_rows_per_unit": 3}'
MORE=', {"name": "who", "semblance": {"role": "id", "id": "P-####"}}'
make_gate
sed -i 's/"type": "number"/"type": "integer"/' gate.json # one cell a value, however large the noise
sed -i 's/\.0$//' gate.csv
awk -F, 'NR == 1 { print $0 ",who"; next } { print $0 "," int(NR / 3) }' gate.csv > more.csv
mv more.csv gate.csv
accepted ledger init persons.ledger --rows-per-person 3 --quiet
gate_run persons --histories off
grep -q "At most 3 rows of a person" persons.csv.certificate.json || fail "the certificate does not promise it to persons"
# The noise that is planned for a person's three rows is three times that of one row, whatever the round.
accepted plan --schema gate.json --method forest --histories off --epsilon 40 -n 400 --json
mv accepted.out three.json
sed -i 's/"max_rows_per_unit": 3/"max_rows_per_unit": 1/' gate.json
accepted plan --schema gate.json --method forest --histories off --epsilon 40 -n 400 --json
mv accepted.out one.json
python3 - <<'PYTHON' || fail "noise is not three times as large: $(<wrong)"
import json, sys
noise = lambda name: {block["name"]: block["noise_deviation"] for block in json.load(open(name))["blocks"]}
one, three = noise("one.json"), noise("three.json")
bad = [(name, one[name], three[name]) for name in one if not 2.9 < three[name] / one[name] < 3.1]
if bad or not one:
    open("wrong", "w").write(str(bad[:3]))
    sys.exit(1)
PYTHON
exit 0
