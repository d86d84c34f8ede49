. "$CLI_TESTS/lib.sh"
for words in "" help account ledger "ledger init" "ledger show" "ledger verify" verify evaluate version; do
    # shellcheck disable=SC2086
    accepted help $words
    awk -v page="$words" 'length($0) > 80 || / $/ { print page ": " $0; bad = 1 } END { exit bad }' \
        accepted.out >&2 || fail "too wide, or space at the end of a line"
done
