# SPDX-License-Identifier: Apache-2.0
# Folders of PNG files are parts of one run: the same classes in each, one of them without a file.
. "$CLI_TESTS/lib.sh"
small=(--epsilon 1 --method merf --features 20 --hidden 8,4,3 --latent 2 --steps 2 --batch 8)
for label in 0 1 2 3 4 5 6 7 8 9; do
    printf "\\x0$label"
    head -c 3072 /dev/zero | tr '\0' "$label"
done > ten.bin
cat ten.bin ten.bin > twenty.bin
accepted synth --images twenty.bin --format png -o all "${small[@]}" --quiet
[ "$(find all -name '*.png' | wc -l)" = 20 ] || fail "not twenty images"
for part in one two none; do
    for class in all/*/; do mkdir -p "$part/$(basename "$class")"; done
done
number=0
for file in all/*/*.png; do
    number=$((number + 1))
    if [ $((number % 2)) = 1 ]; then cp "$file" "${file/all/one}"; else cp "$file" "${file/all/two}"; fi
done
refused 2 '*--rows is missing*' plan --images one "${small[@]:0:6}" --save plan
accepted plan --no-estimate --images one -n 20 "${small[@]:0:6}" --save plan
accepted sum --images one --plan plan -o one.sum
accepted sum --images two --plan plan -o two.sum
accepted sum --images none --size 32x32 --plan plan -o none.sum
accepted merge one.sum two.sum none.sum --plan plan -o whole
accepted release whole --plan plan -o set.release
accepted verify set.certificate.json --ledger set.release.ledger --release set.release
grep -q 'no image is in two' set.certificate.json || fail "the certificate does not list the assumption"
accepted train set.release --model set.model "${small[@]:6}"
accepted sample set.model -o made --quiet
# What is no part of it.
mkdir -p other/0
cp "$(find all -name '*.png' | sort | tail -n 1)" other/0/
refused 3 '*other has images of another size, or other classes*' sum --images other --plan plan -o other.sum
make_people
refused 2 '*is a plan of an image set*' sum people.csv --plan plan -o people.sum
