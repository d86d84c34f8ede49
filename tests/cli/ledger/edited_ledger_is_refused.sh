# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
"$MAKE_RELEASE" 1 out.release out.json data.ledger 2> said && fail "a missing ledger was made"
accepted ledger init data.ledger --epsilon 3
"$MAKE_RELEASE" 1 out.release out.json data.ledger || fail "no release"
for words in "show" "show --json" "verify"; do
    # shellcheck disable=SC2086
    accepted ledger $words data.ledger
done
# One character of any line: the budget, a charge, a hash, the time.
for line in 1 2 3; do
    length=$(sed -n "${line}p" data.ledger | wc -c)
    for place in 3 $((length / 3)) $((length / 2)) $((length - 30)) $((length - 2)); do
        awk -v line=$line -v place=$place 'NR == line {
            c = substr($0, place, 1)
            $0 = substr($0, 1, place - 1) (c == "7" ? "8" : "7") substr($0, place + 1) } { print }' \
            data.ledger > edited
        for words in "show" "show --json" "verify"; do
            # shellcheck disable=SC2086
            refused 3 '*edited*' ledger $words edited
        done
    done
done
# A line taken out of the middle; text that is no ledger; nothing at all.
sed 2d data.ledger > edited
refused 3 '*edited*' ledger verify edited
echo hello > edited
refused 3 '*edited*' ledger show edited
: > edited
refused 3 '*edited*' ledger show edited
head -c 100000 /dev/zero > edited
refused 3 '*edited*' ledger verify edited
