# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# No schema, and so no label: the releases of the discovery, and then all six.
make_gate
accepted synth gate.csv --method forest --epsilon 30 -n 1000 -o found.csv --quiet
accepted verify found.csv.certificate.json --output found.csv
grep -q 'the probe of trees' found.csv.certificate.json || fail "no probe"
[ "$(ls found.csv.release* | wc -l)" -ge 7 ] || fail "$(ls found.csv*)"
[ "$(wc -l < found.csv)" = 1001 ] || fail "rows"
exit 0
