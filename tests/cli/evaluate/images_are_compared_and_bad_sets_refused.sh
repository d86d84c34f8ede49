# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
# Bars across and down as IDX pairs: NAME COUNT SEED [WIDTH [CLASSES]].
make_set() {
    python3 - "$@" <<'PYTHON'
import random, struct, sys
name, count, seed, width, classes = (sys.argv[1:] + ["8", "2"][len(sys.argv) - 4:])[:5]
count, width, classes = int(count), int(width), int(classes)
draw = random.Random(int(seed))
pixels, labels = bytearray(), bytearray()
for i in range(count):
    image = [draw.randrange(60) for _ in range(8 * width)]
    place, label = draw.randrange(min(8, width)), i % classes
    for j in range(min(8, width)):
        image[place * width + j if label == 0 else j * width + place] = 220
    pixels += bytes(image)
    labels.append(label)
open(name + ".images", "wb").write(struct.pack(">4I", 2051, count, 8, width) + pixels)
open(name + ".labels", "wb").write(struct.pack(">2I", 2049, count) + labels)
PYTHON
}
make_set test 60 1
make_set train 80 2
make_set syn 70 3
common=(evaluate --images --real test.images --real-labels test.labels --classes 2)
syn=(--synthetic syn.images --synthetic-labels syn.labels)
train=(--train train.images --train-labels train.labels)
same_verdict 'Models * The best model (accuracy of *) reaches * from independent pixels. By the Frechet distance they *Next: *' \
    "${common[@]}" "${syn[@]}" --models mlp
accepted "${common[@]}" "${syn[@]}" "${train[@]}" --models mlp --report r.html
[ ! -s accepted.err ] || fail "talks on standard error"
head -n 1 accepted.out | grep -q '^NOT PRIVATE' || fail "the first line does not say NOT PRIVATE"
for word in 'synthetic  syn.images: 70 images' 'accuracy of MLP' floor ceiling 'Frechet distance' 'random convolutional' 'exact copies: 0 of 70'; do
    grep -q -- "$word" accepted.out || fail "nothing about $word"
done
! grep -qi 'nan\|FID' accepted.out || fail "a number that is none, or a wrong name"
[ "$(grep -c 'src="data:image/png;base64,' r.html)" = 4 ] || fail "not four grids in the report"
grep -q 'NOT PRIVATE' r.html || fail "the report does not say NOT PRIVATE"
ls ./*.ledger 2> /dev/null && fail "evaluation made a ledger"
accepted "${common[@]}" "${syn[@]}" "${train[@]}" --models none --json
python3 - <<'PYTHON' || fail "not the document"
import json
def finite(text):
    raise ValueError(text)
d = json.loads(open("accepted.out").read(), parse_constant=finite)
assert d["kind"] == "images" and d["warning"].startswith("NOT PRIVATE")
assert d["inputs"]["train"] == {"path": "train.images", "labels": "train.labels", "rows": 80, "used": 80}
i = d["images"]
assert i["shape"] == [8, 8, 1] and i["classes"] == 2 and i["scores"] == []
assert i["frechet"]["distance"]["floor"] > i["frechet"]["distance"]["ceiling"] > 0
PYTHON
cp accepted.out first.json
accepted "${common[@]}" "${syn[@]}" "${train[@]}" --models none --json --threads 3
cmp accepted.out first.json || fail "threads change the result"
# A folder as synth --images writes it is one argument.
mkdir out
gzip -c syn.images > out/images-idx3-ubyte.gz
gzip -c syn.labels > out/labels-idx1-ubyte.gz
accepted "${common[@]}" --synthetic out "${train[@]}" --models none --json
python3 -c 'import json; a, b = (json.load(open(f))["images"] for f in ("accepted.out", "first.json")); assert a == b' ||
    fail "a folder is not what its files are"
# Bad input.
try() { refused "$1" "$2" "${common[@]}" "${@:3}"; }
try 3 '*syn.images has no labels, but test.images has: * (--synthetic-labels)' --synthetic syn.images
make_set narrow 20 4 6
try 3 'narrow.images: the images are 8 x 6 x 1, those of test.images are 8 x 8 x 1' --synthetic narrow.images --synthetic-labels narrow.labels
make_set one 20 5 8 1
try 3 'one.images: all images have one class*--models none*' --synthetic one.images --synthetic-labels one.labels
printf '\0\0\10\3\0\0\0\0\0\0\0\10\0\0\0\10' > empty.images
printf '\0\0\10\1\0\0\0\0' > empty.labels
try 3 'empty.images holds no images' --synthetic empty.images --synthetic-labels empty.labels
try 3 '*the number of labels in one.labels differs*' --synthetic empty.images --synthetic-labels one.labels
try 3 '*one.labels*' --synthetic syn.images --synthetic-labels one.labels
head -c 600 syn.images > cut.images
try 3 '*cut.images*' --synthetic cut.images --synthetic-labels syn.labels
try 3 '*test.images*safetensors*' "${syn[@]}" --encoder test.images
try 5 '*nothere*' --synthetic nothere
try 5 '*nothere*' "${syn[@]}" --encoder nothere
try 2 '*xgboost*' "${syn[@]}" --models xgboost
try 2 '*--schema is for tables*' "${syn[@]}" --schema people.json
try 2 '*--train-labels needs --train*' "${syn[@]}" --train-labels train.labels
refused 2 '*--classes needs --images*' evaluate --real a --synthetic b --schema c --classes 3
try 2 '*--real are the same file*' "${syn[@]}" --models none --report test.images --overwrite
try 5 '*r.html*exists*' "${syn[@]}" --models none --report r.html
