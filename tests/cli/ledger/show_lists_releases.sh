# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
accepted ledger init data.ledger --epsilon 2 --quiet
"$MAKE_RELEASE" 1 a.release a.json data.ledger || fail "first release"
"$MAKE_RELEASE" 0.5 b.release b.json data.ledger || fail "second release"
accepted ledger show data.ledger
[ "$(grep -c ' committed ' accepted.out)" = 2 ] || fail "$(<accepted.out)"
grep -Eq '^ seq  release +state +cost +epsilon so far$' accepted.out || fail "$(<accepted.out)"
grep -Eq '^spent    epsilon 1\.[0-9]* by 2 releases: mu 0\.[0-9]*, pure epsilon 0$' accepted.out ||
    fail "$(<accepted.out)"
awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' accepted.out >&2 || fail "too wide"
# Spent and left together are the whole budget: mu of (2, 1e-5) is 0.5015516891696566.
spent=$(sed -n 's/^spent.* mu \([0-9.]*\),.*/\1/p' accepted.out)
left=$(sed -n 's/^left     mu \([0-9.]*\),.*/\1/p' accepted.out)
compare whole 0.5015516891696566 "$(awk -v a="$spent" -v b="$left" 'BEGIN {
    printf "%.12g", sqrt(a * a + b * b) }')"
compared 1e-6
# The third does not fit.
refused_by "$MAKE_RELEASE" 4 '*data.ledger*' 1.9 c.release c.json data.ledger
[ ! -e c.release ] && [ ! -e c.json ] || fail "a refused release was written"
command -v python3 > /dev/null || exit 0
"$SEMBLANCE" ledger show data.ledger --json | python3 -c 'import json, sys; json.load(sys.stdin)' ||
    fail "not JSON"
