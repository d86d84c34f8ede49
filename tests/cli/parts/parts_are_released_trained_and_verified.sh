# SPDX-License-Identifier: Apache-2.0
# Five files, one of them without rows, as parts of one run of several rounds.
. "$CLI_TESTS/lib.sh"
make_people
accepted ledger init people.ledger --epsilon 2 --delta 1e-5
tail -n +2 people.csv | split -l 60 - rows.
head -n 1 people.csv > empty.csv
for rows in rows.*; do cat empty.csv "$rows" > "$rows.csv"; done
accepted plan --schema people.json --epsilon 1 -n 200 --save plan
grep -q 'tables' accepted.out || fail "the plan is not shown"
[ "$(stat -c %a plan.key)" = 600 ] || fail "the key can be read by others"
refused 5 '*plan*' plan --schema people.json --epsilon 1 -n 200 --save plan
round=1
plan=plan
while [ -e $plan ]; do
    for part in rows.*.csv empty.csv; do
        accepted sum "$part" --plan $plan -o "$part.sum" --overwrite
        [ ! -s accepted.out ] && [ ! -s accepted.err ] || fail "sum says something: $(<accepted.err)"
        [ "$(stat -c %a "$part.sum")" = 600 ] || fail "a part can be read by others"
    done
    accepted merge ./*.csv.sum --plan $plan -o whole --overwrite
    accepted release whole --plan $plan --ledger people.ledger -o people.release --overwrite --title "Staff"
    grep -q '^GUARANTEE: (eps=' accepted.err || fail "the guarantee is not stated"
    round=$((round + 1))
    accepted plan --save plan --round $round --from people.release
    # By other names, the same plan but for its random id.
    [ ! -e plan.$round ] || accepted plan --after $plan --from people.release --save other --overwrite
    plan=plan.$round
done
grep -q 'no round is left' accepted.out || fail "the end is not said"
[ $round = 4 ] || fail "pairs has three rounds, not $((round - 1))"
[ "$(grep -c op=RESERVE people.ledger)" = 3 ] || fail "not every round was charged once"
accepted verify people.certificate.json --ledger people.ledger --release people.release,people.release.2,people.release.3
grep -q 'no record is in two' people.certificate.json || fail "the certificate does not list the assumption"
grep -q 'partial sums (not erased by this program' people.certificate.json || fail "the certificate says that parts were erased"
accepted train people.release --model people.model
accepted sample people.model -o synthetic.csv --quiet
[ "$(wc -l < synthetic.csv)" = 201 ] || fail "not as many rows as were summed"
# What follows from other releases, and what is not there.
refused 3 '*is not the plan of the last release*' plan --after plan --from people.release --save again
refused 2 '*plan round 4 next*' plan --after plan.3 --from people.release --round 2 --save again
refused 2 '*the previous plan sets it*' plan --after plan.3 --from people.release --save again --epsilon 2
refused 2 '*option --plan is missing: sums are sealed with the key next to the plan*' merge whole -o more
refused 2 '*--from is missing*' plan --round 2 --save plan
refused 5 '*nothing*' merge whole nothing --plan plan.3 -o more
refused 3 '*is not a shard*' merge people.csv --plan plan.3 -o more
refused 2 '*whole*' merge whole --plan plan.3 -o whole --overwrite
