# SPDX-License-Identifier: Apache-2.0
# No images are a set under add-remove, where their number is private; the classes say which CIFAR it is.
. "$CLI_TESTS/lib.sh"
tiny=(--method merf --epsilon 1 --features 200 --steps 3 --batch 30 --hidden 8,4,3 --latent 4 --quiet)
private=(--neighbours add-remove)

printf '\0\0\10\3\0\0\0\0\0\0\0\10\0\0\0\10' > empty.images
printf '\0\0\10\1\0\0\0\0' > empty.labels
idx=(--images empty.images --labels empty.labels --classes 3)
accepted synth "${idx[@]}" "${private[@]}" "${tiny[@]}" -n 7 -o idx
[ "$(gzip -dc idx/images-idx3-ubyte.gz | wc -c)" = 464 ] || fail "not 7 images of 8 x 8"
accepted verify idx.certificate.json --ledger empty.images.ledger
refused 3 'empty.images holds no images' synth "${idx[@]}" "${tiny[@]}" -o no
refused 3 'empty.images holds no images' plan "${idx[@]}" --epsilon 1 -n 100

: > empty.bin
accepted synth --images empty.bin "${private[@]}" "${tiny[@]}" -n 7 -o ten
refused 3 'empty.bin holds no images' synth --images empty.bin "${tiny[@]}" -o no

# Without a picture nobody knows how large they are, whichever the neighbours, unless it is declared.
mkdir -p pictures/a pictures/b
for neighbours in add-remove replace-one; do
    refused 3 'pictures contains no PNG or JPEG files, so the size of its images is unknown*' \
        synth --images pictures --classes 2 --neighbours "$neighbours" "${tiny[@]}" -o no
done
sized=(--images pictures --classes 2 --size 8x6 --grey)
accepted synth "${sized[@]}" "${private[@]}" "${tiny[@]}" -n 7 -o folder
[ "$(gzip -dc folder/images-idx3-ubyte.gz | wc -c)" = 352 ] || fail "not 7 images of 8 x 6"
refused 3 'pictures holds no images' synth "${sized[@]}" "${tiny[@]}" -o no

# Three records of CIFAR-10 and of CIFAR-100.
head -c 9219 /dev/zero > ten.bin
head -c 9222 /dev/zero > hundred.bin
# planned CLASSES ARGUMENT...: what the plan says of them.
planned() {
    accepted plan "${@:2}" --epsilon 1 --method merf --features 200 --no-estimate
    grep -q "^rows       3, $1 classes\$" accepted.out || fail "not $1 classes in the plan"
}
planned 10 --images ten.bin
planned 100 --images hundred.bin --classes 100
planned 20 --images hundred.bin --classes 20
# The size of a file that has one.
planned 10 --images ten.bin --size 32x32
refused 3 'ten.bin holds images of 32 x 32, but 28 x 28 is declared' plan --images ten.bin --size 28x28 --epsilon 1
refused 3 'empty.images holds images of 8 x 8, but 8 x 9 is declared' synth "${idx[@]}" --size 8x9 "${private[@]}" "${tiny[@]}" -o no
refused 3 'hundred.bin is not a CIFAR-10 file*declare 100 classes for CIFAR-100* (--classes)' plan --images hundred.bin --epsilon 1
refused 3 'ten.bin is not a CIFAR-100 file*declare 100 classes* (--classes)' plan --images ten.bin --classes 100 --epsilon 1
[ ! -e no ] && [ ! -e no.release ] && [ ! -e no.release.ledger ] || fail "a refusal left files"
