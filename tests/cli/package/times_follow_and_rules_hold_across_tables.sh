# SPDX-License-Identifier: Apache-2.0
# Lab results lie within their stay without any rule, because their times are counted from the stay's; constraints that name
# columns of tables above hold in every row.
. "$CLI_TESTS/lib.sh"

# package NAME: rules of the stays and of the labs, as JSON lists.
package() {
    cat > "hospital/$1.json" <<JSON
{"resources": [
 {"name": "patients", "path": "patients.csv", "schema": {"primaryKey": "id", "fields": [{"name": "id", "type": "integer"},
   {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"], "required": true}}]}},
 {"name": "stays", "path": "stays.csv", "schema": {"primaryKey": "id", "fields": [{"name": "id", "type": "integer"}, {"name": "patient", "type": "integer"},
   {"name": "arrived", "type": "date", "constraints": {"minimum": "2020-01-01", "maximum": "2024-12-31", "required": true}},
   {"name": "left", "type": "date", "constraints": {"minimum": "2020-01-01", "maximum": "2025-03-31", "required": true}}],
   "foreignKeys": [{"fields": "patient", "reference": {"resource": "patients", "fields": "id"}}],
   "semblance": {"order": "arrived", "max_rows_per_unit": 5, "constraints": $2}}},
 {"name": "labs", "path": "labs.csv", "schema": {"fields": [{"name": "stay", "type": "integer"},
   {"name": "time", "type": "date", "constraints": {"minimum": "2020-01-01", "maximum": "2025-03-31", "required": true}},
   {"name": "test", "type": "string", "constraints": {"enum": ["crp", "hcg", "k"], "required": true}}],
   "foreignKeys": [{"fields": "stay", "reference": {"resource": "stays", "fields": "id"}}],
   "semblance": {"order": "time", "max_rows_per_unit": 20, "constraints": $3}}}]}
JSON
}
# Rows of labs that are outside of their stay, hcg results of men, and all: of the tables in a folder.
broken() {
    awk -F, 'FNR == 1 { file++; next } file == 1 { sex[$1] = $2 } file == 2 { of[$1] = sex[$2]; from[$1] = $3; to[$1] = $4 }
        file == 3 { all++; out += $2 < from[$1] || $2 > to[$1]; men += $3 == "hcg" && of[$1] == "m" }
        END { print out + 0, men + 0, all }' "$1/patients.csv" "$1/stays.csv" "$1/labs.csv"
}

mkdir hospital
awk 'function day(n,   year, month, length_of) { # n days after 2020-01-01
        for (year = 2020; n >= (year % 4 ? 365 : 366); year++) n -= year % 4 ? 365 : 366
        for (month = 1; ; month++) {
            length_of = month == 2 ? (year % 4 ? 28 : 29) : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
            if (n < length_of) break
            n -= length_of
        }
        return sprintf("%d-%02d-%02d", year, month, n + 1)
    }
    BEGIN { srand(5); print "id,sex" > "hospital/patients.csv"; print "id,patient,arrived,left" > "hospital/stays.csv"
    print "stay,time,test" > "hospital/labs.csv"
    for (i = 1; i <= 2000; i++) { m = rand() < 0.5; print i "," (m ? "m" : "f") > "hospital/patients.csv"
        for (n = 1 + int(rand() * 3); n > 0; n--) { from = int(rand() * 1800); stay = int(-8 * log(1 - rand())) % 80
            print ++s "," i "," day(from) "," day(from + stay) > "hospital/stays.csv"
            for (k = int(rand() * 5); k > 0; k--)
                print s "," day(from + int(rand() * (stay + 1))) "," (rand() < 0.4 ? "crp" : m || rand() < 0.5 ? "k" : "hcg") > "hospital/labs.csv" } } }'

package plain '[]' '[]'
# Noise alone places up to 2 % outside at epsilon 1, in one run of eight; a third of that here.
accepted synth --package hospital/plain.json --epsilon 3 --expect-persons 2000 --seed 1 -o plain
read -r out men all <<< "$(broken plain)"
[ "$all" -gt 1000 ] && [ $((out * 20)) -lt "$all" ] || fail "$out of $all lab results are outside of their stay"

package ruled '["arrived <= left"]' '["time >= stays.arrived", "stays.left >= time", "if patients.sex = m then test != hcg"]'
accepted schema check --package hospital/ruled.json
[[ "$(<accepted.out)" == *"constraint time >= stays.arrived: all rows hold"*"constraint if patients.sex = m then test != hcg: all rows hold"* ]] || fail "$(<accepted.out)"
accepted synth --package hospital/ruled.json --epsilon 1 --expect-persons 2000 --seed 1 -o ruled
read -r out men all <<< "$(broken ruled)"
[ "$all" -gt 1000 ] && [ "$out $men" = "0 0" ] || fail "of $all lab results $out are outside of their stay, and $men are hcg of men"
# No heap at the ends of the window: 2 to 17 stays in forty runs.
[ "$(grep -c ',2020-01-01\|,2024-12-31' ruled/stays.csv)" -lt 50 ] || fail "stays lie at the ends of the window"
# Nor on the first or last day of a stay: at most three times as many lab results as in reality.
edges() {
    awk -F, 'FNR == 1 { file++; next } file == 1 { from[$1] = $3; to[$1] = $4 } file == 2 && from[$1] != to[$1] { all++; first += $2 == from[$1]; last += $2 == to[$1] }
        END { print int(1000 * first / all), int(1000 * last / all) }' "$1/stays.csv" "$1/labs.csv"
}
read -r first last <<< "$(edges hospital)"
read -r drawn_first drawn_last <<< "$(edges ruled)"
[ "$drawn_first" -le $((3 * first)) ] && [ "$drawn_last" -le $((3 * last)) ] ||
    fail "of 1000 lab results $drawn_first are on the first day of a stay and $drawn_last on the last; really $first and $last"
keys_hold_of() { awk -F, 'FNR == 1 { file++; next } file == 1 { have[$1] = 1 } file == 2 && !($1 in have) { exit 1 }' "$1" "$2"; }
keys_hold_of ruled/stays.csv ruled/labs.csv || fail "a lab result has no stay"

# Counted in real tables that break them, and in the comparison.
accepted schema check --package ruled/datapackage.json
[[ "$(<accepted.out)" != *"break"* ]] || fail "$(<accepted.out)"
sed '2s/,.*/,2025-03-31,crp/' hospital/labs.csv > changed && mv changed hospital/labs.csv
accepted schema check --package hospital/ruled.json
[[ "$(<accepted.out)" == *"constraint stays.left >= time: 1 row breaks it"* ]] || fail "$(<accepted.out)"
accepted evaluate --package hospital/ruled.json --synthetic ruled
[[ "$(<accepted.out)" == *"stays.left >= time "*"1.0000   0."* ]] || fail "$(<accepted.out)"

# Refused in one line, before anything is charged.
rm -f hospital/*.ledger
refuse() {
    package bad "$1" "$2"
    refused 3 "$3" synth --package hospital/bad.json --epsilon 1 -o bad
    [ ! -e bad ] && [ ! -e hospital/bad.json.ledger ] && [ ! -e hospital/patients.csv.ledger ] || fail "a refused run left something"
}
refuse '["arrived <= left"]' '["time > stays.left", "time < stays.arrived"]' "*contradicts*table 'labs'*"
refuse '[]' '["time >= stays.arrived", "time < stays.arrived"]' '*contradicts*'
refuse '[]' '["stays.arrived <= stays.left"]' '*names no column of its own table*'
refuse '[]' '["time >= stays.came"]' "*names 'stays.came'*"
refuse '["arrived <= labs.time"]' '[]' "*names 'labs.time'*"
refuse '[]' '["time >= stays.patient"]' '*has a role and no values*'
