. "$CLI_TESTS/lib.sh"
make_people
{ printf '\0\0\10\3\0\0\0\50\0\0\0\10\0\0\0\10'; seq 1000 | tr -d '\n' | head -c 2560; } > images
tiny=(--epsilon 1 --features 200 --steps 3 --batch 30 --hidden 8,4,3 --latent 4 --quiet)
table=(synth people.csv --schema people.json --epsilon 1 "${small[@]}" --quiet -o out.csv)
echo mine > out.model.tmp
echo mine > out.csv.model.tmp
refused 5 'out.csv.model.tmp is in the way: there a run without --model keeps its model*--model or --force' "${table[@]}"
refused 5 'out.model.tmp is in the way: there a run without --model keeps its model*--model or --force' \
    synth --images images "${tiny[@]}" -o out/
[ "$(cat out.model.tmp out.csv.model.tmp)" = "$(printf 'mine\nmine')" ] || fail "the file in the way was changed"
for left in out out.csv out.release out.csv.release out.release.ledger out.csv.release.ledger; do
    [ ! -e "$left" ] || fail "a refusal left $left"
done
# The ways that the message names.
accepted "${table[@]}" --model kept
accepted synth --images images "${tiny[@]}" -o out/ --model kept2
[ -s kept ] && [ -s kept2 ] && [ "$(cat out.model.tmp)" = mine ] || fail "--model is no way out"
accepted synth --images images "${tiny[@]}" -o out2 --model kept3
mv out.model.tmp out3.model.tmp
accepted synth --images images "${tiny[@]}" -o out3 --force
[ -e out3/images-idx3-ubyte.gz ] && [ ! -e out3.model.tmp ] || fail "--force is no way out"
