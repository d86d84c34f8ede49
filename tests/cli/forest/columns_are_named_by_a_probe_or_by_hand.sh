# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# Nobody named a label. What hangs together is found, by name of a column, and said in plan and certificate; columns can be
# named, and others are then not asked about.
LABEL='{}' make_gate
accepted plan --schema gate.json --epsilon 40 -n 400
grep -q 'auto takes forest' accepted.out || fail "$(<accepted.out)"
grep -Eq '; with forests, if a probe asks for them, [0-9]+ s ' accepted.out || fail "$(<accepted.out)"
METHOD=auto gate_run probed
gate_holds probed.csv 65
grep -Eq 'the probe of trees asks for forests for (a|b|c|odd|level|word)[:,]' probed.csv.certificate.json || fail "$(grep -o 'the probe of[^"]*' probed.csv.certificate.json)"
gate_run named --targets odd,word
grep -q 'the probe of trees asks for forests for odd: pairs leave up to' named.csv.certificate.json ||
    fail "$(grep -o 'the probe of[^"]*' named.csv.certificate.json)"
refused 2 "targets: 'nothing' is not a fitted column" plan --schema gate.json --method forest --targets a,nothing --epsilon 1 -n 400
refused 2 'targets: a column is named twice' plan --schema gate.json --method forest --targets a,a --epsilon 1 -n 400
refused 2 '*targets*forest*' plan --schema gate.json --method merf --targets a --epsilon 1 -n 400
exit 0
