# SPDX-License-Identifier: Apache-2.0
# One column; 5,000 categories; nothing but missing values; the name "other" taken: each is a schema that synth takes.
. "$CLI_TESTS/lib.sh"
# Noise that is always the same: what is looked for is what becomes of columns, not luck.
SEMBLANCE=${SEMBLANCE_TESTKEY:-$SEMBLANCE}
awk 'BEGIN { print "n"; for (i = 0; i < 3000; i++) print i % 40 }' > one.csv
accepted schema discover one.csv --epsilon 10 -o one.json --quiet
accepted schema check one.json
grep -q '^n: integer from 0 to [3-6][0-9]' accepted.out || fail "one: $(<accepted.out)"
awk 'BEGIN { print "many,void,taken"; for (i = 0; i < 20000; i++) printf "c%d,,%s\n", i % 5000, i % 3 ? "other" : "x" i }' > odd.csv
accepted schema discover odd.csv --epsilon 2 -o odd.json --quiet --neighbours add-remove
accepted schema check odd.json
grep -q '^many: string with 1 categories' accepted.out || fail "many: $(<accepted.out)"
grep -q '^void: string with 1 categories -> one of 2 codes (the last one is missing)' accepted.out || fail "void: $(<accepted.out)"
grep -q '^taken: string with 2 categories' accepted.out && grep -q '"other": "(other)"' odd.json || fail "taken: $(<accepted.out)"
accepted synth odd.csv --schema odd.json --neighbours add-remove --epsilon 1 -o out.csv --quiet
