# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
cat > t.json <<'JSON'
{"fields": [
  {"name": "ward", "type": "string", "constraints": {"enum": ["a", "b"], "required": true}},
  {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99, "required": true}},
  {"name": "day", "type": "date", "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31", "required": true}},
  {"name": "key", "semblance": {"role": "id"}}]}
JSON
awk 'BEGIN { print "ward,age,day"; for (i = 0; i < 300; i++) printf "%s,%d,2024-05-%02d\n", i % 3 ? "a" : "b", i % 100, 1 + i % 28 }' > t.csv
accepted synth t.csv --schema t.json --epsilon 2 --method marginals -o s.csv --model s.safetensors --quiet
cp t.csv u.csv
accepted synth u.csv --schema t.json --epsilon 2 --method merf -o m.csv --quiet
refused 2 "the method merf has no replicates: *" estimate m.csv.release --count
cp t.csv.ledger before.ledger
no() { refused 2 "$1" estimate s.csv.release "${@:2}"; }
no "give a statistic: *" --by ward
no "mean: the table has no column 'height'" --mean height
no "mean: the table has no column 'height'" --mean age,height
no "mean: 'ward' is a category, not a number; use share" --mean ward
no "mean: 'day' is a date, not a number; *" --mean day
no "mean: 'key' is left out or made up*" --mean key
no "by: 'age' is a number; name a column with categories" --count --by age
no "by: 'ward' is named twice" --count --by ward,ward
no "share: 'ward' does not have this category in the schema" --share ward=secret
! grep -q secret refused.err || fail "a message repeats a value"
no "share: 'age' is a number; *" --share age=5
no "quantile: write 'age=P' *" --quantile age
no "quantile: write 'age=P' *" --quantile age=1
no "correlation: name two columns*" --correlation age
no "correlation: 'age' is named twice" --correlation age,age
no "difference: give one column*" --mean age --difference a
no "difference: 'ward' does not have this category*" --mean age --by ward --difference c
no "where: with these conditions the drawn tables have too few rows*" --mean age --where 'age > 98 and age < 1'
no "where: with these conditions the drawn tables have too few rows*" --count --where 'age > 98 and age < 1'
no "*" --count --where 'height > 3'
no "*" --count --where 'ward=secret'
no "table: the releases are of a single table; leave it out" --count --table t
no "*--draws*" --count --draws 1
no "*--level*" --count --level 1
no "give --csv or --json, not both*" --count --csv --json
no "*t.csv.ledger*" --count -o t.csv.ledger --overwrite
touch there.csv
refused 5 "there.csv exists*" estimate s.csv.release --count -o there.csv
refused 5 "*nothing.release*" estimate nothing.release --count
refused 3 "*" estimate s.safetensors --count
cmp -s t.csv.ledger before.ledger || fail "the ledger changed"
[ ! -s there.csv ] || fail "a file was replaced"
