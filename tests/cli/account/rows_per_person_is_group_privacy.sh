# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# Five rows each: five times mu. (1, 1e-5) for a row is epsilon 6.1669412 for a person.
json=$("$SEMBLANCE" account --mu 0.2680511232112942 --rows-per-person 5 --json)
compare epsilon 6.1669412 "$(json_member epsilon <<< "$json")"
compare mu 1.340255616056471 "$(json_member mu <<< "$json")"
# The other way: noise for epsilon 1 for a person is five times the noise for a row.
json=$("$SEMBLANCE" account --epsilon 1 --rows-per-person 5 --json)
compare sigma 18.6531581740797 "$(json_member sigma <<< "$json")"
compared 1e-8
