# SPDX-License-Identifier: Apache-2.0
# Packages whose keys do not match, and rules that contradict each other across tables: one line that names the table and the
# column and says what to do. Nothing is charged and nothing is written.
. "$CLI_TESTS/lib.sh"
mkdir data
printf 'id,sex,born\n1,m,1990\n2,f,1980\n' > data/people.csv
printf 'id,person,ward,year\n1,1,eyes,2020\n2,2,skin,2021\n' > data/stays.csv
printf 'stay,test\n1,hcg\n2,k\n' > data/labs.csv
# package TYPE_OF_ID FOREIGN_KEYS RULES_OF_PEOPLE RULES_OF_STAYS RULES_OF_LABS
package() {
    cat > data/package.json <<JSON
{"resources": [
 {"name": "people", "path": "people.csv", "schema": {"primaryKey": "id", "fields": [{"name": "id", "type": "$1"},
   {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"], "required": true}},
   {"name": "born", "type": "integer", "constraints": {"minimum": 1900, "maximum": 2020, "required": true}}],
   "semblance": {"constraints": [$3]}}},
 {"name": "stays", "path": "stays.csv", "schema": {"primaryKey": "id", "fields": [{"name": "id", "type": "integer"}, {"name": "person", "type": "integer"},
   {"name": "ward", "type": "string", "constraints": {"enum": ["eyes", "skin"], "required": true}},
   {"name": "year", "type": "integer", "constraints": {"minimum": 2000, "maximum": 2024, "required": true}}],
   "foreignKeys": [$2], "semblance": {"constraints": [$4]}}},
 {"name": "labs", "path": "labs.csv", "schema": {"fields": [{"name": "stay", "type": "integer"},
   {"name": "test", "type": "string", "constraints": {"enum": ["hcg", "k"], "required": true}}],
   "foreignKeys": [{"fields": "stay", "reference": {"resource": "stays", "fields": "id"}}], "semblance": {"constraints": [$5]}}}]}
JSON
}
good='{"fields": "person", "reference": {"resource": "people", "fields": "id"}}'
# refuse MESSAGE ARGUMENTS_OF_PACKAGE...
refuse() {
    package "${@:2}"
    for command in "synth --package data/package.json --epsilon 1 -o out" "fit --package data/package.json --epsilon 1 --model out.model" \
        "plan --package data/package.json --epsilon 1 --persons 100"; do
        refused 3 "$1" $command
        [ "$(wc -l < refused.err)" = 1 ] || fail "more than one line: $(<refused.err)"
    done
    [ "$(ls data)" = "$(printf '%s\n' labs.csv package.json people.csv stays.csv)" ] && [ "$(ls -d out* 2> none)" = "" ] || fail "something was written: $(ls . data)"
}
package integer "$good" '' '' ''
accepted plan --package data/package.json --epsilon 1 --persons 100

refuse "*'stays.person' has type integer, but it refers to 'people.id' with type string: give both the same type" string "$good" '' '' ''
refuse "*table 'stays' refers to 'nobody', which is not one of the resources: add it*" integer '{"fields": "person", "reference": {"resource": "nobody", "fields": "id"}}' '' '' ''
refuse "*table 'stays': its foreign key 'who' is not one of its fields" integer '{"fields": "who", "reference": {"resource": "people", "fields": "id"}}' '' '' ''
refuse "*table 'stays' refers to 'people.sex', which is not its primaryKey: refer to 'id'" integer '{"fields": "person", "reference": {"resource": "people", "fields": "sex"}}' '' '' ''
refuse "*table 'stays' refers to itself*" integer '{"fields": "person", "reference": {"resource": "stays", "fields": "id"}}' '' '' ''
refuse "*tables 'people' and 'stays' both have no parent*" integer '' '' '' ''
refuse "*does not connect one field to one field: use a single key" integer \
    '{"fields": ["person", "ward"], "reference": {"resource": "people", "fields": ["id", "sex"]}}' '' '' ''

refuse "*contradicts the others of table 'stays', those of the tables above it, or the bounds*" integer "$good" '"born >= 2015"' '"year >= people.born + 10"' ''
refuse "*'year < people.born' contradicts the others or the bounds*" integer "$good" '' '"year < people.born", "year > 2020"' ''
refuse "*contradicts*table 'labs'*" integer "$good" '"sex = f"' '"if people.sex = f then ward = eyes"' '"if stays.ward = eyes then test = k", "if people.sex = f then test = hcg"'
refuse "*contradicts*table 'stays'*" integer "$good" '"sex = m"' '"if people.sex = m then ward != eyes", "if people.sex = m then ward != skin"' ''
