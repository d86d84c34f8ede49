# SPDX-License-Identifier: Apache-2.0
# Images in, images out: every command, IDX and PNG, one line for what is wrong.
. "$CLI_TESTS/lib.sh"
# 40 images of 8 x 8 and their labels 1 2 0 1 2 0 ...
make_images
private=(--images images --labels labels --classes 3 --epsilon 1)
tiny=(--steps 3 --batch 30 --hidden 8,4,3 --latent 4 --quiet)

accepted plan "${private[@]}"
grep -q 'auto takes mepf' accepted.out || fail "the plan does not say what auto takes"
grep -q 'operations in all.*method merf is the quick one' accepted.out || fail "the plan does not say what it costs"
grep -q '^rows       40, 3 classes$' accepted.out || fail "the plan's rows and classes"
accepted synth "${private[@]}" -o out/ --preview grid.png --method merf --features 200 "${tiny[@]}"
[ "$(gzip -dc out/images-idx3-ubyte.gz | wc -c)" = 2576 ] || fail "size of the images"
[ "$(gzip -dc out/labels-idx1-ubyte.gz | wc -c)" = 48 ] || fail "size of the labels"
[ "$(head -c 4 grid.png | tail -c 3)" = PNG ] || fail "the preview is no PNG"
accepted verify out.certificate.json --ledger images.ledger --output out/images-idx3-ubyte.gz,out/labels-idx1-ubyte.gz

accepted train out.release --model model "${tiny[@]}"
accepted sample model -n 5 --where label=2 -o two --quiet
[ "$(gzip -dc two/labels-idx1-ubyte.gz | tail -c 5 | od -An -tx1 | tr -d ' \n')" = 0202020202 ] ||
    fail "--where draws other classes"
accepted sample model -n 9 -o pictures --format png --quiet
[ "$(find pictures -name '*.png' | wc -l)" = 9 ] || fail "not nine pictures"

# The folder of PNG files is an image set, too; a set without labels has no file of them.
accepted fit --images pictures --epsilon 1 --model again --method merf --features 200 "${tiny[@]}"
accepted synth --images pictures --grey --epsilon 1 -o greys --method merf --features 200 "${tiny[@]}"
[ -e greys/images-idx3-ubyte.gz ] || fail "--grey gives no grey images"
accepted synth --images images --epsilon 1 -o plain --method merf --features 200 "${tiny[@]}"
[ -e plain/images-idx3-ubyte.gz ] && [ ! -e plain/labels-idx1-ubyte.gz ] || fail "files of a set without labels"

refused 2 '*--schema is for tables*' synth "${private[@]}" --schema labels -o no
refused 2 '*not both*' synth images "${private[@]}" -o no
refused 2 '*--balanced needs --images*' synth images --schema labels --balanced --epsilon 1 -o no
refused 2 '*INPUT is missing*' synth --schema labels --epsilon 1 -o no
refused 2 '*written to a folder*' sample model -n 5
refused 2 '*drawn by its number* (--where)' sample model -n 5 -o no --where label=3
refused 3 '*labels*' synth --images labels --labels images --epsilon 1 -o no
refused 5 '*nowhere*' synth --images nowhere --epsilon 1 -o no
refused 5 '*exists already*' synth "${private[@]}" -o out/ --release other.release --certificate other.json
# Outputs that are no folder of their own.
for name in - . .. / ./ no/..; do
    refused 2 "*a folder of their own, not to '$name': choose another name" synth "${private[@]}" -o $name --release other.release --certificate other.json
    refused 2 "*a folder of their own, not to '$name': choose another name" sample model -n 5 -o $name
done
refused 2 '*would be in the folder of PNG images*' synth "${private[@]}" -o no --format png --preview no/grid.png
refused 5 '*nowhere*' synth "${private[@]}" -o no --preview nowhere/grid.png
# No refusal leaves a folder behind, whenever it comes.
head -c 60 <(gzip -c images) > cut.gz
refused 3 '*cut.gz*' synth --images cut.gz --epsilon 1 -o no --method merf --features 200 "${tiny[@]}"
accepted ledger init small.ledger --epsilon 0.5
refused 4 '*small.ledger*' synth "${private[@]}" -o no --ledger small.ledger --method merf --features 200 "${tiny[@]}"
# In a folder that is not there yet the preview has a place.
accepted synth "${private[@]}" -o new --preview new/grid.png --method merf --features 200 "${tiny[@]}"
[ -e new/grid.png ] && [ -e new/images-idx3-ubyte.gz ] || fail "no preview in the new folder"
[ ! -e no ] && [ ! -e no.release ] && [ ! -e other.release ] || fail "a refusal left files"
