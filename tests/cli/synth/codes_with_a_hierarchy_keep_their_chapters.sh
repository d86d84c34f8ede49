# SPDX-License-Identifier: Apache-2.0
# 400 codes in 8 chapters, each of which has its ward: with a hierarchy the ward follows from the chapter, by pairs and by histories.
# Bad hierarchies are one line, and nothing is charged.
. "$CLI_TESTS/lib.sh"
awk 'BEGIN { srand(3); print "id,sex,ward,code"; for (i = 0; i < 12000; i++) { c = int(rand() * 8); w = rand() < .9 ? c : int(rand() * 8)
    printf "%d,%s,%s,%s%02d\n", i, rand() < .5 ? "f" : "m", substr("abcdefgh", w + 1, 1), substr("ABCDEFGH", c + 1, 1), int(50 * rand() * rand()) } }' > codes.csv
codes=$(awk 'BEGIN { for (c = 1; c <= 8; c++) for (i = 0; i < 50; i++) printf "%s\"%s%02d\"", n++ ? "," : "", substr("ABCDEFGH", c, 1), i }')
schema() {
    cat <<JSON
{"fields": [{"name": "id", "semblance": {"role": "${2:-ignore}"}},
  {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"], "required": true}},
  {"name": "ward", "type": "string", "constraints": {"enum": ["a", "b", "c", "d", "e", "f", "g", "h"], "required": true}},
  {"name": "code", "type": "string", "constraints": {"enum": [$codes], "required": true}, "semblance": {$1}}]
  ${3-}}
JSON
}
followed() { awk -F, '{ for (i = 1; i <= NF; i++) { if (NR == 1) at[$i] = i } } NR > 1 { n++; good += tolower(substr($at["code"], 1, 1)) == $at["ward"]; seen[$at["code"]] = 1 }
    END { for (code in seen) codes++; if (!(good > .75 * n) || codes < 150) { print good / n, codes; exit 1 } }' "$1" || fail "$1"; }
schema '"hierarchy": {"prefix": [1]}' > tree.json
accepted schema check tree.json
grep -q '^code: string with 400 categories -> one of 400 codes, in a hierarchy of 1 level$' accepted.out || fail "not said: $(<accepted.out)"
followed codes.csv
accepted synth codes.csv --schema tree.json --epsilon 1 --quiet -o tree.csv
followed tree.csv
schema '"hierarchy": {"prefix": [1]}' id ', "semblance": {"unit": "id", "max_rows_per_unit": 2}' > persons.json
cp codes.csv persons.csv
accepted synth persons.csv --schema persons.json --epsilon 1 --quiet -o persons_out.csv
followed persons_out.csv

cp codes.csv fresh.csv
refuse() {
    schema "$1" > bad.json
    refused 3 "$2" synth fresh.csv --schema bad.json --epsilon 1 -o bad.csv
}
refuse '"hierarchy": {"prefix": [2, 1]}' "bad.json: column 'code' has a semblance.hierarchy.prefix that is not a list of ascending*"
refuse '"hierarchy": {"parents": {"A00": "A"}}' "bad.json: column 'code' has no parent for 'A01' in semblance.hierarchy.parents"
refuse '"hierarchy": {"parents": {"A00": "A", "A": "A"}}' "bad.json: column 'code' has a circle or more than 8 levels above 'A00' *"
for file in fresh.csv.* bad.csv*; do [ ! -e "$file" ] || fail "$file was made"; done
