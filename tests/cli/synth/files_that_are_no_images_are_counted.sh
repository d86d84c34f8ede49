# SPDX-License-Identifier: Apache-2.0
# How many files of a folder are no image of the set's size is counted with noise, paid for, certified and said where it stands out.
. "$CLI_TESTS/lib.sh"
tiny=(--method merf --features 200 --steps 3 --batch 30 --hidden 8,4,3 --latent 4)
{ printf '\0\0\10\3\0\0\1\54\0\0\0\10\0\0\0\10'; yes 0123456789 | tr -d '\n' | head -c 19200; } > images
accepted fit --images images "${tiny[@]}" --epsilon 1 --model model --quiet
accepted plan --images images --method merf --features 200 --epsilon 1 --json --no-estimate
grep -q '"health"' accepted.out && fail "files of one container are counted"
accepted sample model -n 300 -o folder --format png --quiet
run=(--images folder --grey --size 8x8 --epsilon 8 "${tiny[@]}")
# All fit: nothing is said, or what noise says once in 1,000 runs.
accepted synth "${run[@]}" --health tell -n 5 -o good
python3 -c 'import json; h = json.load(open("good.certificate.json"))["health"]; assert len(h) == 1 and h[0]["column"] == "files" and abs(h[0]["misfits"]) < 6 * h[0]["deviation"], h' ||
    fail "good files are no images"
accepted verify good.certificate.json --ledger folder.ledger
grep -q 'HEALTH: files that are not an image of the set.s size' accepted.out || fail "the certificate does not say of what"
# Nine in ten are of no use: the run stops after its first release, and goes on where told to.
find folder -name '*.png' | LC_ALL=C sort | head -n 270 | while read -r file; do echo 'not a picture' > "$file"; done
rm folder.ledger
refused 3 '*of the files are not images of 8 x 8, so nothing was fitted*--health tell*' synth "${run[@]}" -n 5 -o bad --quiet
accepted resume "${run[@]}" --health tell -n 5 -o bad
[ -e bad.certificate.json ] || fail "nothing was made after resume"
rm folder.ledger
accepted synth "${run[@]}" --health tell -n 5 -o told
grep -q 'files: about [0-9]* % are not an image of 8 x 8 and were read as mid-grey (differentially private' accepted.err || fail "nothing is said"
rm folder.ledger
accepted synth "${run[@]}" --health off -n 5 -o off
grep -q '"health":\[\]\|"health": \[\]' off.certificate.json || fail "switched off, and counted"
