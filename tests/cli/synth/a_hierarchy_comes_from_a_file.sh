# SPDX-License-Identifier: Apache-2.0
# The parents of codes in a public file beside the schema or the package do what the same parents in the schema do. Rows of the file that
# the schema does not need are left out. A file that is not there, outside, without its columns, with a circle, with two parents or without a
# code's parent is one line; nothing is charged and no file is left.
. "$CLI_TESTS/lib.sh"
awk 'BEGIN { srand(3); print "id,ward,code"; for (i = 0; i < 4000; i++) { c = int(rand() * 8)
    printf "%d,%s,%s%02d\n", i, substr("abcdefgh", c + 1, 1), substr("ABCDEFGH", c + 1, 1), int(12 * rand()) } }' > codes.csv
awk 'BEGIN { print "code,title,parent"; print "root,all of them,"; for (c = 1; c <= 26; c++) { l = substr("ABCDEFGHIJKLMNOPQRSTUVWXYZ", c, 1); print l ",chapter,root"
    for (i = 0; i < 20; i++) printf "%s%02d,a code,%s\n", l, i, l } }' > parents.csv
codes=$(awk 'BEGIN { for (c = 1; c <= 8; c++) for (i = 0; i < 12; i++) printf "%s\"%s%02d\"", n++ ? "," : "", substr("ABCDEFGH", c, 1), i }')
typed=$(awk 'BEGIN { for (c = 1; c <= 8; c++) { l = substr("ABCDEFGH", c, 1); printf "%s\"%s\": \"root\"", n++ ? "," : "", l; for (i = 0; i < 12; i++) printf ",\"%s%02d\": \"%s\"", l, i, l } }')
fields() { echo "[{\"name\": \"id\"}, {\"name\": \"ward\", \"type\": \"string\", \"constraints\": {\"enum\": [\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\"], \"required\": true}},
  {\"name\": \"code\", \"type\": \"string\", \"constraints\": {\"enum\": [$codes], \"required\": true}, \"semblance\": {\"hierarchy\": {\"parents\": $1}}}]"; }
schema() { echo "{\"fields\": $(fields "$1" | sed 's/{"name": "id"}/{"name": "id", "semblance": {"role": "ignore"}}/')}"; }
mkdir sub
schema '"parents.csv"' > sub/file.json
cp parents.csv sub
schema "{$typed}" > typed.json
for name in sub/file typed; do
    accepted plan --schema "$name.json" --epsilon 1 -n 4000 --json
    grep -v '_seconds"\|"bytes"' accepted.out > "${name#sub/}.plan"
done
cmp file.plan typed.plan || fail "the file is not what was typed"
accepted schema check sub/file.json
grep -q '^code: .* in a hierarchy of 2 levels$' accepted.out || fail "not said: $(<accepted.out)"
accepted synth codes.csv --schema sub/file.json --epsilon 1 --quiet -o out.csv
accepted verify out.csv.certificate.json --output out.csv

# In a package: beside it. What is written holds the parents themselves.
awk -F, 'NR == 1 { print "id,height" } NR > 1 && NR < 800 { print $1 "," 150 + NR % 50 }' codes.csv > people.csv
awk -F, 'NR < 800' codes.csv > stays.csv
package() { cat <<JSON
{"resources": [{"name": "people", "path": "people.csv", "schema": {"primaryKey": "id", "fields": [{"name": "id"},
    {"name": "height", "type": "integer", "constraints": {"minimum": 100, "maximum": 220, "required": true}}]}},
  {"name": "stays", "path": "stays.csv", "schema": {"foreignKeys": [{"fields": "id", "reference": {"resource": "people", "fields": "id"}}],
    "semblance": {"max_rows_per_unit": 1}, "fields": $(fields "$1")}}]}
JSON
}
package '"parents.csv"' > datapackage.json
accepted synth --package datapackage.json --epsilon 1 --quiet -o tables
grep -q '"A00":"A"' <(tr -d ' \n' < tables/datapackage.json) || fail "the parents are not written: $(grep -n hierarchy -A3 tables/datapackage.json)"

cp codes.csv fresh.csv
refuse() { # FILE PATTERN
    schema "\"$1\"" > bad.json
    refused "${3-3}" "$2" synth fresh.csv --schema bad.json --epsilon 1 -o bad.csv
}
refuse absent.csv 'cannot open absent.csv: *' 5
refuse ../parents.csv "bad.json: '../parents.csv' is outside the folder of the schema*"
ln -s /etc/passwd link.csv
refuse link.csv "bad.json: 'link.csv' is outside the folder of the schema*"
sed '1s/parent/above/' parents.csv > names.csv
refuse names.csv "names.csv: column 'parent' is missing from the header*"
sed '1q' parents.csv > empty.csv
refuse empty.csv 'empty.csv: the file of parents has no codes'
sed 's/^A,chapter,root/A,chapter,A03/' parents.csv > circle.csv
refuse circle.csv "bad.json: column 'code' has a circle or more than 8 levels above 'A00' *"
grep -v '^C05,' parents.csv > orphan.csv
refuse orphan.csv "bad.json: column 'code' has no parent for 'C05' in semblance.hierarchy.parents"
(cat parents.csv; echo 'C05,again,D') > two.csv
refuse two.csv "two.csv: code 'C05' has two parents: remove one of the rows"
for file in fresh.csv.* bad.csv*; do [ ! -e "$file" ] || fail "$file was made"; done
