# SPDX-License-Identifier: Apache-2.0
# Constraints that leave the number of one category no value within its bounds: one line that names constraint, field and category, and
# nothing is charged, since no synthetic row would have that category. Constraints that the bounds allow, or that forbid the category, are kept.
. "$CLI_TESTS/lib.sh"
awk 'BEGIN { srand(3); split("K Na CRP", t); print "test,value"
    for (i = 0; i < 600; i++) printf "%s,%.1f\n", t[1 + i % 3], i % 3 == 0 ? 3 + 2 * rand() : 130 + 20 * rand() }' > labs.csv
# schema CONSTRAINT
schema() {
    cat > labs.json <<JSON
{"fields": [{"name": "test", "type": "string", "constraints": {"enum": ["K", "Na", "CRP"], "required": true}},
  {"name": "value", "type": "number", "constraints": {"minimum": 0, "maximum": 500},
   "semblance": {"decimals": 1, "by": "test", "bounds": {"K": {"minimum": 2, "maximum": 8}, "Na": {"minimum": 110, "maximum": 170}}}}],
 "semblance": {"constraints": ["$1"]}}
JSON
}
# refuse CONSTRAINT CATEGORY
refuse() {
    schema "$1"
    refused 3 "the schema's constraint '$1' leaves 'value' no value within its bounds by test '$2': change the constraint or these bounds" \
        synth labs.csv --schema labs.json --epsilon 0.5 -o out.csv
    [ "$(ls -d out* ./*.ledger 2> none)" = "" ] || fail "something was written: $(ls)"
    refused 3 "the schema's constraint '$1' leaves*" schema check labs.json
    refused 3 "the schema's constraint '$1' leaves*" plan --schema labs.json --epsilon 0.5 -n 600
}
refuse "if test = K then value > 50" K
refuse "forbid test in (Na, CRP) and value < 171" Na
refuse "if test = CRP then value > 500" CRP
refuse "value > 8" K

# keep CONSTRAINT SHARE_OF_K: rows of K are there or not.
keep() {
    schema "$1"
    accepted synth labs.csv --schema labs.json --epsilon 2 -o good.csv --overwrite --quiet
    k=$(grep -c '^K,' good.csv || true)
    [ "$k" "$2" "$3" ] || fail "'$1' leaves $k rows of K"
}
keep "if test = K then value >= 3" -gt 100
keep "forbid test = K" -eq 0
schema "if test = K then value is missing"
accepted schema check labs.json
