# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# 40 images of 8 x 8 with labels: headers, and not one image or label in the gzip data after them.
cut_gzip() { python3 -c 'import sys, zlib
packer = zlib.compressobj(wbits=31)
sys.stdout.buffer.write(packer.compress(sys.stdin.buffer.read()) + packer.flush(zlib.Z_SYNC_FLUSH))'; }
printf '\0\0\10\3\0\0\0\50\0\0\0\10\0\0\0\10' | cut_gzip > images.gz
printf '\0\0\10\1\0\0\0\50' | cut_gzip > labels.gz
private=(--images images.gz --labels labels.gz --classes 3 --epsilon 1)
refused 3 '*images.gz: the gzip data is cut short' fit --quiet "${private[@]}" --model no
accepted plan "${private[@]}" --no-estimate # images_in_images_out.sh has one
grep -q '^rows       40, 3 classes$' accepted.out || fail "the plan's images and classes"
grep '^encoder' accepted.out > built_in
accepted plan "${private[@]}" --no-estimate --encoder vgg-s # by its name
grep '^encoder' accepted.out | cmp -s - built_in || fail "the built-in network is another by its name"
# Few images and few rows: what helps.
grep -q '^WARNING: at this epsilon 40 images are few: .*; use a larger epsilon$' accepted.out || fail "no warning"
make_people
accepted plan --schema people.json --epsilon 1 -n 200 --method merf --no-estimate
grep -q "200 rows are few: .*; use a larger epsilon$" accepted.out || fail "no warning for a table"
# How many images there are is private under add-remove.
refused 2 '*--rows*' plan "${private[@]}" --neighbours add-remove
accepted plan "${private[@]}" --neighbours add-remove -n 500 --method merf --no-estimate
grep -q '^rows       500, 3 classes$' accepted.out || fail "the number that was stated"
accepted help plan --all
grep -q 'IDX headers' accepted.out || fail "the help does not say what is read of images"
grep -q '^  semblance plan --images' accepted.out || fail "no example with images"
# What is no image set.
: > empty
refused 3 'empty is empty: it has no IDX header' plan --images empty --epsilon 1
mkdir flat
refused 2 'flat is a folder: its subfolders are the labels*' plan --images flat --labels labels.gz --epsilon 1
mkdir -p classes/caf$'\xe9'
refused 3 "classes: the name of a class's subfolder is not UTF-8*" plan --images classes --epsilon 1
