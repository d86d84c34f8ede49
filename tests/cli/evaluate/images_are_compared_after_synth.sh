# SPDX-License-Identifier: Apache-2.0
. "$CLI_TESTS/lib.sh"
make_images
cp images test.images
cp labels test.labels
tiny=(--images images --labels labels --classes 3 --method merf --epsilon 4 --features 200 --steps 3 --batch 30 --hidden 8,4,3 --latent 4)
accepted synth "${tiny[@]}" -o out --report r.html --evaluate test.images --evaluate-labels test.labels --progress never
grep -q 'r.html is NOT PRIVATE: it compares real and synthetic images' accepted.err || fail "does not say that the report is not private"
[ "$(grep -c 'src="data:image/png;base64,' r.html)" = 5 ] || fail "not a preview and four grids in the report"
grep -q 'The guarantee' r.html || fail "no guarantee in the report"
accepted synth "${tiny[@]}" -o pictures --format png --report p.html --evaluate test.images --evaluate-labels test.labels --quiet
[ "$(grep -c 'src="data:image/png;base64,' p.html)" = 5 ] || fail "not a preview and four grids in the report of PNG files"
# What may be published shows synthetic images, and speaks of images.
shows_preview() {
    [ "$(grep -c '<img' "$1")" = 1 ] && [ "$(grep -c 'src="data:image/png;base64,iVBOR' "$1")" = 1 ] || fail "not one picture in $1"
    grep -q 'These images are <strong>synthetic</strong>' "$1" || fail "$1 does not say that its images are synthetic"
    ! grep -q 'NOT PRIVATE' "$1" || fail "$1 holds a private part"
    grep -q 'images of the private image set' "$1" || fail "$1 does not speak of images"
    ! grep -q 'private table\|synthetic table' "$1" || fail "$1 speaks of a table"
    [ "$(stat -c %a "$1")" = 644 ] || fail "$1 is public, and others may not read it"
}
accepted synth "${tiny[@]}" -o alone --report a.html --quiet
shows_preview a.html
accepted evaluate --images --classes 3 --synthetic alone --certificate alone.certificate.json --public-only --report e.html
[ ! -s accepted.out ] && [ ! -s accepted.err ] || fail "a public report comes with numbers, or warns of what is listed: $(<accepted.err)"
shows_preview e.html
# Images that the certificate does not list may be private ones.
accepted evaluate --images --classes 3 --synthetic images --synthetic-labels labels --certificate alone.certificate.json --public-only --report w.html
grep -qx 'semblance: WARNING: alone.certificate.json does not list images: make sure that these are the synthetic images before you publish the report' \
    accepted.err || fail "real images are shown without a word: $(<accepted.err)"
[ "$(grep -o 'base64,[^"]*' a.html)" = "$(grep -o 'base64,[^"]*' e.html)" ] || fail "synth and evaluate show different images"
grep -q 'They were not checked against the files that the certificate' e.html || fail "does not say who vouches for the images"
# Names of class folders are shown as text, whatever the format of the output.
python3 - <<'PYTHON'
import os, struct, zlib
def part(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
for name in ("<b>shirt", "boot"):
    os.makedirs("named/" + name)
    for i in range(20):
        rows = b"".join(bytes([0] + [(7 * i + 30 * x + y) % 256 for x in range(8)]) for y in range(8))
        with open(f"named/{name}/{i}.png", "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0)) +
                       part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b""))
PYTHON
named=(--images named --grey --method merf --epsilon 1 --features 200 --steps 3 --batch 30 --hidden 8,4,3 --latent 4 --quiet)
for format in idx png; do
    accepted synth "${named[@]}" -o "named.$format" --format "$format" --report "named.$format.html"
    shows_preview "named.$format.html"
    grep -q '<li><span>&lt;b&gt;shirt</span></li>' "named.$format.html" || fail "the name of a class is not there ($format)"
done
accepted synth --images images --method merf --epsilon 1 --features 200 --steps 3 --batch 30 --hidden 8,4,3 --latent 4 --quiet -o unlabelled --rows 5 --format png --report u.html
shows_preview u.html
refused 2 '*both --labels and --evaluate-labels*' synth "${tiny[@]}" -o no --report n.html --evaluate test.images
refused 2 '*--evaluate-labels needs --images and --evaluate*' synth "${tiny[@]}" -o no --report n.html --evaluate-labels test.labels
refused 5 '*nothere*--evaluate-labels*' synth "${tiny[@]}" -o no --report n.html --evaluate test.images --evaluate-labels nothere
refused 2 '*--evaluate-labels are the same file*' synth "${tiny[@]}" -o no --report test.labels --evaluate test.images --evaluate-labels test.labels --overwrite
[ ! -e no ] && [ ! -e no.release ] && [ ! -e n.html ] || fail "a refusal left files"
# Images are not shown beside the certificate of a table.
make_people
accepted synth people.csv --schema people.json --epsilon 1 -o syn.csv "${small[@]}" --quiet
refused 3 '*certificate is for a table, not for an image set*' evaluate --images --classes 3 --synthetic alone --certificate syn.csv.certificate.json --public-only --report t.html
[ ! -e t.html ] || fail "a refusal left a report"
