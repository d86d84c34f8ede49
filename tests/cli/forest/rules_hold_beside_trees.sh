# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# A column that is fitted as a difference to another, and one that follows from two.
LABEL='{"label": "odd", "task": "classification", "constraints": ["top >= a", "sum = a + c"]}'
MORE=',
  {"name": "top", "type": "integer", "constraints": {"minimum": 0, "maximum": 20, "required": true}},
  {"name": "sum", "type": "integer", "constraints": {"minimum": 0, "maximum": 30, "required": true}}'
make_gate
awk -F, 'NR == 1 { print $0 ",top,sum"; next } { print $0 "," $1 + NR % 5 "," $1 + $3 }' gate.csv > more.csv
mv more.csv gate.csv
gate_run rules
gate_holds rules.csv 65
awk -F, 'NR > 1 && ($7 < $1 || $8 != $1 + $3) { exit 1 }' rules.csv || fail "a rule is broken"
refused 2 "targets: 'sum' is not a fitted column" synth gate.csv --schema gate.json --method forest --targets sum --epsilon 40 -o no.csv
exit 0
