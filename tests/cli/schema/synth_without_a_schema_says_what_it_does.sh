# SPDX-License-Identifier: Apache-2.0
# One budget for both: the schema is discovered first, stands beside the output, and evaluate can use it.
. "$CLI_TESTS/lib.sh"
awk 'BEGIN { print "age,town"; for (i = 0; i < 4000; i++) printf "%d,%s\n", 18 + i % 70, i % 4 ? "Ayr" : "Cork" }' > t.csv
accepted synth t.csv --epsilon 4 --method marginals -o out.csv --verbose
grep -q '^semblance: no --schema: 10 % of the budget was spent on discovering one, out.csv.schema.json' accepted.err || fail "$(<accepted.err)"
[ "$(grep -c '^RELEASED: discover' accepted.err)" = 4 ] && [ "$(grep -c '^RELEASED: marginals' accepted.err)" = 1 ] || fail "releases: $(<accepted.err)"
grep -q '^GUARANTEE: (eps=3.99' accepted.err || fail "one budget: $(<accepted.err)"
[ -s out.csv.schema.json ] && [ "$(wc -l < out.csv)" = 4001 ] || fail "files"
accepted verify out.csv.certificate.json --ledger t.csv.ledger --release out.csv.release,out.csv.release.5 --output out.csv
accepted verify out.csv.certificate.json --output out.csv.schema.json
accepted evaluate --real t.csv --synthetic out.csv --schema out.csv.schema.json --models none
accepted train out.csv.release --model m.safetensors --quiet
accepted synth t.csv --epsilon 4 --method marginals --discover-share 0.5 -o half.csv --quiet
[ ! -s accepted.err ] || fail "not quiet"
# What nothing was found of is said, as discover says it; ids are named by chance with probability below 1e-9 at this delta.
awk 'BEGIN { print "id,age"; for (i = 0; i < 6000; i++) printf "p%d,%d\n", i, 18 + i % 70 }' > ids.csv
accepted synth ids.csv --epsilon 20 --delta 1e-10 --method marginals -o ids.out
grep -qx "columns that became nothing: 'id' (no text is frequent enough to be named: every value becomes 'other')" accepted.err || fail "$(<accepted.err)"
refused 2 '*--discover-share is for tables without a --schema*' synth t.csv --schema out.csv.schema.json --discover-share 0.5 --epsilon 1 -o x.csv
refused 2 '*discover-share must be*' synth t.csv --discover-share 1 --epsilon 1 -o x.csv
refused 2 '*pure guarantee*' synth t.csv --epsilon 1 --pure --method marginals -o x.csv --quiet
refused 2 '*give a file, or a schema*' synth - --epsilon 1 --release r --certificate c -o x.csv --quiet
