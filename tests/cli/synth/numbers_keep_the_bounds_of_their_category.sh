# SPDX-License-Identifier: Apache-2.0
# Each value is within the bounds of its own test, with its decimals, in one table and in linked ones, by every kind of method; the
# rest of a row does not matter. Bad bounds are one line, and nothing is charged.
. "$CLI_TESTS/lib.sh"
awk 'BEGIN { srand(5); print "ward;test;value"; split("K Na CRP pH", names, " ")
    for (i = 0; i < 3000; i++) { t = 1 + int(rand() * 4); v = rand() + rand()
        printf "%s;%s;%s\n", rand() < .5 ? "eyes" : "skin", t == 4 && rand() < .3 ? "" : names[t], \
            t == 1 ? sprintf("%.1f", 3 + v) : t == 2 ? sprintf("%.0f", 130 + 10 * v) : t == 3 ? sprintf("%.0f", exp(3 * v)) : sprintf("%.2f", 7 + v / 4) } }' |
    tr . , > labs.csv
schema() {
    cat <<JSON
{"dialect": {"delimiter": ";"}, "fields": [
  {"name": "ward", "type": "string", "constraints": {"enum": ["eyes", "skin"], "required": true}},
  {"name": "test", "type": "string", "constraints": {"enum": ["K", "Na", "CRP", "pH"]}},
  {"name": "value", "type": "number", "decimalChar": ",", "constraints": {"minimum": 0, "maximum": 500, "required": true}, "semblance": {$1}}]}
JSON
}
bounds='"K": {"minimum": 2, "maximum": 8, "decimals": 1}, "Na": {"minimum": 110, "maximum": 170, "decimals": 0},
  "CRP": {"minimum": 0, "maximum": 400, "transform": "log", "decimals": 0}'
schema "\"decimals\": 2, \"by\": \"test\", \"bounds\": {$bounds}" > labs.json
accepted schema check labs.json labs.csv
grep -q '^value: .*; bounds by test: K from 2 to 8, Na from 110 to 170, CRP from 0 to 400$' accepted.out || fail "not said: $(<accepted.out)"
grep -qx 'value: all cells good' accepted.out || fail "cells that do not fit: $(<accepted.out)"
sed '2s/.*/eyes;K;141/' labs.csv > swapped.csv
accepted schema check labs.json swapped.csv
grep -qx 'value: 1 out of range' accepted.out || fail "a potassium of 141 fits: $(<accepted.out)"

# A cell, its test and the bounds; a missing test has the column's own.
check() {
    awk -F "$2" -v text="$3" 'function bad(why) { print why ": " $0; exit 1 }
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { v = $at["value"]; sub(/,/, ".", v); t = $at["test"]; n[t]++
          x = v + 0
          if (t == "K" && !(x >= 2 && x <= 8) || t == "Na" && !(x >= 110 && x <= 170) || t == "CRP" && !(x >= 0 && x <= 400)) bad("out of bounds")
          if (text && (t == "K" && v !~ /^[0-9]\.[0-9]$/ || (t == "Na" || t == "CRP") && v !~ /^[0-9]+$/ || (t == "pH" || t == "") && v !~ /^[0-9]+\.[0-9][0-9]$/)) bad("not written so") }
        END { if (n["K"] < 100 || n["Na"] < 100 || n["CRP"] < 100) { print "few tests"; exit 1 } }' "$1" || fail "$1"
}
for method in pairs marginals; do
    accepted synth labs.csv --schema labs.json --epsilon 5 --method $method -o $method.csv --quiet
    check $method.csv ';' yes
done

# As a person's rows, and as a child table.
awk -F ';' 'NR == 1 { print "id;" $0; next } { print int(NR / 3) ";" $0 }' labs.csv > visits.csv
{ echo 'id;sex'; awk 'BEGIN { for (i = 0; i < 1001; i++) print i ";" (i % 2 ? "f" : "m") }'; } > persons.csv
sed '1s/.*/{"dialect": {"delimiter": ";"}, "semblance": {"unit": "id", "max_rows_per_unit": 4}, "fields": [{"name": "id"},/' labs.json > visits.json
accepted synth visits.csv --schema visits.json --epsilon 5 -o persons_out.csv
check persons_out.csv ';' yes
cat > datapackage.json <<JSON
{"resources": [
  {"name": "persons", "path": "persons.csv", "dialect": {"delimiter": ";"}, "schema": {"primaryKey": "id", "fields": [
    {"name": "id", "type": "string"}, {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}}]}},
  {"name": "labs", "path": "visits.csv", "schema": $(sed '1s/.*/{"dialect": {"delimiter": ";"}, "foreignKeys": [{"fields": "id", "reference": {"resource": "persons", "fields": "id"}}], "semblance": {"max_rows_per_unit": 4}, "fields": [{"name": "id", "type": "string"},/' labs.json)}]}
JSON
accepted synth --package datapackage.json --epsilon 5 -o linked
check linked/labs.csv ';' yes

# Conditions are on values.
accepted fit labs.csv --schema labs.json --epsilon 5 --model labs.model --quiet
accepted sample labs.model --rows 50 --where 'test=K' --where 'value > 4' -o some.csv
awk -F ';' 'NR > 1 { sub(/,/, ".", $3); x = $3 + 0; if ($2 != "K" || !(x > 4 && x <= 8)) exit 1 } END { if (NR != 51) exit 1 }' some.csv || fail "conditions: $(head -n 3 some.csv)"

# Bad bounds.
cp labs.csv fresh.csv
refuse() {
    schema "$1" > bad.json
    refused 3 "$2" synth fresh.csv --schema bad.json --epsilon 1 -o bad.csv
}
refuse '"by": "test"' "bad.json: column 'value' has semblance.by, which needs semblance.bounds*"
refuse "\"by\": \"tests\", \"bounds\": {$bounds}" "bad.json: column 'value' has bounds by 'tests', which is not a column*"
refuse "\"by\": \"value\", \"bounds\": {$bounds}" "bad.json: column 'value' has bounds by 'value', which has no categories*"
refuse '"by": "test", "bounds": {"Ca": {"minimum": 1, "maximum": 4}}' "bad.json: column 'value' has semblance.bounds for 'Ca', which is not a category of 'test'"
refuse '"by": "test", "bounds": {"K": {"minimum": 1, "maximum": 501}}' "bad.json: column 'value' by test 'K' has bounds outside constraints.minimum and maximum*"
for file in fresh.csv.* bad.csv*; do [ ! -e "$file" ] || fail "$file was made"; done
