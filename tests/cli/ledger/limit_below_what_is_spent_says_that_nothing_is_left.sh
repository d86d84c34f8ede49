# SPDX-License-Identifier: Apache-2.0
# A limit below what is spent is taken, and said to be the end; one above it is not.
. "$CLI_TESTS/lib.sh"
make_people
accepted synth people.csv --schema people.json --epsilon 1 -o a.csv "${small[@]}" --quiet
book=people.csv.ledger
accepted ledger limit $book --epsilon 3
grep -q 'epsilon 3' accepted.err || fail "$(<accepted.err)"
grep -q 'nothing more' accepted.err && fail "something is left: $(<accepted.err)"
accepted ledger show $book
grep -q 'nothing more' accepted.out && fail "something is left: $(<accepted.out)"
accepted ledger limit $book --epsilon 0.5
grep -q 'epsilon 0.5.*; nothing more can be released$' accepted.err || fail "$(<accepted.err)"
accepted ledger show $book
grep -q '^left .*; nothing more can be released$' accepted.out || fail "$(<accepted.out)"
refused 4 "*$book*" synth people.csv --schema people.json --epsilon 0.01 -o b.csv "${small[@]}"
accepted ledger limit $book --epsilon 0.4 --quiet
[ ! -s accepted.err ] || fail "$(<accepted.err)"
exit 0
