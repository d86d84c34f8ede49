# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
command -v groff > /dev/null || skip "no groff"
for command in "" resume account ledger schema verify version help; do
    # shellcheck disable=SC2086
    "$SEMBLANCE" manual $command > page.1 || fail "no page for '$command'"
    groff -man -ww -Tutf8 -P-cbou page.1 > page.txt 2> warnings
    [ ! -s warnings ] || fail "'$command': $(<warnings)"
    grep -q 'EXIT STATUS' page.txt || fail "'$command': no exit status"
    if command -v man > /dev/null; then
        man --warnings -l page.1 > /dev/null 2> warnings
        [ ! -s warnings ] || fail "man '$command': $(<warnings)"
    fi
done
