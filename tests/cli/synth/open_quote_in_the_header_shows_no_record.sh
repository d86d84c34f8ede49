# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
make_people
{ echo 'age,town,income,"note'; echo '1,Ayr,<=50K,secret"'; tail -n +2 people.csv; } > open.csv
refused 3 'open.csv*quote*' synth open.csv --schema people.json --epsilon 1 -o out.csv "${small[@]}"
grep -q secret refused.err && fail "a record is shown"
exit 0
