. "$CLI_TESTS/lib.sh"
make_people
accepted plan --schema people.json --epsilon 1 --n 200 --method merf
grep -q '^one joint release of' accepted.out || fail "no list of blocks"
grep -q WARNING accepted.out || fail "200 rows at epsilon 1 need a warning"
accepted plan --schema people.json --epsilon 1 --delta 1e-7 --n 2000000 --json
python3 -c 'import json,sys; p = json.load(sys.stdin); assert p["blocks"] and p["n"] == 2000000' < accepted.out || fail "no JSON"
# The default says what it chose, and what it will take.
accepted plan --schema people.json --epsilon 1 --n 200
grep -q "^method     pairs" accepted.out && grep -q "planned for 200 rows" accepted.out || fail "not what was chosen"
# Standard input and output; then the other files need names.
"$SEMBLANCE" synth - --schema people.json --epsilon 1 -o - --release r --certificate c.json "${small[@]}" --quiet < people.csv > out.csv || fail "no streams"
[ "$(wc -l < out.csv)" = 201 ] || fail "not 200 rows on standard output"
refused 2 '*name the release*' synth people.csv --schema people.json --epsilon 1 -o - "${small[@]}"
# Columns in any order, extra ones left out with a notice.
awk -F, 'BEGIN { OFS = "," } NR == 1 { print "income,extra,age,town"; next } { print $NF, "secret", $1, "Cork" }' people.csv > order.csv
accepted synth order.csv --schema people.json --epsilon 1 -o order.out.csv "${small[@]}"
grep -q "column 'extra'" accepted.err || fail "no notice of the extra column"
grep -q secret accepted.err && fail "a cell is shown"
exit 0
