# SPDX-License-Identifier: Apache-2.0
# mepf with cells: two releases, whose model draws every class; a run that was stopped between them goes on without paying
# twice; sets without labels, more cells than images, and options that do not fit.
. "$CLI_TESTS/lib.sh"
make_images
tiny="$CLI_TESTS/../support/tiny.safetensors"
small=(--method mepf --encoder "$tiny" --features 200 --steps 3 --batch 30 --hidden 8,4,3 --latent 4 --quiet)
private=(--images images --labels labels --classes 3 --epsilon 5)
words=("${private[@]}" --cells 2 --first-share 0.3 "${small[@]}" -o out)

accepted synth "${words[@]}"
[ -f out.release.2 ] || fail "there is no second release"
accepted verify out.certificate.json --ledger images.ledger --release out.release,out.release.2 --output out
grep -q 'each class has 2 cells' out.certificate.json || fail "the certificate does not say how cells were found"
[ "$(grep -c op=RESERVE images.ledger)" = 2 ] || fail "not two releases were charged"
accepted train out.release --encoder "$tiny" --model again --steps 3 --batch 30 --hidden 8,4,3 --latent 4 --quiet
for class in 0 1 2; do
    accepted sample again -n 5 --where label=$class -o class$class --quiet
    [ "$(gzip -dc class$class/labels-idx1-ubyte.gz | tail -c 5 | od -An -tu1 | tr -d ' \n')" = $class$class$class$class$class ] ||
        fail "class $class is not drawn where it is asked for"
done

# As if it had been stopped after its first release: the same second plan follows, and is paid for once.
cp out.release.2 second
head -n 3 images.ledger > cut && cat cut > images.ledger
rm -r out out.release.2
refused 3 '*stopped after 1 of its releases*' train out.release --encoder "$tiny" --model m
accepted resume "${words[@]}"
[ "$(grep -c op=RESERVE images.ledger)" = 2 ] || fail "a release was paid for again"
plan_of() { grep -ao 'centres[^0-9a-f]*[0-9a-f]*' "$1" | head -n 1; }
[ -n "$(plan_of second)" ] && [ "$(plan_of second)" = "$(plan_of out.release.2)" ] || fail "the cells are other ones"

# What cells add is planned.
planned=("${private[@]}" "${small[@]::${#small[@]}-1}" --no-estimate)
accepted plan "${planned[@]}" --cells 2 --first-share 0.3
grep -q 'a first fit of 3 steps of 30 images' accepted.out || fail "the plan does not say what cells add"
operations() {
    accepted plan "${planned[@]}" --json "$@"
    grep -o '"operations": *[0-9.e+]*' accepted.out | grep -o '[0-9.e+]*$'
}
awk "BEGIN { exit !($(operations --cells 2) > 1.5 * $(operations --early-stopping no)) }" ||
    fail "the plan leaves out the first fit of cells"

# Many more cells than images, and a set without labels.
accepted ledger init many.ledger
accepted synth "${private[@]}" --cells 45 "${small[@]}" --ledger many.ledger -o many
accepted ledger init flat.ledger
accepted synth --images images --epsilon 5 --cells 2 "${small[@]}" --ledger flat.ledger -o flat
[ -f flat.release.2 ] || fail "a set without labels has no cells"

# Colour: moments stay with the classes, cells have perceptual features.
for label in 0 1 2 3 4 5 6 7 8 9; do
    printf "\\x0$label"
    seq "$label" 1500 | tr -d '\n' | head -c 3072
done > ten.bin
accepted synth --images ten.bin --encoder "$tiny" --epsilon 5 --cells 2 --features 40 --hidden 16 --steps 2 --batch 40 --quiet -o colour
grep -aq phi1 colour.release || fail "the first release has no moments"
! grep -aq phi1 colour.release.2 || fail "moments are summed by cell"

# As many cells as the noise allows: the plan and the releases have their number, as if it had been given.
set=(--images images --labels labels --classes 3)
few=(--method mepf --encoder "$tiny" --features 2 "${small[@]:6}")
auto=("${set[@]}" "${few[@]}" --seed 4)
foreseen=("${set[@]}" --method mepf --encoder "$tiny" --features 2 --no-estimate --cells auto)
accepted plan "${foreseen[@]}" --epsilon 36
grep -q 'then 11 cells in each class' accepted.out || fail "the plan does not say how many cells there are: $(cat accepted.out)"
accepted plan "${foreseen[@]}" --epsilon 1
grep -q 'auto takes one in each class' accepted.out || fail "the plan does not say that classes stay whole"
accepted ledger init auto.ledger
accepted synth "${auto[@]}" --epsilon 36 --cells auto --ledger auto.ledger -o auto
grep -ao 'later_cells.*' auto.release | grep -q 'number[^0-9]*11[^0-9]' || fail "the number of cells is not in the plan"
grep -q 'each class has 11 cells' auto.certificate.json || fail "the number of cells is not in the certificate"
accepted verify auto.certificate.json --ledger auto.ledger --release auto.release,auto.release.2 --output auto
mv auto.release.2 second
head -n 3 auto.ledger > cut && cat cut > auto.ledger
rm -r auto
accepted resume "${auto[@]}" --epsilon 36 --cells auto --ledger auto.ledger -o auto
[ "$(grep -c op=RESERVE auto.ledger)" = 2 ] || fail "a release was paid for again"
[ -n "$(plan_of second)" ] && [ "$(plan_of second)" = "$(plan_of auto.release.2)" ] || fail "the cells of auto are other ones"
accepted train auto.release --encoder "$tiny" --model later --steps 3 --batch 30 --hidden 8,4,3 --latent 4 --quiet
accepted sample later -n 5 -o trained --quiet

accepted ledger init data.ledger
cp data.ledger untouched
refused 2 "option --cells must be a whole number from 1 to 256, or auto, not 'many'*" synth "${private[@]}" "${small[@]}" --ledger data.ledger -o no --cells many
refused 2 'cells auto needs a number of images, which is private under add-remove: give cells as a number' \
    synth "${private[@]}" "${small[@]}" --ledger data.ledger -o no --cells auto --neighbours add-remove
for wrong in '--cells 0' '--cells 257' '--cells 2 --early-stopping yes' '--first-share 0.5' '--cells 2 --first-share 1'; do
    read -r -a option <<< "$wrong"
    refused 2 '*' synth "${private[@]}" "${small[@]}" --ledger data.ledger -o no "${option[@]}"
done
cmp untouched data.ledger || fail "a refusal was charged"
exit 0
