# SPDX-License-Identifier: Apache-2.0
# check counts persons whose rows disagree in a person's column, who have more rows than count, and rows without an id.
. "$CLI_TESTS/lib.sh"
cat > stays.json <<'JSON'
{"fields": [{"name": "who"},
  {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}, "semblance": {"per": "unit"}},
  {"name": "born", "type": "integer", "constraints": {"minimum": 1900, "maximum": 2020}, "semblance": {"per": "unit"}},
  {"name": "day", "type": "integer", "constraints": {"minimum": 0, "maximum": 99, "required": true}}],
 "semblance": {"unit": "who", "order": "day", "max_rows_per_unit": 2}}
JSON
printf 'who,sex,born,day\na,f,1950,1\nb,m,1960,2\na,f,1950,3\n,m,1970,4\nb,f,1960,5\na,m,,6\n,f,1970,7\nc,f,1980,8\n7,f,1,9\n7.0,f,1900,9\n' > stays.csv
accepted schema check stays.json stays.csv
grep -q '^NOT PRIVATE: these counts' accepted.out || fail "no warning: $(<accepted.out)"
for line in '4 persons with at most 3 rows' '1 person with more than 2 rows: of all theirs 1 do not count' \
    '2 rows without an id: each is a person of its own' \
    'sex: differs between the rows of 2 persons, of whom the first row counts' \
    'born: differs between the rows of 1 person, of whom the first row counts'; do
    grep -qxF "$line" accepted.out || fail "no '$line': $(<accepted.out)"
done
grep -q '^sex: string with 2 categories .*; the same in all rows of a person$' accepted.out || fail "$(<accepted.out)"
grep -q '^day: integer from 0 to 99 .*; orders the rows of a person$' accepted.out || fail "$(<accepted.out)"
cut -d , -f 2- stays.csv > nobody.csv
refused 3 "*'who'*" schema check stays.json nobody.csv
