# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
[ -n "${SEMBLANCE_TESTKEY:-}" ] || skip "no test-key build"
"$SEMBLANCE_TESTKEY" ledger init data.ledger --epsilon 1 --quiet || fail "no ledger"
accepted ledger show data.ledger
grep -q '^NONE     made by a test build: guarantees nothing$' accepted.out || fail "$(<accepted.out)"
# What ships charges no test ledger, and the test build no real one.
refused_by "$MAKE_RELEASE" 3 '*data.ledger*' 0.5 a.release a.json data.ledger
accepted ledger init real.ledger --epsilon 1 --quiet
refused_by "$MAKE_RELEASE_TESTKEY" 3 '*real.ledger*' 0.5 b.release b.json real.ledger
[ ! -e a.release ] && [ ! -e b.release ] || fail "a release was written"
