# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# What a certificate lists is short and plain: names that are neither do not stop a run that was paid for.
LABEL='{}' make_gate
long=$(printf 'größe_%.0s' $(seq 30))
sed -i "s/\"name\": \"a\"/\"name\": \"${long}a\"/; s/\"name\": \"b\"/\"name\": \"${long}b\"/; s/\"name\": \"c\"/\"name\": \"${long}c\"/" gate.json
sed -i "1s/^a,b,c/${long}a,${long}b,${long}c/" gate.csv
METHOD=auto gate_run names
gate_holds names.csv 65
grep -Eq 'the probe of trees asks for forests for (gr|odd|word|level)' names.csv.certificate.json || fail "$(grep -o 'the probe of[^"]*' names.csv.certificate.json)"
gate_run three --targets "${long}a,word,${long}b"
exit 0
