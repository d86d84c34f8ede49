# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# The page of a command has every option of help --all, with its default, and the exit codes, which help does not have.
for words in account "ledger init" "ledger show" "ledger verify" verify version plan fit synth train sample; do
    # shellcheck disable=SC2086
    accepted help $words --all
    "$SEMBLANCE" manual "${words%% *}" > page.1
    grep -qx '\.SH EXIT STATUS' page.1 || fail "$words: no exit codes in the page"
    sed -e 's/\\f[BIR]//g' -e 's/\\-/-/g' page.1 > plain
    for option in $(sed -nE 's/^  (-.,|   ) (--[a-z-]+).*/\2/p' accepted.out); do
        grep -Eq -e "(^|, )$option( |$)" plain || fail "$words: $option is not in the page"
    done
    grep -o '\[default: [^]]*\]' accepted.out | while read -r standard; do
        grep -Fqx -e "$standard" plain || fail "$words: $standard is not in the page"
    done || exit 1
done
# The overview's commands all have a page, and it names them.
for name in $("$SEMBLANCE" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    "$SEMBLANCE" manual | grep -q "semblance\\\\-$name" || fail "semblance(1) does not name $name"
    "$SEMBLANCE" manual "$name" | grep -q "^\.TH SEMBLANCE\\\\-${name^^} 1" || fail "no page: $name"
done
refused 2 "'nothing' is not a command*" manual nothing
