# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
"$SEMBLANCE" account --epsilon 2 --delta 1e-6 > spaced
"$SEMBLANCE" account --epsilon=2 --delta=1e-6 | cmp - spaced || fail "--name=value"
"$SEMBLANCE" account --delta 1e-6 --epsilon 2 -- | cmp - spaced || fail "order, or --"
"$SEMBLANCE" account --delta .000001 --epsilon +2.0 | cmp - spaced || fail "forms of a number"
