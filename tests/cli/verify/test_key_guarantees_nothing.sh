# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
[ -n "${MAKE_RELEASE_TESTKEY:-}" ] || skip "no test-key build"
"$MAKE_RELEASE_TESTKEY" 1 a.release a.json || fail "no release"
"$SEMBLANCE" verify a.json > out 2> err
grep -q NONE out err || fail "a release with a known key is not marked: $(cat out err)"
! grep -q '^GUARANTEE: (eps' out || fail "a guarantee is printed: $(<out)"
