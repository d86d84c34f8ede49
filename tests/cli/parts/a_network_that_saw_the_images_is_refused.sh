# SPDX-License-Identifier: Apache-2.0
# A plan that was made for images of one name is not summed over images of another that its network was trained on, nor
# released by such a title.
. "$CLI_TESTS/lib.sh"
for label in 0 1 2 3 4 5 6 7 8 9; do
    printf "\\x0$label"
    head -c 3072 /dev/zero | tr '\0' "$label"
done > ten.bin
cp ten.bin data_batch_1.bin
saw='the encoder vgg-s * was trained on CIFAR-10, and by title or file name these are the same images: *'
plan=(--images ten.bin -n 10 --epsilon 1)
refused 3 "$saw" plan "${plan[@]}" --title 'CIFAR-10, a part'
refused 3 "$saw" plan "${plan[@]}" --title 'CIFAR-10, a part' --save plan
[ ! -e plan ] || fail "a plan was saved"
accepted plan "${plan[@]}" --title 'Animals and cars' --no-estimate --save plan
refused 3 "$saw" sum --images data_batch_1.bin --plan plan -o one.sum
refused 3 "$saw" sum --images ten.bin --plan plan --part cifar-10 -o one.sum
[ ! -e one.sum ] || fail "something was summed"
accepted sum --images ten.bin --plan plan -o one.sum
refused 3 "$saw" release one.sum --plan plan --title CIFAR-10 -o set.release
[ ! -e set.release.ledger ] && [ ! -e set.release ] || fail "something was charged"
accepted release one.sum --plan plan --title 'Animals and cars' -o set.release
