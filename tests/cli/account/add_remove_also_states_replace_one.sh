# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
json=$("$SEMBLANCE" account --sigma 5 --delta 1e-6 --neighbours add-remove --json)
compare mu 0.2 "$(json_member mu <<< "$json")"
compare mu_replace_one 0.4 "$(json_member mu_replace_one <<< "$json")"
[ "$(json_member neighbours <<< "$json")" = add-remove ] || fail "$json"
# What it costs under replace-one is what half the noise costs there.
half=$("$SEMBLANCE" account --sigma 2.5 --delta 1e-6 --json)
compare epsilon_replace_one "$(json_member epsilon <<< "$half")" \
    "$(json_member epsilon_replace_one <<< "$json")"
[[ $half != *replace_one* ]] || fail "replace-one speaks of itself twice: $half"
compared 1e-10
