# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
[ -w /dev/full ] || skip "no /dev/full"
# lost WORDS...: exit code 5 and one line when standard output cannot be written or is closed.
lost() {
    local code=0
    "$SEMBLANCE" "$@" > /dev/full 2> said || code=$?
    [ $code = 5 ] || fail "exit code $code into a full disk: $*"
    grep -q '^semblance: standard output: cannot write' said || fail "$(<said)"
    [ "$(wc -l < said)" = 1 ] || fail "not one line: $(<said)"
    code=0
    "$SEMBLANCE" "$@" >&- 2> said || code=$?
    [ $code = 5 ] || fail "exit code $code into a closed output: $*"
    [ "$(wc -l < said)" = 1 ] || fail "not one line: $(<said)"
}
lost account --epsilon 1
lost account --epsilon 1 --json
lost --help
lost --version
lost account --help
lost manual ledger
# A table that is drawn is named as other output is.
make_people
accepted fit people.csv --schema people.json --epsilon 1 --method marginals --model model
code=0
"$SEMBLANCE" sample model -n 5 > /dev/full 2> said || code=$?
[ $code = 5 ] && grep -qx 'semblance: cannot write to standard output: No space left on device' said || fail "$code: $(<said)"
# An earlier failure keeps its own code, and talk that cannot be said changes nothing.
code=0
"$SEMBLANCE" account --epsilon 0 > /dev/full 2> /dev/full || code=$?
[ $code = 2 ] || fail "exit code $code"
