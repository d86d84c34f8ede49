# SPDX-License-Identifier: Apache-2.0
# A schema from the data alone: what it cost is in the ledger, its releases in the certificate, and synth takes it.
. "$CLI_TESTS/lib.sh"
awk 'BEGIN { print "id,age,town,visits"; split("Ayr;Bath, old;Cork", town, ";")
    for (i = 0; i < 6000; i++) printf "p%d,%d,\"%s\",%d.%d\n", i, 18 + i % 70, town[1 + i % 3], i % 90, i % 10 }' > people.csv
# Of 6,000 ids one is named by chance with probability 6,000 2^-b, where 8 2^-b is within a hundredth of delta
# (docs/mechanisms/discover.md): 4e-5 at the usual delta, below 1e-9 at this one.
budget=(--epsilon 5 --delta 1e-10)
accepted schema discover people.csv "${budget[@]}" -o people.json
grep -qx "columns that became nothing: 'id' (no text is frequent enough to be named: every value becomes 'other')" accepted.err || fail "ids"
grep -q '^GUARANTEE: (eps=4.99' accepted.err || fail "statement: $(<accepted.err)"
[ ! -s accepted.out ] || fail "something on standard output"
[ "$(grep -c op=RESERVE people.csv.ledger)" = 4 ] || fail "four releases"
[ "$(grep -c ' ddelta=0 ' people.csv.ledger)" = 3 ] || fail "one of them has a delta"
accepted verify people.json.certificate.json --ledger people.csv.ledger \
    --release people.json.release,people.json.release.2,people.json.release.3,people.json.release.4 --output people.json
accepted schema check people.json
# Noise may move bounds outward by a bin or two, never inward here: each bin holds over 12 deviations.
awk '/^age: integer from / { low = $4; high = $6 } END { exit !(low <= 18 && low >= 0 && high >= 87) }' accepted.out ||
    fail "age: $(<accepted.out)"
grep -q '^town: string with [34] categories' accepted.out || fail "town: $(<accepted.out)"
grep -q '^visits: number from .* 1 decimal ' accepted.out || fail "visits: $(<accepted.out)"
grep -q '"how": "discovered from the data under differential privacy"' people.json || fail "origin"
accepted synth people.csv --schema people.json --epsilon 1 --method marginals -o out.csv --quiet
[ "$(wc -l < out.csv)" = 6001 ] || fail "rows"
# Stopped before the last release, it goes on without paying again.
cp people.csv.ledger whole.ledger
head -n 7 whole.ledger > people.csv.ledger
chmod 600 people.csv.ledger
rm people.json people.json.release.4
accepted schema resume people.csv "${budget[@]}" -o people.json --quiet
[ "$(grep -c op=RESERVE people.csv.ledger)" = 4 ] || fail "paid for again"
refused 5 '*people.json exists already*' schema discover people.csv "${budget[@]}" -o people.json
refused 3 '*other data, or with other options*' schema resume people.csv --epsilon 4 --neighbours replace-one --overwrite -o people.json --delta 1e-6
