# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
make_people
accepted plan --schema people.json --epsilon 1 -n 200 --method merf
grep -q '^one joint release of' accepted.out || fail "no list of blocks"
grep -q WARNING accepted.out || fail "200 rows at epsilon 1 need a warning"
accepted plan --schema people.json --epsilon 1 --delta 1e-7 -n 2000000 --json
python3 -c 'import json,sys; p = json.load(sys.stdin); assert p["blocks"] and p["n"] == 2000000' < accepted.out || fail "no JSON"
# The default says what it chose, and what it will take.
accepted plan --schema people.json --epsilon 1 -n 200
grep -q "^method     pairs" accepted.out && grep -q "planned for 200 rows" accepted.out || fail "not what was chosen"
# Before anything is read: about how long, and what memory.
grep -q '^a run takes about [0-9]* [a-z]* with [0-9]* threads\{0,1\} on this machine (.* to read, .* to fit and draw; .* of processor time) and [0-9]* MB$' accepted.out || fail "no estimate"
accepted plan --schema people.json --epsilon 1 --delta 1e-9 -n 20000000 --json
python3 -c 'import json,sys; e = json.load(sys.stdin)["estimate"]; assert e["reading_seconds"] > 1 and e["fitting_seconds"] > 1 and 1e6 < e["bytes"] < 1e10, e' \
    < accepted.out || fail "no estimate in JSON, or it does not grow with the rows"
# Where a probe decides on forests, both courses are estimated, and the shorter one comes first.
timed='import json,sys; p = json.load(sys.stdin); assert p["blocks"] and p["memory"]; print(*sorted(name for name in p if "estimate" in name or "seconds" in name))'
accepted plan --schema people.json --epsilon 1 -n 200000 --json
python3 -c 'import json,sys; e = json.load(sys.stdin)["estimate"]; f = e["with_forests"]; assert all(f[name] > e[name] > 0 for name in f), e' < accepted.out ||
    fail "forests: $(cat accepted.out)"
accepted plan --schema people.json --epsilon 1 -n 200000
grep -q '^a run takes about .* MB; with forests, if a probe asks for them, .* of processor time) and [0-9]* MB$' accepted.out || fail "both: $(cat accepted.out)"
# Memory is what a run usually takes, not the most that it may take.
python3 -c '
import json
number = lambda name: {"name": name, "type": "number", "constraints": {"minimum": 0, "maximum": 1, "required": True}}
json.dump({"fields": [number(f"x{i}") for i in range(30)]}, open("lab.json", "w"))'
accepted plan --schema lab.json --epsilon 1 -n 5000 --json
python3 -c 'import json,sys; p = json.load(sys.stdin); assert 1e7 < p["estimate"]["bytes"] < 1.5e8 and p["memory"] > 6e7, p["estimate"]' < accepted.out || fail "memory"
# Nothing is timed where that is not asked for.
accepted plan --schema people.json --epsilon 1 -n 200000 --json --no-estimate
[ -z "$(python3 -c "$timed" < accepted.out)" ] || fail "seconds that nobody asked for"
accepted plan --schema people.json --epsilon 1 -n 200 --no-estimate
grep -q "planned for 200 rows" accepted.out && ! grep -q 'a run takes' accepted.out || fail "a time that nobody asked for"
refused 2 '*no-estimate*' synth people.csv --schema people.json --epsilon 1 -o no.csv --no-estimate
accepted plan --schema people.json --epsilon 1 -n 200 --pure
grep -q "auto takes marginals: delta is to be 0" accepted.out || fail "auto cannot be pure"
# Standard input and output; then the other files need names.
"$SEMBLANCE" synth - --schema people.json --epsilon 1 -o - --release r --certificate c.json "${small[@]}" --quiet < people.csv > out.csv || fail "no streams"
[ "$(wc -l < out.csv)" = 201 ] || fail "not 200 rows on standard output"
refused 2 '*name the files for the release*' synth people.csv --schema people.json --epsilon 1 -o - "${small[@]}"
# Columns in any order, extra ones left out with a notice.
awk -F, 'BEGIN { OFS = "," } NR == 1 { print "income,extra,age,town"; next } { print $NF, "secret", $1, "Cork" }' people.csv > order.csv
accepted synth order.csv --schema people.json --epsilon 1 -o order.out.csv "${small[@]}"
grep -q "column 'extra'" accepted.err || fail "no notice of the extra column"
grep -q secret accepted.err && fail "a cell is shown"
exit 0
