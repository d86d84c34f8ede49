# SPDX-License-Identifier: Apache-2.0
# The program of benches adds no noise: it says so, its files say so, and what ships refuses its ledgers.
. "$CLI_TESTS/lib.sh"
[ -n "${SEMBLANCE_WITHOUT_NOISE:-}" ] || skip "no build without noise"
plain() { "$SEMBLANCE_WITHOUT_NOISE" "$@"; }
plain --version | grep -q '^semblance .*NOT PRIVATE: adds no noise' || fail "the version does not say so"
plain version --build | grep -Eq '^noise keys +none: NOT PRIVATE' || fail "the build does not say so"
make_people
# Two runs of one seed agree to the byte, at an epsilon where noise would drown 200 rows: there is none.
for run in a b; do
    plain ledger init $run.ledger --quiet || fail "no ledger"
    plain synth people.csv --schema people.json --epsilon 0.01 --method marginals --seed 4 -o $run.csv --ledger $run.ledger \
        > $run.out 2> $run.err || fail "$(<$run.err)"
done
cmp a.csv b.csv || fail "there is noise"
[ "$(cells a.csv income | sort | uniq -c | awk '{ print $1 }' | xargs)" != "" ] || fail "no rows"
accepted ledger init c.ledger --quiet
accepted synth people.csv --schema people.json --epsilon 0.01 --method marginals --seed 4 -o c.csv --ledger c.ledger --quiet
! cmp -s a.csv c.csv || fail "what ships has no noise either"
grep -q 'GUARANTEE: NONE: NOT PRIVATE' a.csv.certificate.json || fail "the certificate does not say so"
grep -q 'NOT PRIVATE' a.out a.err || fail "the run does not say so: $(cat a.out a.err)"
"$SEMBLANCE" verify a.csv.certificate.json > out 2> err
grep -q 'NOT PRIVATE' out err || fail "what ships takes the certificate for one: $(cat out err)"
! grep -q '^GUARANTEE: (eps' out || fail "a guarantee is printed: $(<out)"
# Ledgers of one kind of build are refused by the other.
refused 3 '*a.ledger*' synth people.csv --schema people.json --epsilon 1 --method marginals -o d.csv --ledger a.ledger
refused_by "$SEMBLANCE_WITHOUT_NOISE" 3 '*c.ledger*' synth people.csv --schema people.json --epsilon 1 --method marginals -o e.csv --ledger c.ledger
[ ! -e d.csv ] && [ ! -e e.csv ] || fail "a table was written"
