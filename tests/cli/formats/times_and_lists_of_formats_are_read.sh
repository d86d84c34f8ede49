# SPDX-License-Identifier: Apache-2.0
# A time of day is a type, and a column of dates may have several formats: each cell is read by the first that fits, and
# the first one is written.
. "$CLI_TESTS/lib.sh"
SEMBLANCE=${SEMBLANCE_TESTKEY:-$SEMBLANCE}
awk 'BEGIN { print "opens,called,seen"; for (i = 0; i < 900; i++) {
    if (i % 3 == 0) day = sprintf("2024-%02d-%02d", 1 + i % 6, 13 + i % 12)
    if (i % 3 == 1) day = sprintf("%02d.%02d.2024", 13 + i % 12, 1 + i % 6)
    if (i % 3 == 2) day = sprintf("%02d/%02d/2024", 13 + i % 12, 1 + i % 6)
    printf "%02d:%02d,%02d:%02d:%02d,%s\n", 6 + i % 4, i % 60, 8 + i % 12, i % 60, i * 7 % 60, day } }' > day.csv
cat > day.json <<'JSON'
{"fields": [
  {"name": "opens", "type": "time", "format": "%H:%M", "constraints": {"minimum": "06:00", "maximum": "09:59", "required": true}},
  {"name": "called", "type": "time", "constraints": {"minimum": "00:00", "maximum": "23:59:59", "required": true}},
  {"name": "seen", "type": "date", "format": ["%d.%m.%Y", "default", "%d/%m/%Y"],
   "constraints": {"minimum": "2024-01-01", "maximum": "31.12.2024", "required": true}}],
 "missingValues": [""]}
JSON
accepted schema check day.json day.csv
grep -q '^opens: time from 06:00:00 to 09:59:00, written %H:%M' accepted.out || fail "opens: $(<accepted.out)"
grep -q '^called: time from 00:00:00 to 23:59:59' accepted.out || fail "called: $(<accepted.out)"
grep -q '^seen: date .*written %d.%m.%Y, also read as default, also read as %d/%m/%Y' accepted.out || fail "seen: $(<accepted.out)"
[ "$(grep -c ': all cells good$' accepted.out)" = 3 ] || fail "cells do not fit: $(<accepted.out)"

# What is written has the first format, in CSV and from every method that draws it.
for method in marginals pairs merf; do
    accepted synth day.csv --schema day.json --method $method --epsilon 20 -o $method.csv --quiet
    [ "$(tail -n +2 $method.csv | grep -cvE '^0[6-9]:[0-5][0-9],[0-2][0-9]:[0-5][0-9]:[0-5][0-9],[0-3][0-9]\.[01][0-9]\.2024$')" = 0 ] ||
        fail "$method: $(head -3 $method.csv)"
done

# A list of formats reads what the table with one format holds: the same release, bit for bit.
awk -F, 'NR == 1 { print; next } { d = $3
    if (d ~ /-/) d = substr(d, 9, 2) "." substr(d, 6, 2) "." substr(d, 1, 4)
    gsub("/", ".", d); print $1 "," $2 "," d }' day.csv > one.csv
accepted synth one.csv --schema day.json --method marginals --epsilon 20 -o one.out.csv --quiet
cmp -s one.out.csv marginals.csv || fail "the same dates in one format give something else"
awk -F, 'NR == 1 { next } { printf "{\"opens\": \"%s\", \"called\": \"%s\", \"seen\": \"%s\"}\n", $1, $2, $3 }' day.csv > day.ndjson
accepted synth day.ndjson --schema day.json --method marginals --epsilon 20 -o json.csv --quiet
cmp -s json.csv marginals.csv || fail "JSON gives something else"

# The first format wins, whatever other cells hold: 03/04/2024 is the third of April.
printf 'd\n03/04/2024\n12/25/2024\n' > order.csv
field='{"fields": [{"name": "d", "type": "date", "format": %s, "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31"}}],
  "semblance": {"constraints": ["d > 2024-04-01"]}}'
printf "$field" '["%d/%m/%Y", "%m/%d/%Y"]' > first.json
accepted schema check first.json order.csv
grep -q '^d: all cells good$' accepted.out && grep -q ': all rows hold$' accepted.out || fail "the first format does not win: $(<accepted.out)"
printf "$field" '["%m/%d/%Y", "%d/%m/%Y"]' > second.json
accepted schema check second.json order.csv
grep -q ': 1 row breaks it$' accepted.out || fail "another first format does not win: $(<accepted.out)"

wrong() { # words, what replaces the format
    printf "$field" "$2" > bad.json
    refused 3 "$1" synth order.csv --schema bad.json --epsilon 1 -o x.csv
    [ ! -e x.csv ] && [ ! -e order.csv.ledger ] || fail "a file was left: $2"
}
wrong "*column 'd' has a list of formats with 0 entries: 1 to 8 are possible*" '[]'
wrong "*column 'd' has a format that is not a pattern of a date like*" '["%d/%m/%Y", "%H:%M"]'
wrong "*column 'd' has a format that is not a pattern of a date like*" '["%d/%m/%Y", 7]'
sed 's/"maximum": "09:59"/"maximum": "24:59"/' day.json > bad.json
refused 3 "*column 'opens' has a maximum that is not a time like*" schema check bad.json
sed 's/"format": "%H:%M"/"format": "%d:%M"/' day.json > bad.json
refused 3 "*column 'opens' has a format that is not a pattern of a time like*" schema check bad.json
