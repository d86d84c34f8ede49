# SPDX-License-Identifier: Apache-2.0
# A generator of dense layers alone: every method of images trains one, its model says so, and wrong sizes cost nothing.
. "$CLI_TESTS/lib.sh"
make_images
private=(--images images --labels labels --classes 3 --epsilon 1)
dense=(--generator dense --hidden 9,7 --latent 4 --steps 3 --batch 30 --quiet)

for method in merf hp mepf; do
    accepted ledger init $method.ledger
    options=()
    [ $method = hp ] || options=(--features 200)
    accepted fit "${private[@]}" --method $method --ledger $method.ledger --model $method.model "${options[@]}" "${dense[@]}"
    ! grep -aqo 'kind[\\]*":[\\]*"conv' $method.model || fail "$method: the dense generator has a convolution"
    [ "$(grep -ao 'kind[\\]*":[\\]*"dense' $method.model | wc -l)" = 3 ] || fail "$method: not two hidden layers and the pixels"
    accepted sample $method.model -n 6 -o $method.out --quiet
    [ "$(gzip -dc $method.out/images-idx3-ubyte.gz | wc -c)" = $((16 + 6 * 64)) ] || fail "$method: size of the images"
done
# The usual sizes, and a training of the same release by another generator.
accepted train merf.model.release --generator dense --model usual --steps 2 --batch 30 --quiet
grep -aq '500' usual || fail "the usual sizes are not 500, 500"
accepted train merf.model.release --generator small --hidden 8,4,3 --model small --steps 2 --batch 30 --quiet
grep -aqo 'kind[\\]*":[\\]*"conv' small || fail "the small generator has no convolution"

accepted ledger init data.ledger
cp data.ledger untouched
for wrong in '--generator flat' '--generator dense --hidden 0' '--generator dense --hidden 1,2,3,4,5,6,7,8,9' \
    '--generator dense --hidden 65536,65536'; do
    read -r -a option <<< "$wrong"
    refused 2 '*' synth "${private[@]}" --method merf --ledger data.ledger -o no "${option[@]}"
done
cmp untouched data.ledger || fail "a refusal was charged"
[ ! -e no ] || fail "a refusal left files"
exit 0
