# SPDX-License-Identifier: Apache-2.0
# After a run the program says what is promised and what it cost, whatever columns are called; --verbose says all of the statement.
. "$CLI_TESTS/lib.sh"
cat > t.json <<'JSON'
{"fields": [{"name": "One", "type": "integer", "constraints": {"minimum": 0, "maximum": 9}},
            {"name": "b", "type": "integer", "constraints": {"minimum": 0, "maximum": 9}}]}
JSON
{ echo One,b; for ((i = 0; i < 400; i++)); do echo $((i % 10)),$((i * 7 % 10)); done; } > t.csv
# Without health: one of two columns would be named by chance in one run of 1,000, on a line of its own.
accepted synth t.csv --schema t.json --epsilon 1 -o out.csv --method marginals --health off
expected='GUARANTEE: *Gaussian DP,
  for one row under replace-one neighbours (n=400 is public),
  over ALL releases (1) recorded in ledger *.
  One row is protected, not one person. A person with several rows gets weaker protection:
  with g rows, g times the mu.
IN WORDS: *
  a factor of exp(eps) = 2.72, except with probability *.
THIS RUN: eps=1; ALL RELEASES OF THIS LEDGER (1): eps=1; at delta=*.
WRITTEN: out.csv (400 records), *
TIME: *'
# shellcheck disable=SC2053 # a pattern is wanted
[[ $(<accepted.err) == $expected && $(wc -l < accepted.err) == 10 ]] || fail "the statement is [$(<accepted.err)]"
accepted synth t.csv --schema t.json --epsilon 1 -o all.csv --method marginals --verbose
grep -q '^HEALTH: ' accepted.err && grep -q '^  One ' accepted.err && grep -q '^NOT COVERED: ' accepted.err ||
    fail "--verbose leaves something out: [$(<accepted.err)]"
exit 0
