# An attack that cannot catch half the claim proves nothing: exit code 1, and the output says why.
. "$CLI_TESTS/lib.sh"
[ -w /dev/shm ] && export TMPDIR=/dev/shm
code=0
"$SEMBLANCE_TESTKEY" audit --method marginals --delta 0 --neighbours replace-one --runs 100 > out 2> err || code=$?
[ "$code" = 1 ] || fail "exit code $code, not 1"
grep -q 'NOT have been caught' out || fail "nothing is said of it"
grep -q 'SOMETHING DID NOT HOLD' out || fail "no verdict"
grep -q '^semblance: not everything held' err || fail "$(< err)"
grep -q 'fixed noise keys' out || fail "the build's keys are not mentioned"
