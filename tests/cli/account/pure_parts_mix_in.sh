# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
while IFS=, read -r mu pure parts epsilon delta; do
    json=$("$SEMBLANCE" account --mu "$mu" --pure "$pure" --parts "$parts" --epsilon "$epsilon" --json)
    compare "delta($mu,$pure,$parts,$epsilon)" "$delta" "$(json_member delta <<< "$json")"
    json=$("$SEMBLANCE" account --mu "$mu" --pure "$pure" --parts "$parts" --delta "$delta" --json)
    compare "epsilon($mu,$pure,$parts,$delta)" "$epsilon" "$(json_member epsilon <<< "$json")"
    json=$("$SEMBLANCE" account --epsilon "$epsilon" --pure "$pure" --parts "$parts" \
        --delta "$delta" --json)
    compare "mu($epsilon,$pure,$parts,$delta)" "$mu" "$(json_member mu <<< "$json")"
done < <(grep -v '^#' "$CASES/mixed.csv")
compared 1e-10
