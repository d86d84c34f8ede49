# SPDX-License-Identifier: Apache-2.0
# `plan` says which relations of persons and linked tables can stand out from the noise, from public facts; the run then says
# which did, with the names of tables and of rows before.
. "$CLI_TESTS/lib.sh"
SEMBLANCE=$SEMBLANCE_TESTKEY # which relations stand out from the noise depends on it: it is always the same
mkdir shop
cat > shop/shop.json <<'JSON'
{"resources": [
 {"name": "customers", "path": "customers.csv", "schema": {"primaryKey": "id", "fields": [{"name": "id", "type": "integer"},
   {"name": "region", "type": "string", "constraints": {"enum": ["n", "s"], "required": true}},
   {"name": "size", "type": "string", "constraints": {"enum": ["big", "small"], "required": true}}]}},
 {"name": "orders", "path": "orders.csv", "schema": {"fields": [{"name": "customer", "type": "integer"},
   {"name": "what", "type": "string", "constraints": {"enum": ["ink", "pens"], "required": true}},
   {"name": "how", "type": "string", "constraints": {"enum": ["shop", "web"], "required": true}}],
   "foreignKeys": [{"fields": "customer", "reference": {"resource": "customers", "fields": "id"}}],
   "semblance": {"max_rows_per_unit": 5}}}]}
JSON
# What is bought follows the region, and the way stays with a customer.
awk 'BEGIN { srand(3); print "id,region,size" > "shop/customers.csv"; print "customer,what,how" > "shop/orders.csv"
    for (i = 1; i <= 3000; i++) { n = rand() < .5; w = rand() < .5; print i "," (n ? "n" : "s") "," (rand() < .5 ? "big" : "small") > "shop/customers.csv"
        for (k = 1 + int(rand() * 4); k > 0; k--) print i "," ((rand() < .9) == n ? "ink" : "pens") "," ((rand() < .95) == w ? "shop" : "web") > "shop/orders.csv" } }'
# forecast EPSILON PERSONS: the numbers of the plan.
forecast() { "$SEMBLANCE" plan --package shop/shop.json --epsilon "$1" --persons "$2" --json > plan.json || fail "no plan"; }
field() { python3 -c 'import json, sys; print(json.load(open(sys.argv[2]))["expected_relations"][sys.argv[1]])' "$1" "${2:-plan.json}"; }
below() { python3 -c 'import sys; sys.exit(not float(sys.argv[1]) < float(sys.argv[2]))' "$1" "$2"; }
forecast 1 3000
measured=$(field measured)
cp plan.json weak.json
[ "$(field possible)" = "$measured" ] || fail "strong relations of 3000 persons would be seen at epsilon 1"
forecast 3 3000
for kind in person row above previous; do
    below "$(field $kind)" "$(field $kind weak.json)" || fail "$kind: a larger epsilon hides as much"
done
forecast 0.01 200
[ "$(field measured)" = 0 ] || fail "the noise of epsilon .01 leaves something: $(<plan.json)"
accepted plan --package shop/shop.json --epsilon 0.01 --persons 200
grep -qx 'the noise hides every relation: all columns come out independent' accepted.out || fail "$(<accepted.out)"
accepted plan --package shop/shop.json --epsilon 0.2 --persons 200
grep -q "at most [0-9]* of [0-9]* relations between columns can stand out from the noise; the others come out independent" accepted.out ||
    fail "$(<accepted.out)"
grep -q '% of the persons: a column of a row and one of its person or of a row above it' accepted.out || fail "$(<accepted.out)"
[ ! -e shop/shop.json.ledger ] || fail "a plan was charged"
# Two columns are .4 from independent, the same column of two rows about as much: both are above what the plan says.
forecast 1 3000
below "$(field above)" 0.3 && below "$(field previous)" 0.3 || fail "the plan expects too little: $(<plan.json)"
accepted synth --package shop/shop.json --epsilon 1 --expect-persons 3000 --quiet -o out
python3 - "$measured" <<'PY' || fail "the certificate's relations"
import json, sys
told = json.load(open("out.certificate.json"))["relations"]
assert told["measured"] == int(sys.argv[1]), told
assert told["seen"] >= 2, told
lost = [{s["first"], s["second"]} for s in told["suspects"]]
assert {"customers.region", "orders.what"} not in lost and {"orders.how", "previous orders.how"} not in lost, told
PY
# At an epsilon where little is seen, what may be lost has the names of its tables; noise decides which, so several runs are looked at.
for epsilon in 0.05 0.06 0.07 0.08 0.09; do
    accepted synth --package shop/shop.json --epsilon $epsilon --expect-persons 3000 --overwrite -o weak
    grep -q "of $measured relations between columns stand out from the noise; the others come out independent" accepted.err ||
        grep -q 'all .* relations' weak.certificate.json || fail "the run says nothing: $(<accepted.err)"
    python3 -c 'import json; [print(s[side]) for s in json.load(open("weak.certificate.json"))["relations"]["suspects"] for side in s]' >> names
done
[ -s names ] || fail "no relation is suspected in five runs"
! grep -vE '^(previous |earlier )?(customers\.(region|size)|orders\.(what|how)|number of orders)$|^place among the orders$' names || fail "odd names"
# Rows of persons in one table.
cat > visits.json <<'JSON'
{"fields": [{"name": "who", "type": "string", "semblance": {"role": "ignore"}}, {"name": "sex", "type": "string",
  "constraints": {"enum": ["f", "m"], "required": true}, "semblance": {"per": "unit"}},
  {"name": "ward", "type": "string", "constraints": {"enum": ["a", "b"], "required": true}}], "semblance": {"unit": "who", "max_rows_per_unit": 5}}
JSON
accepted plan --schema visits.json --epsilon 1 --rows 8000 --method histories
grep -q 'a relation may come out independent if it shows in fewer than' accepted.out || fail "$(<accepted.out)"
