# SPDX-License-Identifier: Apache-2.0
# A refusal says which epsilon would still fit, rounded down: that one is granted, and one that is clearly larger is not.
. "$CLI_TESTS/lib.sh"
make_people
told() { sed -nE 's/.*; epsilon ([0-9.e-]+) at delta ([0-9.e-]+) would still fit$/\1/p' refused.err; }
for kind in "--method marginals" "--method pairs" "--method marginals --pure" "--method marginals --delta 1e-7"; do
    rm -f people.csv.ledger
    accepted ledger limit people.csv.ledger --epsilon 1 --quiet
    # shellcheck disable=SC2086
    accepted synth people.csv --schema people.json --epsilon 0.6 $kind -o a.csv --quiet --overwrite
    # shellcheck disable=SC2086
    refused 4 '*people.csv.ledger: *; epsilon * would still fit' synth people.csv --schema people.json --epsilon 2 $kind -o b.csv
    left=$(told)
    [ -n "$left" ] || fail "$(<refused.err)"
    more=$(awk -v left="$left" 'BEGIN { print left * 1.03 }')
    # shellcheck disable=SC2086
    refused 4 '*would still fit' synth people.csv --schema people.json --epsilon "$more" $kind -o b.csv
    [ "$(told)" = "$left" ] || fail "another number: $(<refused.err)"
    compgen -G 'b.csv*' && fail "a refusal left files"
    # shellcheck disable=SC2086
    accepted synth people.csv --schema people.json --epsilon "$left" $kind -o c.csv --quiet --overwrite
done
# Nothing is left.
accepted ledger limit people.csv.ledger --epsilon 0.5 --quiet
refused 4 '*; nothing is left for such a run' synth people.csv --schema people.json --epsilon 0.9 --method marginals -o b.csv
# The precision of the noise uses up delta, without a limit and with one: nothing is charged, where NONE would be all that is promised.
rm people.csv.ledger
large=(--schema people.json --epsilon 40 --method marginals)
accepted synth people.csv "${large[@]}" -o d.csv --quiet
cp people.csv.ledger before
refused 4 '*people.csv.ledger: no epsilon holds at this delta*precision of the noise*; epsilon * would still fit' synth people.csv "${large[@]}" -o e.csv
accepted ledger limit people.csv.ledger --epsilon 80 --quiet
cp people.csv.ledger limited
refused 4 '*people.csv.ledger: no epsilon would hold at delta 1e-05 any more*precision of the noise*' synth people.csv "${large[@]}" -o e.csv
cmp people.csv.ledger limited || fail "a refusal was charged"
compgen -G 'e.csv*' && fail "a refusal left files"
rm people.csv.ledger
accepted ledger limit people.csv.ledger --epsilon 1 --pure --quiet
refused 4 '*for pure releases (delta 0)*is not pure*' synth people.csv --schema people.json --epsilon 0.1 --method marginals -o e.csv
# The usual delta has two digits, wherever it is shown.
awk 'NR == 1 || NR > 1 && NR < 200 { print } END { for (i = 0; i < 12802; i++) print "50,Ayr,<=50K" }' people.csv > many.csv
accepted synth many.csv --schema people.json --epsilon 1 --method marginals -o many_out.csv
grep -q 'delta=7.6e-06)' accepted.err || fail "$(<accepted.err)"
accepted ledger show many.csv.ledger
grep -q 'at delta 7.6e-06,' accepted.out || fail "$(<accepted.out)"
exit 0
