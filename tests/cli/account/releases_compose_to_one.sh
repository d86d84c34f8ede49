# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# Four releases of noise 10 are one of noise 5; epsilon at 1e-5 as in spent.csv.
json=$("$SEMBLANCE" account --sigma 10 --releases 4 --json)
compare epsilon 0.725521750858 "$(json_member epsilon <<< "$json")"
compare mu 0.2 "$(json_member mu <<< "$json")"
json=$("$SEMBLANCE" account --mu 0.2 --releases 4 --json)
compare sigma 10 "$(json_member sigma <<< "$json")"
compared 1e-10
