# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
printf '{"fields":[{"name":"x","type":"boolean"}]}' > s.json
{ echo x; for _ in $(seq 200); do echo true; echo false; done; } > a.csv
accepted ledger init a.csv.ledger
cp a.csv.ledger before
policy() { printf '{"format": "semblance-policy", "version": 1%s}' "$1" > p.json; }
run=(synth a.csv --schema s.json --method marginals --epsilon 1 -o out.csv --policy p.json)
bad() {
    policy "$1"
    refused "${3:-3}" "$2" "${run[@]}"
    cmp -s before a.csv.ledger || fail "a refusal was charged: $1"
    [ ! -e out.csv ] && [ ! -e out.csv.release ] || fail "a refusal was written: $1"
}
# A policy that is broken.
bad ', "epsilon_per_periods": 1' "p.json: field 'epsilon_per_periods' is not a rule of a policy"
bad ', "epsilon_per_period": "1"' "p.json: field 'epsilon_per_period'*"
bad ', "epsilon_per_period": 0' "p.json: field 'epsilon_per_period' must be a finite number above 0"
bad ', "epsilon_all_periods": -1' "p.json: field 'epsilon_all_periods' must be a finite number above 0"
bad ', "delta": 0.1' "p.json: field 'delta' must be above 0 and at most 0.001"
bad ', "delta": "x"' "p.json: field 'delta'*"
bad ', "who": "anna"' "p.json: field 'who'*"
bad ', "who": []' "p.json: field 'who' must name at least one person"
bad ', "who": ["anna", 3]' "p.json: field 'who' must be a list of names"
bad ', "title_required": 1' "p.json: field 'title_required'*"
for text in '' 'hello' '[]' '{}' '{"format": "semblance-policy"}' '{"format": "x", "version": 1}' \
    '{"format": "semblance-policy", "version": 2}' '{"format": "semblance-policy", "version": 1, "version": 1}'; do
    printf '%s' "$text" > p.json
    refused 3 '*p.json*' "${run[@]}"
done
refused 5 '*none.json*' "${run[@]:0:8}" --policy none.json -o out.csv
# A run that it does not allow.
bad ', "title_required": true' "policy p.json requires a title*" 2
bad ', "who": ["nobody here"]' "policy p.json does not allow releases by *" 2
bad ', "epsilon_per_period": 0.5' "policy p.json, ledger a.csv.ledger: epsilon would reach *" 4
bad ', "epsilon_all_periods": 0.5' "policy p.json, ledger a.csv.ledger: epsilon would reach *" 4
refused 4 "policy p.json*" ask a.csv --schema s.json --epsilon 1 --count x -o answers.csv --policy p.json
refused 4 "policy p.json*" schema discover a.csv --epsilon 5 -o found.json --policy p.json
cmp before a.csv.ledger || fail "a refusal was charged"
# One that it allows: the user of the process, or the name that is given.
policy ", \"who\": [\"$(id -un)\"], \"title_required\": true, \"epsilon_per_period\": 1.2, \"epsilon_all_periods\": 1.2"
accepted "${run[@]}" --title 'A title'
policy ', "who": ["anna"]'
accepted "${run[@]:0:8}" -o other.csv --policy p.json --who anna
accepted ledger show a.csv.ledger
grep -q " by $(id -un), A title -> out.csv$" accepted.out || fail "$(<accepted.out)"
grep -q ' by anna -> other.csv$' accepted.out || fail "$(<accepted.out)"
! grep -q anna other.csv.certificate.json || fail "who released is in the certificate"
