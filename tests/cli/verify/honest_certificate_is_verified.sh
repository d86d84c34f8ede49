# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
accepted ledger init data.ledger --epsilon 2 --quiet
"$MAKE_RELEASE" 1 a.release a.json data.ledger || fail "no release"
accepted verify a.json
grep -q '^GUARANTEE' accepted.out || fail "$(<accepted.out)"
grep -q '^verified  a.json: every number follows from the recorded mechanisms$' accepted.out ||
    fail "$(<accepted.out)"
! grep -q 'data.ledger: holds' accepted.out || fail "speaks of a ledger that was not checked"
[ ! -s accepted.err ] || fail "$(<accepted.err)"
accepted verify a.json --ledger data.ledger
grep -q '^verified  data.ledger: holds this release and was not rolled back$' accepted.out ||
    fail "$(<accepted.out)"
grep -q '^today     data.ledger: 1 release, epsilon 1 together at delta 1e-05$' accepted.out ||
    fail "$(<accepted.out)"
# The certificate of the first release stays true, but the second costs too.
"$MAKE_RELEASE" 0.5 b.release b.json data.ledger || fail "no second release"
accepted verify a.json --ledger data.ledger
grep -q '^today     data.ledger: 2 releases, epsilon 1\.1460[0-9]* together' accepted.out ||
    fail "$(<accepted.out)"
accepted verify b.json --ledger data.ledger
accepted verify a.json --ledger data.ledger --quiet
[ ! -s accepted.out ] && [ ! -s accepted.err ] || fail "--quiet is not quiet"
