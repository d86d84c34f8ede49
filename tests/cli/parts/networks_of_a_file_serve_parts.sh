# SPDX-License-Identifier: Apache-2.0
# Parts of colour images, by a network of a file that every step names: mirror images, layers alike, a larger
# input stand in the plan.
. "$CLI_TESTS/lib.sh"
tiny=$CLI_TESTS/../support/tiny.safetensors
for label in 0 1 2 3 4 5 6 7 8 9; do
    printf "\\x0$label"
    head -c 3072 /dev/urandom
done > ten.bin
cp ten.bin more.bin
strided=$CLI_TESTS/../fuzz/corpus/fuzz_encoder/squeezenet # made for larger images
plan=(plan --images ten.bin --no-estimate) # a time is that of steps of the network
accepted "${plan[@]}" -n 20 --epsilon 1 --encoder "$strided" --save enlarged
tr -d '\\ ' < enlarged | grep -q '"side":64' || fail "a network with a stride does not see twice the side"
accepted "${plan[@]}" -n 20 --epsilon 1 --encoder "$tiny" --save as_they_are
tr -d '\\ ' < as_they_are | grep -q '"side":32' || fail "a network without a stride does not see images as they are"
# Layers that would drown are left out, by public numbers alone; where there is little noise none is.
grep -q ' 1 of its 2 activations are taken$' accepted.out || fail "a layer that drowns in noise is taken"
accepted "${plan[@]}" -n 60000 --epsilon 10 --encoder "$tiny"
! grep -q 'activations are taken' accepted.out || fail "a layer is left out that does not drown"
accepted "${plan[@]}" -n 20 --epsilon 1 --encoder "$tiny" --encoder-side 64 --save plan
for member in '"fit":"resize"' '"layers_alike":true' '"mirrored":true' '"side":64'; do
    tr -d '\\ ' < plan | grep -q "$member" || fail "the plan has no $member"
done
refused 3 '*encoder is not the one that is built in*' sum --images ten.bin --plan plan -o one.sum
accepted sum --images ten.bin --encoder "$tiny" --plan plan -o one.sum
accepted sum --images more.bin --encoder "$tiny" --plan plan -o two.sum
accepted merge one.sum two.sum --encoder "$tiny" --plan plan -o whole
accepted release whole --encoder "$tiny" --plan plan -o set.release
accepted verify set.certificate.json --ledger set.release.ledger --release set.release
train=(--encoder "$tiny" --hidden 16 --steps 2 --batch 20 --device cpu)
accepted train set.release --model set.model "${train[@]}"
accepted train set.release --model again.model "${train[@]}" --threads 1
cmp set.model again.model || fail "training depends on threads"
accepted sample set.model -o made --quiet
