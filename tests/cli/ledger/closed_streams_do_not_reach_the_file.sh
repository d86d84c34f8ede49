# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# With standard output and error closed, the ledger must not be given their numbers.
"$SEMBLANCE" ledger init data.ledger --epsilon 1 >&- 2>&- <&- || fail "exit code $?"
[ "$(wc -l < data.ledger)" = 1 ] || fail "talk was written into the ledger"
accepted ledger verify data.ledger
code=0
"$SEMBLANCE" ledger show data.ledger >&- 2> said || code=$?
[ $code = 5 ] || fail "exit code $code"
