# SPDX-License-Identifier: Apache-2.0
# The same table as CSV, as a JSON array and as lines, plain and gzip: every command takes it, and under the test key the
# synthetic rows are the same to the byte.
. "$CLI_TESTS/lib.sh"
[ -n "${SEMBLANCE_TESTKEY:-}" ] || skip "no test-key build"
SEMBLANCE=$SEMBLANCE_TESTKEY
cat > s.json << 'END'
{"fields": [{"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
    {"name": "ward", "type": "string", "constraints": {"enum": ["north", "south \"2\"", "île"]}},
    {"name": "cost", "type": "number", "constraints": {"minimum": 0, "maximum": 500}},
    {"name": "day", "type": "date", "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31"}},
    {"name": "ok", "type": "boolean"}]}
END
# Names in another order in every other line, escapes, members that the schema does not name, members that are not there.
awk 'BEGIN {
    split("north|south \\\"2\\\"|\\u00eele", json, "|"); split("north|\"south \"\"2\"\"\"|île", csv, "|")
    print "age,ward,cost,day,ok" > "t.csv"; print "[" > "t.array"
    for (i = 0; i < 3000; i++) {
        age = i * 7 % 90; w = i * i % 3 + 1; cost = sprintf("%.2f", i * 31 % 1000 / 3); day = sprintf("2024-%02d-%02d", 1 + i % 12, 1 + i % 28)
        ok = i % 3 == 0 ? "true" : i % 3 == 1 ? "false" : ""
        print age "," csv[w] "," cost "," day "," ok > "t.csv"
        a = "\"age\": " age; b = "\"w\\u0061rd\": \"" json[w] "\", \"cost\": " cost; c = "\"day\": \"" day "\""
        d = ok == "" ? "\"more\": [1, {\"age\": \"]\"}]" : "\"ok\": " ok
        row = i % 2 ? "{" a ", " b ", " c ", " d "}" : "{" d "," c " ," b "," a "}"
        print row > "t.ndjson"; print row (i < 2999 ? "," : "]") > "t.array"
    }
}'
mv t.array t.json
gzip -k t.ndjson
cp t.ndjson u.jsonl
common=(--schema s.json --epsilon 2 --quiet --overwrite)
for input in t.csv t.json t.ndjson t.ndjson.gz u.jsonl; do
    "$SEMBLANCE" synth "$input" "${common[@]}" -o out.csv 2> said || fail "$input: $(<said)"
    [ -e first.csv ] || cp out.csv first.csv
    cmp first.csv out.csv || fail "$input gives other rows"
    [ -e "$input.ledger" ] || fail "no ledger beside $input"
done

# Every other command.
accepted fit t.json "${common[@]}" --model m.model
accepted plan --schema s.json --epsilon 1 --save p.plan -n 3000
accepted sum t.ndjson --plan p.plan -o a.sum
accepted schema inspect t.json -o g.json
grep -q '"ward"' g.json || fail "$(<g.json)"
accepted schema check s.json t.ndjson
grep -q '^3000 rows' accepted.out && grep -q 'cost: all cells good' accepted.out || fail "$(<accepted.out)"
accepted evaluate --real t.json --synthetic out.csv --train t.ndjson --schema s.json --models none
# There is no header: names are private until somebody declares them.
refused 2 '*has no header, and names read from its records would be private*--columns*' schema discover t.json --epsilon 5 -o d.json
accepted schema discover t.json --epsilon 5 -o d.json --columns age,ward,cost --quiet
refused 2 'columns does not apply to CSV files, only to JSON files' synth t.csv --epsilon 1 -o x.csv --columns age
refused 2 'delimiter does not apply to JSON files, only to CSV files' synth t.json --schema s.json --epsilon 1 -o x.csv --delimiter ';'

# A bad cell, a bad line, a name that no record has: neither exit code nor the shape of what is said or written changes.
sed -e '7s/.*/{"age": 5, "ward": /' -e '8s/.*//' -e '9s/"age": [0-9]*/"age": {"a": [5]}/' -e '10s/"cost"/"Cost"/' t.ndjson > bad.ndjson
"$SEMBLANCE" synth bad.ndjson "${common[@]}" --health off -o bad.csv > bad.out 2>&1 || fail "$(<bad.out)"
[ ! -s bad.out ] && [ "$(wc -l < bad.csv)" = 3001 ] || fail "a bad line changed the shape: $(<bad.out)"
sed 's/"age"/"years"/' t.ndjson > other.ndjson
"$SEMBLANCE" synth other.ndjson "${common[@]}" --health off -o other.csv > bad.out 2>&1 || fail "$(<bad.out)"
[ ! -s bad.out ] || fail "it was told which names records have: $(<bad.out)"

# An array that does not end is no sequence of records; nothing is charged.
head -n 100 t.json > cut.json
refused 3 '*cut.json ends inside its array*' synth cut.json "${common[@]}" -o x.csv
cp t.ndjson lines.json
refused 3 '*lines.json is not a JSON array*ndjson*' synth lines.json "${common[@]}" -o x.csv
[ ! -e x.csv ] && [ ! -e cut.json.ledger ] && [ ! -e lines.json.ledger ] || fail "something was written or charged"
