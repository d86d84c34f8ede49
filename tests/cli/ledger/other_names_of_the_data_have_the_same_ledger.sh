# SPDX-License-Identifier: Apache-2.0
# A limit holds under every spelling of a folder, in any order of a list, and for hard links.
. "$CLI_TESTS/lib.sh"
small=(--epsilon 1 --method merf --features 20 --hidden 8,4,3 --latent 2 --steps 2 --batch 8 --threads 1)
# Two CIFAR files of ten images each, and later a folder of PNG files.
for part in 1 2; do
    for label in 0 1 2 3 4 5 6 7 8 9; do
        printf "\\x0$label"
        head -c 3072 /dev/zero | tr '\0' "$part"
    done > "part$part.bin"
done
accepted synth --images part1.bin,part2.bin -o out "${small[@]}" --quiet
[ "$(echo *.ledger)" = "part1.bin.ledger part2.bin.ledger" ] || fail "$(ls)"
[ "$(readlink part2.bin.ledger)" = part1.bin.ledger ] || fail "the second file does not lead to the ledger of the list"
accepted ledger limit part1.bin.ledger --epsilon 1.01
for list in part1.bin part2.bin part1.bin,part2.bin part2.bin,part1.bin ./part2.bin,part1.bin "$PWD/part2.bin,part1.bin"; do
    refused 4 '*part1.bin.ledger*' synth --images "$list" -o other "${small[@]}"
done
# What has no name in a list hides no ledger, and no image counts twice.
refused 4 '*part1.bin.ledger*' synth --images /dev/null,part1.bin -o other "${small[@]}"
refused 2 '*part2.bin twice' synth --images part1.bin,part2.bin,./part2.bin -o other --ledger part1.bin.ledger --epsilon 0.001 "${small[@]:2}"
ln part1.bin hard.bin
refused 4 '*part1.bin.ledger*' synth --images hard.bin,part2.bin -o other "${small[@]}"
mkdir elsewhere
ln part2.bin elsewhere/hard.bin
refused 3 '*hard links*name the ledger to charge (--ledger)' synth --images elsewhere/hard.bin -o other "${small[@]}"
accepted synth --images part1.bin --format png -o set --ledger part1.bin.ledger --epsilon 0.01 "${small[@]:2}" --quiet
accepted synth --images set -o out2 "${small[@]}" --quiet
accepted ledger limit set.ledger --epsilon 1.01
for name in set set/ set/. ./set//. "$PWD/set" set/../set; do
    refused 4 '*set.ledger*' synth --images "$name" -o other "${small[@]}"
done
inside() (cd set && "$SEMBLANCE" "$@")
refused_by inside 4 '*set.ledger*' synth --images . -o ../other "${small[@]}"
compgen -G 'other*' && fail "a refusal left files"
exit 0
