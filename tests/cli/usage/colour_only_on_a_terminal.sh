# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
command -v python3 > /dev/null || skip "no python3"
# terminal WORDS...: what the program writes to a pseudo-terminal.
terminal() {
    python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' \
        "$SEMBLANCE" "$@"
}
escape=$'\033'
export TERM=xterm
terminal account --help > help.out
grep -q "$escape\[1mOptions" help.out || fail "help has no bold headings on a terminal"
terminal account > error.out
grep -q "$escape\[1;31msemblance:" error.out || fail "an error is not red on a terminal"
terminal account --epsilon 1 > data.out
! grep -q "$escape" data.out || fail "data is coloured"
NO_COLOR=1 terminal account --help > plain.out
! grep -q "$escape" plain.out || fail "NO_COLOR is not respected"
NO_COLOR= terminal account --help > empty.out
grep -q "$escape" empty.out || fail "an empty NO_COLOR counts as set"
TERM=dumb terminal account --help > dumb.out
! grep -q "$escape" dumb.out || fail "a dumb terminal gets colour"
"$SEMBLANCE" account --help | grep -q "$escape" && fail "colour into a pipe"
exit 0
