# SPDX-License-Identifier: Apache-2.0
# An attack that cannot catch half the claim proves nothing: an exit code of its own, and the output says which it was.
. "$CLI_TESTS/lib.sh"
code=0
"$SEMBLANCE_TESTKEY" audit --method marginals --delta 0 --neighbours replace-one --runs 100 > out 2> err || code=$?
[ "$code" = 6 ] || fail "exit code $code, not 6"
tr '\n' ' ' < out | grep -q 'NOT have been caught' || fail "nothing is said of it"
grep -q 'NOTHING BROKE, BUT AN ATTACK LACKED POWER' out || fail "no verdict"
tr '\n' ' ' < out | grep -q 'table of one column, marginals, round 1, replace-one, discrete-laplace: LACKED POWER' || fail "which?"
! grep -q 'BROKEN\|A BOUND BROKE' out || fail "a bound is said to have broken"
grep -q '^semblance: no bound broke, but an attack lacked power' err || fail "$(< err)"
grep -q 'fixed noise keys' out || fail "the build's keys are not mentioned"
