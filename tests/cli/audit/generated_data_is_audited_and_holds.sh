# SPDX-License-Identifier: Apache-2.0
# On data of its own: says so, writes numbers and pages, makes no ledger and no temporary file.
. "$CLI_TESTS/lib.sh"
SEMBLANCE=$SEMBLANCE_TESTKEY # as in answers_are_attacked.sh
mkdir -m 500 temporary
export TMPDIR=$PWD/temporary
accepted audit --method marginals --delta 0 --neighbours replace-one --runs 1500 --json a.json --report a.html
head -n 1 accepted.out | grep -q 'nothing here is private' || fail "the first line does not say what the data is"
! grep -q 'NOT PRIVATE' accepted.out a.json a.html || fail "generated data is called private"
tr '\n' ' ' < accepted.out | grep -q 'claimed epsilon 2 would have been caught' || fail "the halved claim was not caught"
grep -q 'Everything held' accepted.out || fail "no verdict"
grep -q '"verdict": "held"' a.json || fail "no verdict in JSON"
grep -q '</html>' a.html && grep -q 'times through the release step' a.html || fail "no page"
! grep -qi '<script\|http://\|https://' a.html || fail "the page wants a script or the network"
[ -z "$(ls -A "$TMPDIR")" ] || fail "something is left in the temporary folder"
ls ./*.ledger 2> /dev/null && fail "a ledger was made"
refused 5 '*a.json*' audit --method marginals --json a.json
refused 2 '*no-such*merf*' audit --method no-such
refused 2 '*delta 0*' audit --method merf --delta 0
refused 2 '*runs*' audit --runs 10
refused 2 '*schema*' audit --schema s.json
