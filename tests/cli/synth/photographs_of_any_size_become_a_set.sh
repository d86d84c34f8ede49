# SPDX-License-Identifier: Apache-2.0
# Folders of JPEG and PNG files in colour, 64 x 64 and of any size, with labels and without: from plan to report.
. "$CLI_TESTS/lib.sh"
tiny=(--steps 2 --batch 8 --hidden 8,4,3 --latent 4 --quiet)
"$MAKE_FACES" 24 1 photographs any-jpeg 90x74 || fail "make_faces"
"$MAKE_FACES" 24 2 faces both 64x64 classes || fail "make_faces"
"$MAKE_FACES" 16 3 holdout any-both 90x74 || fail "make_faces"
any=(--images photographs --size 64x64 --resize --epsilon 1)

# Without labels, of any size, by merf.
accepted plan "${any[@]}" --method merf --features 50
grep -q '^rows       24, 1 class$' accepted.out || fail "the plan's rows"
grep -Eq 'a run takes about .* and [0-9]+ MB' accepted.out || fail "the plan does not say time and memory"
accepted synth "${any[@]}" -o out --method merf --features 50 --preview grid.png --report r.html --model model "${tiny[@]}"
[ "$(gzip -dc out/images-idx4-ubyte.gz | head -c 20 | od -An -tu1 | tr -s ' \n' ' ')" = ' 0 0 8 4 0 0 0 24 0 0 0 64 0 0 0 64 0 0 0 3 ' ] ||
    fail "not 24 images of 64 x 64 x 3"
[ ! -e out/labels-idx1-ubyte.gz ] || fail "labels of a set without"
grep -q 'A grid of synthetic images' r.html || fail "no grid in the report"
accepted verify out.certificate.json --ledger photographs.ledger
accepted sample model -n 3 -o drawn --format png --quiet
[ "$(find drawn -name '*.png' | wc -l)" = 3 ] || fail "not three pictures"
accepted evaluate --images --real holdout --size 64x64 --resize --synthetic out --encoder vgg-s --json --report e.html
python3 - <<'PYTHON' || fail "the distance of sets without labels"
import json
document = json.load(open("accepted.out"))
assert document["warning"].startswith("NOT PRIVATE")
images = document["images"]
assert images["shape"] == [64, 64, 3] and images["scores"] == []
frechet = images["frechet"]
assert frechet["encoder"].startswith("vgg-s (sha256 " + frechet["sha256"][:12]), frechet
assert frechet["side"] == 64 and frechet["images"] == 8 and "CIFAR-10" in frechet["trained_on"]
distance = frechet["distance"]
assert 0 < distance["ceiling"] < min(distance["floor"], frechet["noise"]) and distance["synthetic"] > 0, frechet
PYTHON
[ "$(grep -c 'src="data:image/png;base64,' e.html)" = 4 ] || fail "not four grids of sets without labels"

# With labels, PNG and JPEG side by side, by mepf. A file that is none changes nothing that shows.
labelled=(--images faces --epsilon 1 --method mepf --generator small --features 50 --layers 1 --early-stopping no --health off)
accepted synth "${labelled[@]}" -o glad "${tiny[@]}"
[ "$(gzip -dc glad/labels-idx1-ubyte.gz | wc -c)" = 32 ] || fail "not 24 labels"
cp accepted.err whole.err
find faces -name '*.jpg' | sort | tail -n 1 | while read -r file; do head -c 300 "$file" > cut; mv cut "$file"; done
rm faces.ledger
accepted synth "${labelled[@]}" --overwrite -o glad "${tiny[@]}"
cmp accepted.err whole.err || fail "a file that was cut short shows"
accepted evaluate --images --real faces --synthetic glad --models none --json

refused 2 '*--resize needs --size*' synth --images photographs --resize --epsilon 1 -o no
make_images
refused 2 '*only images of a folder of PNG or JPEG files are resized*' synth --images images --size 64x64 --resize --epsilon 1 -o no
"$MAKE_FACES" 1 4 big jpeg 140x20 || fail "make_faces"
refused 3 '*big/000000.jpg: an image has 140 x 20 pixels; sides must be from 1 to 128*' synth --images big --epsilon 1 -o no
[ ! -e no ] || fail "a refusal left files"
