# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# What is furthest off is named with its columns, in the text, in JSON and in the report; a second real sample has nothing to name.
cat > people.json <<'JSON'
{"fields": [{"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99, "required": true}},
  {"name": "income", "type": "integer", "constraints": {"minimum": 0, "maximum": 99, "required": true}},
  {"name": "town", "type": "string", "constraints": {"enum": ["Ayr", "Cork"], "required": true}}]}
JSON
awk 'BEGIN { srand(7); for (i = 0; i < 4000; i++) { age = int(100 * rand())
    print age "," int(age / 2 + 50 * rand()) "," (rand() < .3 ? "Ayr" : "Cork") } }' > rows
(echo age,income,town; head -n 2000 rows) > real.csv
(echo age,income,town; tail -n 2000 rows) > other.csv
# Incomes go to other rows.
awk -F, -v OFS=, 'NR == FNR { income[FNR] = $2; next } { $2 = income[1 + (FNR * 7) % 2000]; print }' <(tail -n 2000 rows) \
    <(tail -n 2000 rows) | sed '1i age,income,town' > broken.csv
accepted evaluate --real real.csv --synthetic broken.csv --schema people.json --models none --report page.html
grep -v -e "^Verdict" -e "^$" accepted.out | tail -n 4 > end
grep -q '^Furthest off: the share of rows that would have to move' end || fail "the end does not say what is furthest off"
tail -n 1 end | grep -qE '^  age with income  +[0-9.]+ % +[0-9.]+ %$' || fail "the broken pair is not named: $(tail -n 1 end)"
grep -q 'What is furthest off' page.html || fail "the report does not say what is furthest off"
grep -qE '<strong>age with income</strong>: [0-9.]+% of rows \(a second real sample: [0-9.]+%\)' page.html || fail "no pair in the report"
accepted evaluate --real real.csv --synthetic broken.csv --schema people.json --models none --json
python3 - <<'PYTHON' || fail "the document's worst relations"
import json
d = json.load(open("accepted.out"))["worst"]
[pair] = d["pairs"]
assert (pair["what"], pair["relation"], pair["columns"]) == ("age with income", "pair", ["age", "income"]), pair
assert pair["distance"] > 0.3 > 0.15 > pair["second_sample"] > 0, pair
assert d["histories"] is None and d["parents"] is None
PYTHON
accepted evaluate --real real.csv --synthetic other.csv --schema people.json --models none --report other.html
grep -v -e "^Verdict" -e "^$" accepted.out | tail -n 1 | grep -qx 'no pair is further off than a second real sample would be' || fail "a second sample: $(tail -n 1 accepted.out)"
grep -q 'No pair of columns is further off than a second real sample would be' other.html || fail "the report of a second sample"

# Linked tables: what follows the parent, and how many rows there are.
mkdir real other broken
cat > real/datapackage.json <<'JSON'
{"resources": [
  {"name": "stays", "path": "stays.csv", "schema": {"primaryKey": "id", "fields": [
    {"name": "id", "type": "integer"}, {"name": "ward", "type": "string", "constraints": {"enum": ["eyes", "skin"], "required": true}}]}},
  {"name": "labs", "path": "labs.csv", "schema": {
    "foreignKeys": [{"fields": "stay", "reference": {"resource": "stays", "fields": "id"}}],
    "fields": [{"name": "stay", "type": "integer"},
      {"name": "test", "type": "string", "constraints": {"enum": ["K", "Na"], "required": true}}],
    "semblance": {"max_rows_per_unit": 6}}}]}
JSON
cp real/datapackage.json other
cp real/datapackage.json broken
seed=1
for set in real other broken; do
    seed=$((seed + 1))
    awk -v set=$set -v seed=$seed 'BEGIN { srand(seed); stays = set "/stays.csv"; labs = set "/labs.csv"
        print "id,ward" > stays; print "stay,test" > labs
        for (s = 0; s < 1500; s++) {
            eyes = rand() < .5
            print s "," (eyes ? "eyes" : "skin") > stays
            count = set == "broken" ? 3 : 1 + int(5 * rand())
            for (i = 0; i < count; i++) print s "," (rand() < (set == "broken" ? .5 : eyes ? .8 : .2) ? "K" : "Na") > labs
        } }'
done
accepted evaluate --package real/datapackage.json --synthetic broken --report linked.html
sed -n '/^parents and children/,$p' accepted.out > end
grep -qE '^  number of rows of labs per row of stays  +[0-9.]+ %' end || fail "numbers of children are not named"
grep -qE '^  stays.ward with labs.test  +[0-9.]+ %' end || fail "parent x child is not named"
grep -q '<strong>stays.ward with labs.test</strong>' linked.html || fail "parent x child is not in the report"
accepted evaluate --package real/datapackage.json --synthetic other
grep -v -e "^Verdict" -e "^$" accepted.out | tail -n 1 | grep -qx 'no relation of parents and children is further off than a second real sample would be' ||
    fail "a second sample of linked tables: $(tail -n 1 accepted.out)"
