# SPDX-License-Identifier: Apache-2.0
# Cells inside classes of a set in two parts: the second plan holds the cells, and each release is paid for once.
. "$CLI_TESTS/lib.sh"
make_images
tiny=(--encoder "$CLI_TESTS/../support/tiny.safetensors")
set=(--images images --labels labels --classes 3 "${tiny[@]}")
accepted plan "${set[@]}" --no-estimate -n 80 --method mepf --epsilon 3 --cells 2 --features 40 --steps 2 --batch 30 --save plan
grep -q later_cells plan || fail "the first plan does not announce cells"
shard() { # PLAN
    accepted sum "${set[@]}" --plan "$1" -o "$1.one"
    accepted sum --images more --labels labels --classes 3 "${tiny[@]}" --plan "$1" -o "$1.two"
    accepted merge "$1.one" "$1.two" --plan "$1" "${tiny[@]}" -o "$1.whole"
    accepted release "$1.whole" --plan "$1" "${tiny[@]}" -o set.release
}
{ head -c 16 images; seq 2000 3000 | tr -d '\n' | head -c 2560; } > more
shard plan
refused 2 '*--epsilon cannot be given with --from*' plan --save next --from set.release --after plan --epsilon 1
accepted plan --save next --from set.release --after plan "${tiny[@]}"
grep -q centres next || fail "the second plan has no cells"
shard next
[ -f set.release.2 ] || fail "there is no second release"
accepted verify set.certificate.json --ledger set.release.ledger --release set.release,set.release.2
[ "$(grep -c op=RESERVE set.release.ledger)" = 2 ] || fail "not two releases were charged"
accepted train set.release "${tiny[@]}" --model set.model --steps 2 --batch 30
accepted sample set.model -n 20 -o made --quiet

# A saved plan of auto is that of the number it takes, so no part chooses again.
few=(--no-estimate -n 40 --method mepf --epsilon 36 --features 2 --steps 2 --batch 30 --seed 4)
accepted plan "${set[@]}" "${few[@]}" --cells auto --save auto
accepted plan "${set[@]}" "${few[@]}" --cells 11 --save eleven
same() { sed 's/"round_id":"[0-9a-f]*"//' "$1"; }
[ "$(same auto)" = "$(same eleven)" ] || fail "the plan of auto is another"
exit 0
