# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
make_gate
refused 2 'pure asks for delta 0, which the method forest cannot give*' synth gate.csv --schema gate.json --method forest --pure --epsilon 1 -o no.csv
refused 2 'pure asks for delta 0, which the method forest cannot give*' plan --schema gate.json --method forest --pure --epsilon 1 -n 400
ls no.csv* gate.csv.ledger 2> /dev/null && fail "something was written"
exit 0
