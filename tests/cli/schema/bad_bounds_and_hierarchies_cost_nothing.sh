# SPDX-License-Identifier: Apache-2.0
# Bounds by a column or a category that is not there, and hierarchies with circles or without a parent, in the schema or in a file: one line
# that names the column. The ledger keeps its bytes and nothing is written.
. "$CLI_TESTS/lib.sh"
awk 'BEGIN { srand(3); split("K Na CRP", t); split("I10.1 I10.2 E11.0", c); print "test,value,code"
    for (i = 0; i < 300; i++) printf "%s,%.1f,%s\n", t[1 + int(rand() * 3)], 1 + rand() * 99, c[1 + int(rand() * 3)] }' > labs.csv
# schema BY BOUNDS HIERARCHY
schema() {
    cat > labs.json <<JSON
{"fields": [{"name": "test", "type": "string", "constraints": {"enum": ["K", "Na", "CRP"], "required": true}},
  {"name": "value", "type": "number", "constraints": {"minimum": 0, "maximum": 500}, "semblance": {"decimals": 1, "by": "$1", "bounds": {$2}}},
  {"name": "code", "type": "string", "constraints": {"enum": ["I10.1", "I10.2", "E11.0"]}, "semblance": {"hierarchy": {$3}}}]}
JSON
}
bounds='"K": {"minimum": 2, "maximum": 8}'
parents='"I10.1": "I10", "I10.2": "I10"'
whole='"prefix": [1, 3]'
schema test "$bounds" "$whole"
accepted synth labs.csv --schema labs.json --epsilon 0.5 -o good.csv --quiet
cp labs.csv.ledger kept
# refuse MESSAGE ARGUMENTS_OF_SCHEMA...
refuse() {
    schema "${@:2}"
    refused 3 "$1" synth labs.csv --schema labs.json --epsilon 0.5 -o out.csv
    cmp -s kept labs.csv.ledger || fail "the ledger has changed: $1"
    [ "$(ls -d out* 2> none)" = "" ] || fail "something was written: $(ls)"
}

refuse "labs.json: column 'value' has bounds by 'tests', which is not a column of the table" tests "$bounds" "$whole"
refuse "labs.json: column 'value' has bounds by 'value', which has no categories*" value "$bounds" "$whole"
refuse "labs.json: column 'value' has semblance.bounds for 'Ka', which is not a category of 'test'" test '"Ka": {"minimum": 2, "maximum": 8}' "$whole"
refuse "labs.json: column 'value' by test 'Na' needs a minimum and a maximum*" test '"Na": {"minimum": 2}' "$whole"
refuse "labs.json: column 'value' by test 'Na' has a minimum above its maximum" test '"Na": {"minimum": 8, "maximum": 2}' "$whole"
refuse "labs.json: column 'value' by test 'Na' has bounds outside constraints.minimum and maximum*" test '"Na": {"minimum": 2, "maximum": 800}' "$whole"
refuse "labs.json: column 'value' has semblance.by, which needs semblance.bounds*" test '' "$whole"

refuse "labs.json: column 'code' has a circle or more than 8 levels above 'I10.1'*" test "$bounds" "\"parents\": {$parents, \"E11.0\": \"E11\", \"E11\": \"I10\", \"I10\": \"E11\"}"
refuse "labs.json: column 'code' has a circle*" test "$bounds" "\"parents\": {$parents, \"E11.0\": \"E11\", \"I10\": \"I10\"}"
refuse "labs.json: column 'code' has no parent for 'E11.0'*" test "$bounds" "\"parents\": {$parents}"
refuse "labs.json: column 'code' has 'Z' in semblance.hierarchy.parents, which is not above or among its categories" test "$bounds" \
    "\"parents\": {$parents, \"E11.0\": \"E11\", \"Z\": \"E11\"}"
refuse "labs.json: column 'code' has a semblance.hierarchy.prefix that is not a list of ascending numbers*" test "$bounds" '"prefix": [3, 1]'
# The same from a file.
printf 'code,parent\nI10.1,I10\nI10.2,I10\nE11.0,E11\nE11,I10\nI10,E11\n' > parents.csv
refuse "labs.json: column 'code' has a circle*" test "$bounds" '"parents": "parents.csv"'
printf 'code,parent\nI10.1,I10\nI10.2,I10\n' > parents.csv
refuse "labs.json: column 'code' has no parent for 'E11.0'*" test "$bounds" '"parents": "parents.csv"'
printf 'code,parent\nI10.1,I10\nI10.1,E11\nI10.2,I10\nE11.0,E11\n' > parents.csv
refuse "parents.csv: code 'I10.1' has two parents*" test "$bounds" '"parents": "parents.csv"'
