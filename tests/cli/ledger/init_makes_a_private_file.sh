# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
accepted ledger init data.ledger --epsilon 1
[ ! -s accepted.out ] || fail "talk on standard output"
[[ $(<accepted.err) == 'data.ledger: a new ledger, epsilon 1, delta 1e-05, replace-one neighbours' ]] ||
    fail "$(<accepted.err)"
[ "$(stat -c %a data.ledger)" = 600 ] || fail "mode $(stat -c %a data.ledger)"
accepted ledger init quiet.ledger --epsilon 1 --quiet
[ ! -s accepted.out ] && [ ! -s accepted.err ] || fail "--quiet is not quiet"
accepted ledger verify data.ledger
[[ $(<accepted.out) == 'verified  data.ledger: 1 line, head '[0-9a-f]* ]] || fail "$(<accepted.out)"
accepted ledger verify data.ledger -q
[ ! -s accepted.out ] || fail "-q is not quiet"
