# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# Ten digits for people: sigma, epsilon and a mu that was spent not below the full number, a mu to
# spend not above it.
for noise in 0.7 3 7 11 13 17 19; do
    for delta in 1e-5 1e-9; do
        text=$("$SEMBLANCE" account --sigma $noise --delta $delta)
        json=$("$SEMBLANCE" account --sigma $noise --delta $delta --json)
        awk -v shown="$(sed -n 's/^epsilon *//p' <<< "$text")" \
            -v full="$(json_member epsilon <<< "$json")" -v mu="$(sed -n 's/^mu *//p' <<< "$text")" \
            -v full_mu="$(json_member mu <<< "$json")" \
            'BEGIN { exit !(shown + 0 >= full + 0 && mu + 0 >= full_mu + 0) }' || fail "$text $json"
        text=$("$SEMBLANCE" account --epsilon $noise --delta $delta)
        json=$("$SEMBLANCE" account --epsilon $noise --delta $delta --json)
        awk -v shown="$(sed -n 's/^sigma *\([^ ]*\).*/\1/p' <<< "$text")" \
            -v full="$(json_member sigma <<< "$json")" -v mu="$(sed -n 's/^mu *//p' <<< "$text")" \
            -v full_mu="$(json_member mu <<< "$json")" \
            'BEGIN { exit !(shown + 0 >= full + 0 && mu + 0 <= full_mu + 0) }' || fail "$text $json"
    done
done
