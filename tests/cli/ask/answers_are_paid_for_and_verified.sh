# SPDX-License-Identifier: Apache-2.0
# One release answers all questions, with the table's own values where epsilon is large; certificate, ledger and files belong together.
. "$CLI_TESTS/lib.sh"
make_people
# answer PATTERN COLUMN FILE: a number of the first line that matches.
answer() { grep -F "$1" "$3" | head -n 1 | awk -F'",' '{print $NF}' | cut -d, -f"$2"; }
# near WANTED FOUND TOLERANCE
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !(b != "" && a - b <= t && b - a <= t) }' || fail "$2 is not near $1"; }
accepted ask people.csv --schema people.json --epsilon 50 --delta 1e-5 --count income,town --count town --sum age --mean age --by income \
    --regress 'age ~ income + town' --health off -o a.csv
[ "$(head -n 1 a.csv)" = 'number,question,group,estimate,low,high,population_low,population_high,noise,epsilon' ] || fail "$(head -n 1 a.csv)"
near 50 "$(answer '2,"count by town","town=(missing)"' 1 a.csv)" 4
near 17 "$(answer '1,"count by income, town","income=>50K, town=Ayr"' 1 a.csv)" 4
sum=$(awk -F, 'NR > 1 && $NF == ">50K" { s += $1; n++ } END { print s }' people.csv)
mean=$(awk -F, 'NR > 1 && $NF == ">50K" { s += $1; n++ } END { print s / n }' people.csv)
near "$sum" "$(answer '3,"sum of age by income","income=>50K"' 1 a.csv)" 500
near "$mean" "$(answer '4,"mean of age by income","income=>50K"' 1 a.csv)" 5
grep -q '5,"age ~ income + town","(constant)",[0-9]' a.csv || fail "no regression: $(cat a.csv)"
accepted verify a.csv.certificate.json --output a.csv --release a.csv.release --ledger people.csv.ledger --schema people.json
for question in 'count by income, town' 'count by town' 'sum of age by income' 'mean of age by income' 'age ~ income + town'; do
    grep -qF "\"of\": \"$question\"" a.csv.certificate.json || fail "the certificate lacks '$question'"
done
grep -q '"method": "ask"' a.csv.certificate.json || fail "which method?"
# Shown again for nothing, as JSON too; no model is fitted to answers.
cp people.csv.ledger before
accepted ask --from a.csv.release -o again.json
cmp -s before people.csv.ledger || fail "looking at answers again is charged"
[ "$(python3 -c 'import json; a = json.load(open("again.json")); print(a["version"], a["level"], len(a["questions"]), a["rows"])')" = '1 0.95 5 200' ] ||
    fail "$(head -c 400 again.json)"
refused 3 "*hold answers: no model is fitted to them*" train a.csv.release --model m.safetensors
# The maker is not the groups.
accepted ask people.csv --schema people.json --epsilon 1 --mean age --by income --maker Ann -o b.json
grep -q '"by": "Ann"' b.json.certificate.json || fail "who made it?"
accepted ask people.csv --schema people.json --epsilon 1 --mean age --by income -o c.json
! grep -q '"by": "income"' c.json.certificate.json || fail "groups are not who made it"
# An answer on standard output, with its files named.
accepted ask people.csv --schema people.json --epsilon 1 --count town -o - --release r --certificate c -q
[ "$(wc -l < accepted.out)" = 5 ] || fail "$(cat accepted.out)"
# Neither a ledger nor a file that is there is replaced.
refused 2 "*would replace the ledger*" ask --from a.csv.release -o people.csv.ledger --overwrite -q
refused 5 "*again.json exists already*" ask --from a.csv.release -o again.json -q
