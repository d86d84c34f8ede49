# SPDX-License-Identifier: Apache-2.0
# schema check of a package whose root is no table of persons: its rows are called what they are, keys of their table.
. "$CLI_TESTS/lib.sh"
mkdir court
cat > court/datapackage.json <<'JSON'
{"resources": [
  {"name": "cases", "path": "cases.csv", "schema": {"primaryKey": "no", "fields": [{"name": "no", "type": "integer"},
    {"name": "kind", "type": "string", "constraints": {"enum": ["civil", "criminal"]}}]}},
  {"name": "hearings", "path": "hearings.csv", "schema": {"primaryKey": "id",
    "foreignKeys": [{"fields": "case", "reference": {"resource": "cases", "fields": "no"}}],
    "fields": [{"name": "id", "type": "integer"}, {"name": "case", "type": "integer"},
      {"name": "day", "type": "integer", "constraints": {"minimum": 0, "maximum": 99, "required": true}}],
    "semblance": {"max_rows_per_unit": 2, "order": "day"}}}]}
JSON
printf 'no,kind\n1,civil\n2,criminal\n3,civil\n' > court/cases.csv
printf 'id,case,day\n1,1,5\n2,1,6\n3,1,7\n4,2,8\n5,,9\n' > court/hearings.csv
accepted schema check --package court/datapackage.json
for line in 'table cases: the root; each row is protected together with all rows that refer to it' \
    'table hearings: its rows refer to those of cases' '3 keys of cases with at most 1 row' '2 keys of cases with at most 3 rows' \
    '1 key of cases with more than 2 rows: of all theirs 1 do not count' '1 row without a key'; do
    grep -qxF "$line" accepted.out || fail "no '$line': $(<accepted.out)"
done
grep -q '^case: a key of cases; at most 2 rows with the same key count -> fresh keys, ' accepted.out || fail "$(<accepted.out)"
grep -q '^day: .*; orders the rows with the same key$' accepted.out || fail "$(<accepted.out)"
! grep -qi 'person' accepted.out || fail "a case is called a person: $(<accepted.out)"
