# SPDX-License-Identifier: Apache-2.0
# --class-layers: the plan names both blocks and what they cost; what cannot be is one line, and no ledger is touched.
. "$CLI_TESTS/lib.sh"
make_images
set=(--images images --labels labels --classes 3 --epsilon 1 --delta 1e-5 --early-stopping no)
accepted plan "${set[@]}" --embedding first-moments --class-layers 2
grep -q ' phi1-all$' accepted.out && grep -q ' phi1$' accepted.out || fail "the plan does not show both blocks"
grep -q 'the last 2 of them are summed for each class, the others over all images' accepted.out || fail "the plan does not say which layers"
# sqrt 6 over mu; 2 over mu without
[ "$(awk '$NF == "phi1" { print $2 }' accepted.out)" = 9.138 ] || fail "noise: $(<accepted.out)"

accepted ledger init data.ledger
cp data.ledger untouched
tiny=(--ledger data.ledger --steps 2 --batch 30 --hidden 8,4,3 --quiet)
accepted fit "${set[@]}" --class-layers 1 --model model "${tiny[@]}"
accepted sample model -n 5 -o out --quiet
accepted train model.release --model again --steps 2 --batch 30 --hidden 8,4,3 --quiet
accepted sample again -n 5 -o out2 --quiet
cmp out/images-idx3-ubyte.gz out2/images-idx3-ubyte.gz || fail "the release trains another model"
cp untouched data.ledger

refused 2 '*class-layers must be below the number of layers, 6*' fit "${set[@]}" --class-layers 6 --model no "${tiny[@]}"
refused 2 '*class-layers must be a whole number from 1 to 150*' fit "${set[@]}" --class-layers 0 --model no "${tiny[@]}"
refused 2 '*class-layers is for moments and first-moments*' fit "${set[@]}" --embedding pixels+perceptual --class-layers 1 --model no "${tiny[@]}"
refused 2 '*class-layers is for moments and first-moments*' fit "${set[@]}" --embedding signed-moments --class-layers 1 --model no "${tiny[@]}"
refused 2 '*class-layers needs labels, and the images have none*' fit --images images --epsilon 1 --class-layers 1 --model no "${tiny[@]}"
cmp untouched data.ledger || fail "a refusal was charged"
[ ! -e no ] || fail "a refusal left files"
exit 0
