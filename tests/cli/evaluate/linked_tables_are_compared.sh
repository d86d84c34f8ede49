# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# Linked tables are made, and compared with others: keys hold, units are shown. Rows dealt out to other parents are seen.
mkdir real fitted
cat > real/datapackage.json <<'JSON'
{"resources": [
  {"name": "accounts", "path": "accounts.csv", "schema": {"primaryKey": "id", "fields": [
    {"name": "id", "type": "integer"}, {"name": "region", "type": "string", "constraints": {"enum": ["n", "s"], "required": true}}]}},
  {"name": "orders", "path": "orders.csv", "schema": {"primaryKey": "order",
    "foreignKeys": [{"fields": "account", "reference": {"resource": "accounts", "fields": "id"}}],
    "fields": [{"name": "order", "type": "integer"}, {"name": "account", "type": "integer"},
      {"name": "purpose", "type": "string", "constraints": {"enum": ["loan", "rent"], "required": true}},
      {"name": "amount", "type": "integer", "constraints": {"minimum": 0, "maximum": 99, "required": true}}],
    "semblance": {"max_rows_per_unit": 4}}}]}
JSON
cp real/datapackage.json fitted
for set in real fitted; do
    awk -v set=$set 'BEGIN { accounts = set "/accounts.csv"; orders = set "/orders.csv"
        print "id,region" > accounts; print "order,account,purpose,amount" > orders
        for (a = 0; a < 400; a++) {
            print a "," (a % 2 ? "n" : "s") > accounts
            for (i = 0; i < a % 4; i++) print 4 * a + i "," a "," (a % 2 ? "loan" : "rent") "," (a * 7 + i) % 100 > orders
        } }'
done
accepted synth --package fitted/datapackage.json --epsilon 8 --health off -o made --quiet --report public.html
grep -q 'Some synthetic units' public.html || fail "the public report shows no units"
! grep -q 'NOT PRIVATE' public.html || fail "the public report is not public"
accepted evaluate --package real/datapackage.json --synthetic made --train fitted/datapackage.json --report page.html
head -n 1 accepted.out | grep -q '^NOT PRIVATE' || fail "the first line does not say NOT PRIVATE"
same_verdict 'Single columns *The weakest table is *All keys are valid. Next: *' evaluate --package real/datapackage.json --synthetic made
accepted evaluate --package real/datapackage.json --synthetic made --train fitted/datapackage.json
for line in 'Table orders, which refers to accounts' 'number, TVD, of orders ' 'previous x this row, TVD ' "parent's x own columns, TVD " \
    'sum, KS, of amount '; do
    grep -q -- "$line" accepted.out || fail "nothing about $line"
done
for part in 'id="linked"' 'orders, which refers to accounts' 'Some synthetic units' '<strong>orders</strong>' 'NOT PRIVATE'; do
    grep -q -- "$part" page.html || fail "no $part in the report"
done
[ "$(stat -c %a page.html)" = 600 ] || fail "the report is not for its owner only"
accepted evaluate --package real/datapackage.json --synthetic made --json
python3 - <<'PYTHON' || fail "keys of what was made"
import json
d = json.load(open("accepted.out"))
assert d["kind"] == "linked" and d["warning"].startswith("NOT PRIVATE")
accounts, orders = d["tables"]
assert orders["keys"]["synthetic"]["orphans"] == 0 and orders["keys"]["real"] == {"rows": 600, "repeated": 0, "orphans": 0}
assert orders["keys"]["synthetic"]["repeated"] == 0 and accounts["keys"]["synthetic"]["repeated"] == 0
assert accounts["children"][0]["number"]["synthetic"] < 0.3 and len(d["units"]["shown"]) == 4
PYTHON
# Dealt out anew: each table is what it was.
cp -r real dealt
awk -F, -v OFS=, 'NR > 1 { $2 = ($2 * 7 + NR) % 397 } 1' real/orders.csv > dealt/orders.csv
sed -i '2s/,[0-9]*,/,x,/; 3s/^[0-9]*/4/' dealt/orders.csv
accepted evaluate --package real/datapackage.json --synthetic dealt --json
python3 - <<'PYTHON' || fail "rows dealt out anew"
import json
accounts, orders = json.load(open("accepted.out"))["tables"]
assert all(way["tvd"]["synthetic"] < 0.01 for way in accounts["marginals"])
assert orders["keys"]["synthetic"] == {"rows": 600, "repeated": 1, "orphans": 1}, orders["keys"]
moved = orders["histories"]["person_event"]["synthetic"], accounts["children"][0]["number"]["synthetic"]
assert moved[0] > 0.1 and moved[1] > 0.15, moved
PYTHON
refused 2 '*give --images or --package, not both*' evaluate --package real/datapackage.json --images --synthetic made
refused 2 '*--schema is for one table*' evaluate --package real/datapackage.json --schema s.json --synthetic made
refused 2 '*models learn from one table*' evaluate --package real/datapackage.json --synthetic made --models logistic
refused 2 '*--synthetic*' evaluate --package real/datapackage.json
refused 5 '*none/datapackage.json*' evaluate --package real/datapackage.json --synthetic none/datapackage.json
