. "$CLI_TESTS/lib.sh"
{ printf '\0\0\10\3\0\0\0\50\0\0\0\10\0\0\0\10'; seq 1000 | tr -d '\n' | head -c 2560; } > images
{ printf '\0\0\10\1\0\0\0\50'; for i in $(seq 40); do printf "\\$((i % 3))"; done; } > labels
cp images test.images
cp labels test.labels
tiny=(--images images --labels labels --classes 3 --epsilon 1 --features 200 --steps 3 --batch 30 --hidden 8,4,3 --latent 4)
accepted synth "${tiny[@]}" -o out --report r.html --evaluate test.images --evaluate-labels test.labels --progress never
grep -q 'r.html is NOT PRIVATE: it compares real and synthetic images' accepted.err || fail "does not say that the report is not private"
[ "$(grep -c 'src="data:image/png;base64,' r.html)" = 4 ] || fail "not four grids in the report"
grep -q 'The guarantee' r.html || fail "no guarantee in the report"
accepted synth "${tiny[@]}" -o pictures --format png --report p.html --evaluate test.images --evaluate-labels test.labels --quiet
[ "$(grep -c 'src="data:image/png;base64,' p.html)" = 4 ] || fail "not four grids in the report of PNG files"
accepted synth "${tiny[@]}" -o alone --report a.html --quiet
! grep -q 'data:image/png' a.html || fail "the public report shows images"
refused 2 '*both --labels and --evaluate-labels*' synth "${tiny[@]}" -o no --report n.html --evaluate test.images
refused 2 '*--evaluate-labels goes with*' synth "${tiny[@]}" -o no --report n.html --evaluate-labels test.labels
refused 5 '*nothere*--evaluate-labels*' synth "${tiny[@]}" -o no --report n.html --evaluate test.images --evaluate-labels nothere
refused 2 '*another file of this run*' synth "${tiny[@]}" -o no --report test.labels --evaluate test.images --evaluate-labels test.labels --force
[ ! -e no ] && [ ! -e no.release ] && [ ! -e n.html ] || fail "a refusal left files"
