# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
code=0
"$SEMBLANCE" > out 2> err || code=$?
[ $code = 2 ] || fail "exit code $code"
[ ! -s out ] || fail "standard output is not empty"
"$SEMBLANCE" --help | cmp - err || fail "not the overview"
