# SPDX-License-Identifier: Apache-2.0
# With --size no file of a folder shows in exit code, messages or public facts, whatever it holds; what is counted with noise is off.
. "$CLI_TESTS/lib.sh"
tiny=(--method merf --epsilon 1 --features 200 --steps 3 --batch 30 --hidden 8,4,3 --latent 4)
{ printf '\0\0\10\3\0\0\0\36\0\0\0\10\0\0\0\10'; seq 1000 | tr -d '\n' | head -c 1920; } > images
{ printf '\0\0\10\1\0\0\0\36'; for i in $(seq 30); do printf "\\$((i % 2))"; done; } > labels
accepted fit --images images --labels labels --classes 2 "${tiny[@]}" --model model --quiet
accepted sample model -n 30 -o folder --format png --quiet
first=$(find folder -name '*.png' | LC_ALL=C sort | head -n 1)
last=$(find folder -name '*.png' | LC_ALL=C sort | tail -n 1)
public() { # what a run shows, but for what names it: keys, hashes, times
    sed -E 's/[0-9a-f]{16,}/X/g; s/^TIME: .*/TIME/; s/20[0-9-]+T[0-9:]+Z/DATE/g' accepted.out accepted.err "$1.certificate.json"
}
run() { # as if it were the first of this data
    rm -f folder.ledger
    accepted synth --images folder --classes 2 --grey --health off "${@:2}" "${tiny[@]}" -n 5 -o "$1"
}
run whole --size 8x8
public whole > expected
number=0
for file in "$first" "$last"; do
    cp "$file" kept
    for bad in empty text cut other; do
        case $bad in
        empty) : > "$file" ;;
        text) echo 'not a picture' > "$file" ;;
        cut) head -c 40 kept > "$file" ;;
        other) accepted sample model -n 1 -o wide --format png --preview grid.png --quiet; rm -r wide; mv grid.png "$file" ;;
        esac
        number=$((number + 1))
        run "bad_$number" --size 8x8
        public "bad_$number" | sed "s/bad_$number/whole/g" | cmp - expected || fail "$bad $file shows"
    done
    mv kept "$file"
done
# Not declared, the first file is a public fact: it says so, and only that one is asked.
run undeclared
grep -q 'the first image file' undeclared.certificate.json || fail "the certificate does not say whose size it is"
grep -q 'the first image file' whole.certificate.json && fail "a declared size is said to be read from a file"
: > "$last"
run undeclared_2
: > "$first"
refused 3 "$first is neither a PNG nor a JPEG file" synth --images folder --classes 2 "${tiny[@]}" -o no
for size in 8 8x 0x8 8x0 129x8 8x129 8X8 8x8x8 ' 8x8' 8x-8; do
    refused 2 "*option --size must be a height and a width from 1 to 128, as 28x28, not '*" plan --images folder "--size=$size" --epsilon 1
done
refused 2 '*--size needs --images*' synth images --schema labels --size 8x8 --epsilon 1 -o no
