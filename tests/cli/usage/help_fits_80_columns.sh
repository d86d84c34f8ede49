# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
for words in "" help account combine estimate ledger "ledger init" "ledger show" "ledger limit" "ledger repair" "ledger verify" "ledger succeed" register certificate "certificate annex" verify evaluate version merf hp mepf pairs ron-gauss marginals plan fit synth resume train sample; do
    for all in "" --all; do
        # shellcheck disable=SC2086
        accepted help $words $all
        awk -v page="$words $all" '/^  semblance / { next } # examples are lines to be copied
            length($0) > 80 || / $/ { print page ": " $0; bad = 1 } END { exit bad }' \
            accepted.out >&2 || fail "too wide, or space at the end of a line"
    done
done
