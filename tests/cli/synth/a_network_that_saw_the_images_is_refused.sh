# SPDX-License-Identifier: Apache-2.0
# The built-in network was trained on CIFAR-10: not for images that are CIFAR-10 by their title or file name.
. "$CLI_TESTS/lib.sh"
tiny=$CLI_TESTS/../support/tiny.safetensors
small=(--epsilon 1 --generator small --hidden 8,4,3 --latent 2 --steps 2 --batch 8 --device cpu)
for label in 0 1 2 3 4 5 6 7 8 9; do
    printf "\\x0$label"
    head -c 3072 /dev/zero | tr '\0' "$label"
done > ten.bin
cp ten.bin data_batch_1.bin
refused 3 '*vgg-s*was trained on CIFAR-10*' plan --images data_batch_1.bin --epsilon 1
refused 3 '*vgg-s*was trained on CIFAR-10*' plan --images ten.bin --epsilon 1 --title 'cifar 10, a part'
refused 3 '*vgg-s*was trained on CIFAR-10*' synth --images data_batch_1.bin -o out "${small[@]}"
refused 3 '*vgg-s*was trained on CIFAR-10*' synth --images ten.bin --title 'cifar 10, a part' -o out "${small[@]}"
[ ! -e data_batch_1.bin.ledger ] || fail "something was charged"
# CIFAR-100 is another set, and what a network saw is said.
accepted plan --images ten.bin --epsilon 1 --no-estimate
grep -q 'trained on: CIFAR-10' accepted.out || fail "the plan does not say what the network saw"
accepted synth --images ten.bin --title 'CIFAR-100, a part' -o out "${small[@]}" --quiet
# Another network is fine, and is shown what was asked for.
accepted synth --images data_batch_1.bin --encoder "$tiny" --encoder-side 24 --mirror no -o other "${small[@]}" --quiet
grep -q 'of images resampled to 24 x 24, layers weighed alike' other.certificate.json ||
    fail "the certificate does not say how"
refused 2 '*encoder-side*from 16 to 256*' plan --images ten.bin --epsilon 1 --encoder-side 15
refused 2 '*mirror and layer-weights are for moments*' plan --images ten.bin --epsilon 1 --embedding perceptual --mirror yes
