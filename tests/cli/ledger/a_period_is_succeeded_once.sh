# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# One data set after the other: budgets are of a period, and certificate, show and total state the sum.
printf '{"fields":[{"name":"x","type":"boolean"}]}' > s.json
{ echo x; for _ in $(seq 200); do echo true; echo false; done; } > a.csv
{ echo x; for _ in $(seq 210); do echo true; echo false; done; } > b.csv
accepted ledger init a.csv.ledger --epsilon 1.5
accepted synth a.csv --schema s.json --method marginals --epsilon 1 -o one.csv -q
accepted ledger succeed a.csv.ledger b.csv.ledger --reason 'a new year'
[[ $(<accepted.err) == 'a.csv.ledger: closed; b.csv.ledger succeeds it and carries epsilon 1 '* ]] || fail "$(<accepted.err)"
refused 4 '*a.csv.ledger is closed: ledger * succeeds it*' synth a.csv --schema s.json --epsilon 0.1 -o late.csv
cp a.csv.ledger before
refused 3 '*a.csv.ledger has a successor, *: c.ledger cannot be another one*' ledger succeed a.csv.ledger c.ledger --reason more
[ ! -e c.ledger ] && cmp before a.csv.ledger || fail "a second successor left something"
accepted ledger show a.csv.ledger
grep -q '^closed   by its successor, ledger ' accepted.out || fail "$(<accepted.out)"
grep -q '^left     mu 0, or pure epsilon 0; nothing more can be released$' accepted.out || fail "$(<accepted.out)"
accepted synth b.csv --schema s.json --method marginals --epsilon 1 -o two.csv
grep -q '^ALL PERIODS: eps=1\.4' accepted.err || fail "no sum: $(<accepted.err)"
accepted verify two.csv.certificate.json --ledger b.csv.ledger --output two.csv
grep -q '^EARLIER PERIODS: 1, ' accepted.out || fail "$(<accepted.out)"
refused 3 '*names another ledger*' verify two.csv.certificate.json --ledger a.csv.ledger
accepted verify one.csv.certificate.json --ledger a.csv.ledger
accepted ledger show b.csv.ledger
sum=$(sed -n 's/^periods  epsilon \([0-9.]*\) over 2 periods.*/\1/p' accepted.out)
[ -n "$sum" ] || fail "$(<accepted.out)"
for ledgers in "b.csv.ledger" "a.csv.ledger b.csv.ledger"; do
    # shellcheck disable=SC2086
    accepted ledger total $ledgers
    [ "$(sed -n 's/^epsilon   //p' accepted.out)" = "$sum" ] || fail "$ledgers: $(<accepted.out), not $sum"
done
accepted ledger verify a.csv.ledger
accepted ledger verify b.csv.ledger
# The year's budget is its own; another one is given as a whole.
refused 4 '*b.csv.ledger*' synth b.csv --schema s.json --method marginals --epsilon 1.4 -o three.csv
refused 2 '*--delta needs --epsilon*' ledger succeed b.csv.ledger d.ledger --reason x --delta 1e-6
refused 2 '*option --reason is missing*' ledger succeed b.csv.ledger d.ledger
refused 2 '*NEW is missing*' ledger succeed b.csv.ledger
accepted ledger succeed b.csv.ledger d.ledger --reason x --epsilon 3 --delta 1e-6 -q
accepted ledger show d.ledger
grep -q '^budget   epsilon 3, delta 1e-' accepted.out || fail "$(<accepted.out)"
grep -q ' over 3 periods, ' accepted.out || fail "$(<accepted.out)"
