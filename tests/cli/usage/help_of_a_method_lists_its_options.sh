# SPDX-License-Identifier: Apache-2.0
# 'help METHOD' and the man page list the options that not every method has; every one of them is known to synth, and
# its help says where they are.
. "$CLI_TESTS/lib.sh"
"$SEMBLANCE" manual | sed 's/\\-/-/g' > page
accepted help synth --all
grep -qx 'Each method has options of its own: semblance help METHOD' accepted.out || fail "synth does not say where"
grep -qx '  pairs, forest, histories, mepf, merf, hp, ron-gauss, marginals' accepted.out || fail "synth does not name the methods"
# lists METHOD HEAD OPTION...
lists() {
    local method=$1 head=$2
    shift 2
    accepted help "$method"
    [ "$(head -1 accepted.out)" = "$head" ] || fail "$method: $(head -1 accepted.out)"
    sed -nE 's/^  (--[a-z-]+).*/\1/p' accepted.out | sort > listed
    printf '%s\n' "$@" | sort | diff - listed >&2 || fail "$method"
    for option in "$@"; do
        "$SEMBLANCE" synth "$option" > /dev/null 2> said
        ! grep -q 'unknown option' said || fail "synth does not have $option"
        sed -n "/^\.SS $method\$/,/^\.S[SH] /p" page | grep -q -e "$option" || fail "semblance(1): $method without $option"
    done
}
training=(--batch --checkpoint --class-weights --device --device-cache --device-path --device-precision --distance --generator --hidden --latent --learning-rate --steps)
hermite=(--lengths --order --sensitivity)
lists pairs 'pairs: pairs of columns, largest entropy (tables)' --expect-persons --expect-rows --histories --keep-records --rounds --target-share
lists forest 'forest: pairs and leaves of trees x label (tables)' --expect-persons --expect-rows --histories --keep-records --rounds --target-share --targets
lists histories 'histories: persons with all their rows (tables)' --expect-persons --expect-rows
lists merf 'merf: random Fourier mean embeddings (tables and images)' --expect-rows --features --length --mahalanobis --signs "${training[@]}"
lists mepf 'mepf: what a frozen public network sees (images)' --cells --class-layers --early-stopping --embedding --encoder --encoder-side \
    --features --first-share --layer-weights --layers --mirror --objective "${hermite[@]}" "${training[@]}"
grep -q 'training steps \[default: 4000; images 5000; of mepf' accepted.out || fail "the default of --steps"
lists hp 'hp: Hermite polynomial mean embeddings (tables and images)' --counts-share --gamma --mahalanobis --product-length \
    --product-order --product-share --product-size \
    --products --signs --subsets "${hermite[@]}" "${training[@]}"
lists marginals 'marginals: independent columns (tables)' --bins --pure
lists ron-gauss 'ron-gauss: Gaussians in a random projection (tables)' --dimensions --expect-rows --geometry --pure --space --split
accepted help auto
refused 2 "*'options' is not a command*" help options
